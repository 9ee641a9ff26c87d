/// Why a file with data of sites cannot be used.
package struct SiteDataFault: Error, CustomStringConvertible {
    /// A sentence without its end.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A file with public data of sites.
///
/// The files are those of [password-manager-resources](https://github.com/apple/password-manager-resources).
package enum SiteDataFile: String, CaseIterable, Sendable {
    /// The rules for passwords of sites.
    case passwordRules = "password-rules.json"
    /// Groups of domains that share their accounts.
    case sharedCredentials = "shared-credentials.json"
    /// The pages where people change their passwords.
    case changePasswordAddresses = "change-password-URLs.json"
    /// Sites where the code follows the password in the same field.
    case appendedCodes = "websites-that-append-2fa-to-password.json"

    /// The maximum size of a file, in bytes.
    package static let maximumSize = 4 << 20
}
