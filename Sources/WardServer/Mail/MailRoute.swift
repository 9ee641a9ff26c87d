import Foundation
import WardAccounts
package import WardMail

/// Settings for mail that can be used.
package struct MailRoute: Sendable {
    private enum Way {
        case relay(MailRelay)
        case folder(String)
    }

    private let settings: MailSettings
    private let way: Way
    /// Who sends the messages.
    let sender: MailMessage.Sender

    /// Reads the settings.
    ///
    /// No file is opened.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - name: The service's name.
    /// - Throws: ``ServerConfigurationError`` that says which setting is wrong.
    init(_ settings: MailSettings, name: String) throws(ServerConfigurationError) {
        self.settings = settings
        if settings.route.hasPrefix("folder:") {
            let path = String(settings.route.dropFirst("folder:".count))
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw ServerConfigurationError(
                    "--mail needs a path after folder:, such as folder:/var/lib/ward-server/mail"
                )
            }
            way = .folder(path)
        } else if let relay = MailRelay(settings.route) {
            way = .relay(relay)
        } else {
            throw ServerConfigurationError(
                "--mail must be smtp://HOST:PORT, smtps://HOST:PORT or folder:PATH. A user name and a password belong in the "
                    + "file of --mail-login"
            )
        }
        do {
            sender = MailMessage.Sender(name: name, address: try EmailAddress(settings.sender))
        } catch {
            throw ServerConfigurationError("--mail-from: \(error.description)")
        }
    }

    /// Reads the files that the settings name.
    ///
    /// - Returns: The way on which messages leave.
    /// - Throws: ``ServerConfigurationError`` for a file that cannot be used.
    package func transport() throws(ServerConfigurationError) -> any MailTransport {
        guard case .relay(let relay) = way else {
            guard case .folder(let path) = way else { throw ServerConfigurationError("--mail is missing") }
            return FolderTransport(path)
        }
        if let file = settings.certificatesFile, FileManager.default.contents(atPath: file) == nil {
            throw ServerConfigurationError("--mail-ca: \(file) cannot be read")
        }
        return SMTPTransport(relay, login: try login(), certificates: settings.certificatesFile)
    }

    private func login() throws(ServerConfigurationError) -> MailLogin? {
        guard let file = settings.loginFile else { return nil }
        guard let login = MailLogin(try SecretFile.read(file, of: "--mail-login")) else {
            throw ServerConfigurationError(
                "--mail-login: \(file) must have two lines: the user name, then the password"
            )
        }
        return login
    }
}

extension ServerConfiguration {
    /// What is wrong with the files that the settings for mail name, or `nil` if nothing is.
    package var mailProblem: String? {
        guard let mail else { return nil }
        do {
            _ = try MailRoute(mail, name: rpName).transport()
            return nil
        } catch {
            return error.description
        }
    }
}
