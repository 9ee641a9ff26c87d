/// The name of a file that Ward writes: the numbers of its first and its last entry, such as
/// `00000000000000000001-00000000000000000017.seg`.
///
/// A reader takes every name that ends in `.seg`. Only the device that wrote the file uses the numbers, to find what it
/// can merge.
struct SegmentFileName: Hashable, Sendable, Comparable {
    let first: UInt64
    let last: UInt64

    static let ending = ".seg"
    private static let digits = 20
    /// The length of every name, in bytes.
    static let length = 2 * digits + 1 + ending.utf8.count

    init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    /// Reads a name, or returns `nil` if it does not have exactly this form.
    init?(_ name: [UInt8]) {
        guard name.count == Self.length, name[Self.digits] == UInt8(ascii: "-"),
            name.suffix(Self.ending.utf8.count).elementsEqual(Self.ending.utf8),
            let first = Self.number(name.prefix(Self.digits)),
            let last = Self.number(name.dropFirst(Self.digits + 1).prefix(Self.digits)), first <= last
        else { return nil }
        self.first = first
        self.last = last
    }

    var text: String { "\(Self.padded(first))-\(Self.padded(last))\(Self.ending)" }

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.first, lhs.last) < (rhs.first, rhs.last) }

    private static func padded(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The value of decimal digits; `nil` for other characters, and for numbers that do not fit.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}
