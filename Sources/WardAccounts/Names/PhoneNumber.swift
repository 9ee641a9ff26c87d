/// A telephone number that text messages can be sent to, in the international form, such as `+49301234567`.
///
/// ITU-T E.164: a plus sign, then at most 15 digits, of which the first is not 0.
public struct PhoneNumber: Hashable, Sendable, CustomStringConvertible {
    /// The numbers of digits that are allowed: no shorter number is a person's.
    public static let digits = 7...15

    /// The number: a plus sign and digits.
    public let text: String
    /// A description with most digits hidden, because logs must not have numbers of people.
    public var description: String { masked }

    /// Reads a number as people write it.
    ///
    /// Spaces, hyphens, dots, slashes and parentheses between the digits are not part of it.
    ///
    /// - Parameter text: The number, with the plus sign and the country's digits.
    /// - Throws: ``PhoneNumberError`` if messages cannot be sent to it.
    public init(_ text: String) throws(PhoneNumberError) {
        guard text.utf8.count <= 64 else { throw .malformed }
        var number: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            case " ", "\u{A0}", "-", "\u{2010}", "\u{2011}", ".", "/", "(", ")": continue
            case "+" where number.isEmpty: number.append(UInt8(ascii: "+"))
            case "0"..."9": number.append(UInt8(scalar.value))
            default: throw .malformed
            }
        }
        guard number.first == UInt8(ascii: "+") else { throw .noCountry }
        // "+49 (0)30 …": the 0 is dialled only inside the country, and nobody can tell whether it is a part here.
        guard Self.digits.contains(number.count - 1), number[1] != UInt8(ascii: "0"), !text.contains("(0)") else {
            throw .malformed
        }
        self.text = String(decoding: number, as: UTF8.self)
    }

    /// The number with all but the country's first digits and the last two hidden: enough for its owner to know it.
    public var masked: String { "\(text.prefix(3))•••\(text.suffix(2))" }
}

/// Why a text is no number that messages can be sent to.
public enum PhoneNumberError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number does not begin with a plus sign.
    case noCountry
    /// The text has other characters, too few digits or too many.
    case malformed

    /// One sentence, without the text.
    public var description: String {
        switch self {
        case .noCountry: "Write the number with a plus sign and the country's digits, such as +49 30 1234567."
        case .malformed: "This is not a telephone number such as +49 30 1234567, without (0)."
        }
    }
}
