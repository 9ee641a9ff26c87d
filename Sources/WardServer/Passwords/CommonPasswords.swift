import CZxcvbn

/// Passwords that people guess first.
///
/// NIST SP 800-63B, §5.1.1.2, asks for a comparison with those "known to be commonly used, expected, or compromised", the
/// service's and the person's own names among them. zxcvbn knows the lists, and sees through what people do to
/// their entries: capitals, digits at the end, other signs, repeats, rows of the keyboard, dates.
package enum CommonPasswords {
    /// Fewer bits than this are within a day's guesses at an online service, throttled or not.
    static let weakest = 24.0

    /// Whether somebody who knows people and this account would soon try it.
    ///
    /// The estimate takes time in proportion to the square of the length, so it is made from the first 128 characters.
    ///
    /// - Parameters:
    ///   - password: The password, prepared.
    ///   - words: Names that a guesser of this very account would begin with.
    /// - Returns: Whether it is one of them.
    package static func contains(_ password: String, beside words: [String]) -> Bool {
        let words = words.map { $0.lowercased() }.filter { $0.utf8.count >= 3 && !$0.utf8.contains(0) }
        return unsafe estimate(String(password.prefix(128)), words[...], []) < weakest
    }

    /// Lends each word's bytes to the library for as long as it looks at them.
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
