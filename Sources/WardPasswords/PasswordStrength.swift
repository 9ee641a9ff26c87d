internal import CZxcvbn

/// The strength of a password, estimated by zxcvbn.
///
/// The library recognizes common passwords, words, names, dates, keyboard rows and repeats, with the usual changes: capitals,
/// digits at the end, replaced characters.
package struct PasswordStrength: Sendable {
    /// The logarithm of the number of guesses, to the base 2.
    package let bits: Double

    /// Estimates a password.
    ///
    /// The time grows with the square of the length, so only the first 128 characters count.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - words: Words that an attacker on this account would try first, such as the user name. Those with fewer than three
    ///     bytes do not count.
    package init(_ password: String, beside words: [String] = []) {
        let words = words.map { $0.lowercased() }.filter { $0.utf8.count >= 3 && !$0.utf8.contains(0) }
        bits = unsafe Self.estimate(String(password.prefix(128)), words[...], [])
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
