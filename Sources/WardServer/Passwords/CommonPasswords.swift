import WardPasswords

/// Detects common passwords.
///
/// NIST SP 800-63B, §5.1.1.2, requires a comparison with passwords "known to be commonly used, expected, or compromised",
/// including the names of the service and the person. The library zxcvbn has such lists and recognises the usual changes:
/// capitals, digits at the end, replaced characters, repeats, keyboard rows, dates.
package enum CommonPasswords {
    /// A password with fewer bits can be guessed within a day at an online service, even with throttling.
    static let weakest = 24.0

    /// Whether an attacker who knows common passwords and this account would soon try the password.
    ///
    /// - Parameters:
    ///   - password: The password, after preparation.
    ///   - words: Names that an attacker on this account would try first.
    /// - Returns: Whether the password is common.
    package static func contains(_ password: String, beside words: [String]) -> Bool {
        PasswordStrength(password, beside: words).bits < weakest
    }
}
