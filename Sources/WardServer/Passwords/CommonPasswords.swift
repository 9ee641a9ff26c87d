import CZxcvbn

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
    /// The estimate takes time proportional to the square of the length, so only the first 128 characters count.
    ///
    /// - Parameters:
    ///   - password: The password, after preparation.
    ///   - words: Names that an attacker on this account would try first.
    /// - Returns: Whether the password is common.
    package static func contains(_ password: String, beside words: [String]) -> Bool {
        let words = words.map { $0.lowercased() }.filter { $0.utf8.count >= 3 && !$0.utf8.contains(0) }
        return unsafe estimate(String(password.prefix(128)), words[...], []) < weakest
    }

    /// Passes the bytes of each word to the library.
    ///
    /// They are valid only during the call.
    private static func estimate(
        _ password: String,
        _ words: ArraySlice<String>,
        _ pointers: [UnsafePointer<CChar>?]
    ) -> Double {
        if let word = words.first {
            return unsafe word.withCString { pointer in
                unsafe estimate(password, words.dropFirst(), pointers + [pointer])
            }
        }
        var list = unsafe pointers + [nil]
        return unsafe ZxcvbnMatch(password, &list, nil)
    }
}
