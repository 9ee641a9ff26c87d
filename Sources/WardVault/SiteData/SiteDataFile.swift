/// Why a file with data of sites cannot be used.
package struct SiteDataFault: Error, CustomStringConvertible {
    /// A sentence without its end.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A file with public data of sites.
package enum SiteDataFile: String, CaseIterable, Sendable {
    /// The rules for passwords of sites.
    case passwordRules = "password-rules.json"
    /// Groups of domains that share their accounts.
    case sharedCredentials = "shared-credentials.json"
    /// The pages where people change their passwords.
    case changePasswordAddresses = "change-password-URLs.json"
    /// Sites where the code follows the password in the same field.
    case appendedCodes = "websites-that-append-2fa-to-password.json"
    /// Sites that support passkeys.
    case passkeySites = "sites-with-passkeys.json"
    /// Sites that support verification codes (RFC 6238).
    case codeSites = "sites-with-codes.json"

    /// Who makes and publishes files.
    package enum Publisher: CaseIterable, Sendable {
        /// [password-manager-resources](https://github.com/apple/password-manager-resources)
        case passwordManagerResources
        /// [Passkeys Directory](https://passkeys.2fa.directory), version 1 of its API. The data has the license CC BY 4.0.
        case passkeysDirectory
        /// [2FA Directory](https://2fa.directory), version 3 of its API
        case codesDirectory

        /// The files.
        package var files: [SiteDataFile] { SiteDataFile.allCases.filter { $0.publisher == self } }
    }

    /// Who makes and publishes the file.
    package var publisher: Publisher {
        switch self {
        case .passwordRules, .sharedCredentials, .changePasswordAddresses, .appendedCodes: .passwordManagerResources
        case .passkeySites: .passkeysDirectory
        case .codeSites: .codesDirectory
        }
    }

    /// Where the publisher has the file.
    package var address: String {
        switch self {
        case .passkeySites: "https://api.passkeys.2fa.directory/v1/supported.json"
        case .codeSites: "https://api.2fa.directory/v3/totp.json"
        default: "https://raw.githubusercontent.com/apple/password-manager-resources/main/quirks/" + rawValue
        }
    }

    /// The maximum size of a file, in bytes.
    package static let maximumSize = 4 << 20
}
