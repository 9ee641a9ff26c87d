import Crypto
import WardDownload
import WardText

/// A service that lists the hashes of passwords from data breaches by their first five digits: the range query of Pwned
/// Passwords.
///
/// The other service learns only these 20 bits of the hash. It does not learn whether the password is in its list.
package struct BreachedPasswordRange: Sendable {
    /// The answer is not a list of hashes.
    struct Malformed: Error {}

    /// The number of digits that are sent, and the number of digits in each line.
    private static let (sent, listed) = (5, 35)

    private let address: String
    private let fetch: @Sendable (_ address: String) async throws -> [UInt8]

    /// - Parameters:
    ///   - address: The address before the digits, such as `https://api.pwnedpasswords.com/range/`.
    ///   - fetch: Downloads the list at an address.
    /// - Throws: ``ServerConfigurationError`` unless the address is an https address without query.
    package init(
        _ address: String,
        fetch: @escaping @Sendable (_ address: String) async throws -> [UInt8] = {
            try await Self.download.document(at: $0)
        }
    ) throws(ServerConfigurationError) {
        let host = address.dropFirst("https://".count).prefix { $0 != "/" }
        guard address.hasPrefix("https://"), !host.isEmpty, address.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            !address.contains("?"), !address.contains("#")
        else {
            throw ServerConfigurationError(
                "this address cannot be used to look up breached passwords: expected an address like "
                    + "https://api.pwnedpasswords.com/range/"
            )
        }
        self.address = address.hasSuffix("/") ? address : address + "/"
        self.fetch = fetch
    }

    /// Whether a password is known from a data breach.
    ///
    /// - Throws: The download's errors, or ``Malformed``.
    package func contains(_ password: [UInt8]) async throws -> Bool {
        let hash = Hex.encode(Insecure.SHA1.hash(data: password), uppercase: true)
        let list = try await fetch(address + hash.prefix(Self.sent))
        return try Self.list(list, names: hash.dropFirst(Self.sent))
    }

    /// Whether one line is `rest:count` with a count above zero.
    ///
    /// Lines with zero only make the answer longer.
    private static func list(_ list: [UInt8], names rest: Substring) throws(Malformed) -> Bool {
        let lines = list.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d })
        guard !lines.isEmpty else { throw Malformed() }
        var isNamed = false
        for line in lines {
            let parts = String(decoding: line, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.count == listed, parts[0].allSatisfy(\.isHexDigit),
                let count = UInt64(parts[1])
            else { throw Malformed() }
            if count > 0, parts[0].uppercased() == rest { isNamed = true }
        }
        return isNamed
    }

    /// A person waits for the answer, so the time limit is short.
    private static let download: BoundedDownload = {
        var download = BoundedDownload(maximumSize: 512 * 1024, timeout: .seconds(3))
        download.accept = "text/plain"
        download.isAccepted = { $0 == "text/plain" }
        // With padding, an eavesdropper cannot conclude from the length of the answer which digits were sent.
        download.headers = ["add-padding": "true", "user-agent": "ward-server"]
        return download
    }()
}
