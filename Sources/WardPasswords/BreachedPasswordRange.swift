internal import WardText

/// A service that lists the hashes of passwords from data breaches by their first five digits: the range query of Pwned
/// Passwords.
///
/// The other service learns only these 20 bits of the hash. It does not learn whether the password is in its list.
package struct BreachedPasswordRange: Sendable {
    /// The address of the public service.
    package static let standard = "https://api.pwnedpasswords.com/range/"
    /// The maximum size of an answer, in bytes.
    package static let maximumSize = 512 << 10

    /// The address before the digits, with a slash at its end.
    package let address: String

    /// - Parameter address: The address before the digits, such as ``standard``.
    /// - Throws: ``BreachedPasswordError`` unless the address is an https address without query.
    package init(_ address: String) throws(BreachedPasswordError) {
        guard address.hasPrefix("https://"), !Self.host(address).isEmpty,
            address.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), !address.contains("?"), !address.contains("#")
        else { throw BreachedPasswordError(.address) }
        self.address = address.hasSuffix("/") ? address : address + "/"
    }

    /// The host of the service.
    package var host: String { String(Self.host(address)) }

    /// The address of the list with the hashes that begin with these digits.
    package func address(of prefix: String) -> String { address + prefix }

    private static func host(_ address: String) -> Substring {
        address.dropFirst("https://".count).prefix { $0 != "/" }
    }

    /// How often passwords were seen in data breaches; 0 if they were not.
    ///
    /// Lines with a count of zero only make the answer longer.
    ///
    /// - Parameters:
    ///   - hashes: Hashes whose first digits were sent.
    ///   - list: The answer: lines with the rest of a hash, a colon and a count.
    /// - Returns: The count of each hash, in the order of the hashes.
    /// - Throws: ``BreachedPasswordError`` if the answer is not a list of hashes.
    package static func counts(
        of hashes: [BreachedPasswordHash],
        in list: [UInt8]
    ) throws(BreachedPasswordError) -> [Int] {
        let wanted = hashes.map { Array($0.text.utf8.dropFirst(BreachedPasswordHash.sentDigits)) }
        var (counts, lines) = (hashes.map { _ in 0 }, 0)
        for line in list.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            lines += 1
            let digits = line.prefix(BreachedPasswordHash.listedDigits)
            let rest = line.dropFirst(BreachedPasswordHash.listedDigits)
            let number = rest.dropFirst()
            guard digits.count == BreachedPasswordHash.listedDigits, digits.allSatisfy({ Hex.value($0) != nil }),
                rest.first == UInt8(ascii: ":"), number.allSatisfy({ (0x30...0x39).contains($0) }),
                let count = UInt64(String(decoding: number, as: UTF8.self))
            else { throw BreachedPasswordError(.answer) }
            guard count > 0 else { continue }
            let upper = digits.map { (0x61...0x66).contains($0) ? $0 - 0x20 : $0 }
            for index in wanted.indices where wanted[index] == upper { counts[index] = Int(clamping: count) }
        }
        guard lines > 0 else { throw BreachedPasswordError(.answer) }
        return counts
    }
}
