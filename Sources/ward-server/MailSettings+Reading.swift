import WardServer

extension MailSettings {
    /// Reads the settings for mail; `nil` if the service sends none.
    ///
    /// - Throws: ``SettingsError`` if one needs another one.
    init?(_ reader: SettingsReader) async throws {
        let (route, sender) = (try await reader.string(.mail), try await reader.string(.mailFrom))
        let (login, certificates) = (try await reader.string(.mailLogin), try await reader.string(.mailCA))
        guard let route else {
            for (setting, value) in [(Setting.mailFrom, sender), (.mailLogin, login), (.mailCA, certificates)]
            where value != nil {
                throw SettingsError("--\(setting.rawValue) needs --mail, the server that mail is sent through")
            }
            return nil
        }
        guard let sender else {
            throw SettingsError(
                "--mail needs --mail-from, the address that mail comes from, such as no-reply@example.com"
            )
        }
        self.init(route: route, sender: sender, loginFile: login, certificatesFile: certificates)
    }
}
