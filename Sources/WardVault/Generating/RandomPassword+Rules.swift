internal import Foundation

/// A generated password, and how hard it is to guess.
package struct GeneratedPassword: Sendable {
    /// The password.
    package let text: String
    /// A lower limit of the number of equally likely passwords, as a power of two.
    package let bits: Double
}

/// No password keeps the rules.
package struct ContradictoryRules: Error, Hashable, Sendable, CustomStringConvertible {
    /// What contradicts what, as a sentence.
    package let description: String
}

extension RandomPassword {
    /// The length if the rules permit it.
    package static let usualLength = 20
    /// The largest length that is generated.
    package static let maximumLength = 128

    /// Generates a password that keeps a site's rules.
    ///
    /// If the rules permit it and no length is given, the password is a ``ReadablePassword``. Otherwise its characters are
    /// random. It has characters that look alike, and the space, only if the rules leave no others.
    ///
    /// - Parameters:
    ///   - rules: The site's rules.
    ///   - length: The number of characters; `nil` for the usual length, or for the nearest one that the rules permit.
    /// - Returns: The password.
    /// - Throws: If no password keeps the rules.
    package static func make(
        _ rules: PasswordRules,
        length: Int? = nil
    ) throws(ContradictoryRules) -> GeneratedPassword {
        let count = try Self.length(rules, length)
        if length == nil, count == ReadablePassword.length, ReadablePassword.mayFit(rules) {
            // Only a character that stands twice in a row can be against the rules now, in one password of seven.
            for _ in 0..<8 {
                let password = ReadablePassword.make()
                if rules.accept(password) { return GeneratedPassword(text: password, bits: ReadablePassword.bits - 1) }
            }
        }
        let besides = PasswordCharacters.lookAlikes.union(PasswordCharacters(" "))
        let required = rules.required.map { $0.subtractingIfPossible(besides) }
        let allowed = rules.allowed.subtractingIfPossible(besides)
        let most = rules.maximumConsecutive ?? count
        guard allowed.count > 1 || most >= count else {
            throw ContradictoryRules(
                description: "The rules permit only one character, and not \(count) times in a row."
            )
        }
        for _ in 0..<1_000 {
            guard let text = drawn(count, required, allowed, most), rules.accept(text) else { continue }
            return GeneratedPassword(text: text, bits: Double(count - required.count) * .log2(of: allowed.count))
        }
        throw ContradictoryRules(description: "No password of \(count) characters keeps these rules.")
    }

    private static func length(_ rules: PasswordRules, _ wanted: Int?) throws(ContradictoryRules) -> Int {
        let largest = min(rules.maximumLength ?? maximumLength, maximumLength)
        let smallest = max(rules.minimumLength, rules.required.count, 1)
        guard smallest <= largest else {
            throw ContradictoryRules(
                description: rules.minimumLength > maximumLength
                    ? "The rules want \(rules.minimumLength) characters. Ward generates at most \(maximumLength)."
                    : "The rules want at least \(smallest) and at most \(largest) characters."
            )
        }
        guard let wanted else { return min(max(usualLength, smallest), largest) }
        guard (smallest...largest).contains(wanted) else {
            throw ContradictoryRules(
                description: "The rules permit \(smallest) to \(largest) characters, not \(wanted)."
            )
        }
        return wanted
    }

    /// One try: each required set gets a place, and all other places get any character.
    ///
    /// - Returns: `nil` if a character would stand too often in a row.
    private static func drawn(
        _ length: Int,
        _ required: [PasswordCharacters],
        _ allowed: PasswordCharacters,
        _ most: Int
    ) -> String? {
        var generator = SystemRandomNumberGenerator()
        // Listed once, because a set must be counted for each draw otherwise.
        let any = allowed.all
        var sets = required.map(\.all) + Array(repeating: any, count: length - required.count)
        sets.shuffle(using: &generator)
        var password: [UInt8] = []
        for var choices in sets {
            if password.count >= most, let last = password.last, password.suffix(most).allSatisfy({ $0 == last }) {
                choices.removeAll { $0 == last }
            }
            guard let next = choices.randomElement(using: &generator) else { return nil }
            password.append(next)
        }
        return String(decoding: password, as: UTF8.self)
    }
}

extension Double {
    /// The logarithm of a count to the base 2.
    static func log2(of count: Int) -> Double { Foundation.log2(Double(count)) }
}
