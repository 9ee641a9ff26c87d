internal import Foundation
internal import WardAttestation

/// Writes DER, and what is not quite DER, for certificates that tests make up.
enum DER {
    static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag] + length(contents.count) + contents
    }

    static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        if count < 0x100 { return [0x81, UInt8(count)] }
        return [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
    }

    /// A length in one byte more than it needs.
    static func longElement(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag, 0x83, 0, UInt8(contents.count >> 8), UInt8(contents.count & 0xff)] + contents
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts.flatMap(\.self)) }
    static func sequence(of parts: [[UInt8]]) -> [UInt8] { element(0x30, parts.flatMap(\.self)) }
    static func set(_ parts: [UInt8]...) -> [UInt8] { element(0x31, parts.flatMap(\.self)) }
    static func integer(_ bytes: [UInt8]) -> [UInt8] { element(0x02, bytes) }
    static func integer(_ number: Int) -> [UInt8] { element(0x02, minimal(number)) }
    static func enumerated(_ number: Int) -> [UInt8] { element(0x0a, minimal(number)) }
    static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
    static func bits(_ bytes: [UInt8], unused: UInt8 = 0) -> [UInt8] { element(0x03, [unused] + bytes) }
    static func boolean(_ byte: UInt8) -> [UInt8] { element(0x01, [byte]) }
    static func oid(_ identifier: OID) -> [UInt8] { element(0x06, identifier.bytes) }
    static func utf8(_ text: String) -> [UInt8] { element(0x0c, Array(text.utf8)) }
    static func printable(_ text: String) -> [UInt8] { element(0x13, Array(text.utf8)) }
    static let null: [UInt8] = [0x05, 0x00]

    /// EXPLICIT tagging, with numbers of up to two further bytes.
    static func explicit(_ number: Int, _ contents: [UInt8]) -> [UInt8] {
        if number < 31 { return element(0xa0 | UInt8(number), contents) }
        let high = number < 0x80 ? [UInt8(number)] : [UInt8(number >> 7) | 0x80, UInt8(number & 0x7f)]
        return [0xbf] + high + length(contents.count) + contents
    }

    static func utcTime(_ text: String) -> [UInt8] { element(0x17, Array(text.utf8)) }
    static func generalizedTime(_ text: String) -> [UInt8] { element(0x18, Array(text.utf8)) }

    /// A positive integer from unsigned bytes.
    static func unsigned(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let trimmed = Array(bytes.drop { $0 == 0 })
        return integer(trimmed.first.map { $0 >= 0x80 } ?? true ? [0] + trimmed : trimmed)
    }

    private static func minimal(_ number: Int) -> [UInt8] {
        var bytes = [UInt8(truncatingIfNeeded: number)]
        var rest = number >> 8
        while !(rest == 0 && bytes[0] < 0x80) && !(rest == -1 && bytes[0] >= 0x80) {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return bytes
    }
}
