/// Why a part of password rules has no meaning.
package enum PasswordRulesFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text has more bytes than ``PasswordRules/maximumText``.
    case tooLong
    /// The property is not known.
    case unknownProperty(String)
    /// The property has no value after a colon.
    case noValue(property: String)
    /// The value is no number from 1 to 9999.
    case noNumber(property: String)
    /// The set of characters is not known.
    case unknownCharacters(String)
    /// A set of characters begins with `[` and has no `]`.
    case unclosedCharacters
    /// A set in brackets has no printable ASCII character.
    case emptyCharacters

    /// The fault as a sentence.
    package var description: String {
        switch self {
        case .tooLong: "The rules have more than \(PasswordRules.maximumText) bytes."
        case .unknownProperty(let name):
            "\(name) is not a rule. Rules are minlength, maxlength, max-consecutive, required and allowed."
        case .noValue(let property): "After \(property) a colon and a value are missing."
        case .noNumber(let property): "The value of \(property) must be a number from 1 to 9999."
        case .unknownCharacters(let name):
            "\(name) is not a set of characters. Sets are lower, upper, digit, special, ascii-printable, unicode and [...]."
        case .unclosedCharacters: "A set of characters that begins with [ must end with ]."
        case .emptyCharacters: "A set of characters between [ and ] has no printable ASCII character."
        }
    }
}

extension PasswordRules {
    /// The largest text that is read, in bytes.
    package static let maximumText = 4096

    /// Reads rules as a site wrote them.
    ///
    /// Of several lengths, the strictest counts. What has no meaning is left out: a site's mistake must not keep a person from
    /// a password.
    ///
    /// - Parameter text: The value of the attribute.
    /// - Returns: The rules, and what was left out, in the order of the text.
    package static func reading(_ text: String) -> (rules: PasswordRules, faults: [PasswordRulesFault]) {
        guard text.utf8.count <= maximumText else { return (PasswordRules(), [.tooLong]) }
        var parser = PasswordRulesParser(text)
        parser.parse()
        return (parser.rules, parser.faults)
    }

    /// Reads rules that a person wrote.
    ///
    /// - Throws: The first part that has no meaning.
    package init(_ text: String) throws(PasswordRulesFault) {
        let (rules, faults) = Self.reading(text)
        if let first = faults.first { throw first }
        self = rules
    }
}

/// Reads `property: value, value; property: value`.
private struct PasswordRulesParser {
    private(set) var rules = PasswordRules()
    private(set) var faults: [PasswordRulesFault] = []
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func parse() {
        while true {
            skip { $0.isSpace || $0 == UInt8(ascii: ";") }
            guard !rest.isEmpty else { return }
            do {
                try property()
            } catch {
                faults.append(error)
                skip { $0 != UInt8(ascii: ";") }
            }
        }
    }

    private mutating func property() throws(PasswordRulesFault) {
        let name = word { !$0.isSpace && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }.lowercased()
        skip { $0.isSpace }
        let isKnown = ["minlength", "maxlength", "max-consecutive", "required", "allowed"].contains(name)
        guard isKnown else { throw .unknownProperty(name) }
        guard rest.first == UInt8(ascii: ":") else { throw .noValue(property: name) }
        rest = rest.dropFirst()
        switch name {
        case "minlength": rules.minimumLength = max(rules.minimumLength, try number(name))
        case "maxlength": rules.maximumLength = min(rules.maximumLength ?? .max, try number(name))
        case "max-consecutive": rules.maximumConsecutive = min(rules.maximumConsecutive ?? .max, try number(name))
        case "required":
            let set = try sets(name)
            if !rules.required.contains(set) { rules.required.append(set) }
        default: rules.allowedBesides = (rules.allowedBesides ?? .none).union(try sets(name))
        }
    }

    private mutating func number(_ property: String) throws(PasswordRulesFault) -> Int {
        skip { $0.isSpace }
        let digits = word { !$0.isSpace && $0 != UInt8(ascii: ";") }
        guard isAtEnd(), (1...4).contains(digits.utf8.count), let value = Int(digits), value > 0 else {
            throw .noNumber(property: property)
        }
        return value
    }

    /// Sets of characters with commas between them.
    ///
    /// If one of them has no meaning, it is left out, and the others stay.
    private mutating func sets(_ property: String) throws(PasswordRulesFault) -> PasswordCharacters {
        var (all, isEmpty) = (PasswordCharacters.none, true)
        repeat {
            skip { $0.isSpace }
            do {
                all = all.union(try set(property))
                isEmpty = false
            } catch .unknownCharacters(let name) {
                faults.append(.unknownCharacters(name))
            }
            skip { $0.isSpace }
        } while take(UInt8(ascii: ","))
        guard isAtEnd() else { throw .unknownCharacters(word { $0 != UInt8(ascii: ";") }) }
        // The fault stands in the list already.
        guard !isEmpty else { throw faults.popLast() ?? .noValue(property: property) }
        return all
    }

    private mutating func set(_ property: String) throws(PasswordRulesFault) -> PasswordCharacters {
        if take(UInt8(ascii: "[")) { return try bracketed() }
        let name = word { !$0.isSpace && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
        switch name.lowercased() {
        case "": throw .noValue(property: property)
        case "lower": return .lower
        case "upper": return .upper
        case "digit": return .digit
        case "special": return .special
        // Of all Unicode characters, a password is drawn only from those that every keyboard has.
        case "ascii-printable", "unicode": return .asciiPrintable
        default: throw .unknownCharacters(name)
        }
    }

    /// The characters up to `]`.
    ///
    /// `]` itself is a member if it is the last one: `[ab]]`. `-` is a member if it is the first one.
    private mutating func bracketed() throws(PasswordRulesFault) -> PasswordCharacters {
        var text = word { $0 != UInt8(ascii: "]") }
        guard take(UInt8(ascii: "]")) else { throw .unclosedCharacters }
        let hyphen = text.hasPrefix("-") ? "-" : ""
        text = hyphen + text.filter { $0 != "-" }
        if take(UInt8(ascii: "]")) { text += "]" }
        let set = PasswordCharacters(text)
        guard !set.isEmpty else { throw .emptyCharacters }
        return set
    }

    // MARK: Bytes

    /// Whether the value ends here.
    private mutating func isAtEnd() -> Bool {
        skip { $0.isSpace }
        return rest.isEmpty || rest.first == UInt8(ascii: ";")
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func word(_ isMember: (UInt8) -> Bool) -> String {
        let word = rest.prefix(while: isMember)
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
