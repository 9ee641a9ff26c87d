internal import WardCBOR

/// A protocol with which client and authenticator agree on a key and use it.
///
/// Unknown numbers are kept. CTAP 2.3, sections 6.5.6 and 6.5.7.
public struct PINUVAuthProtocol: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: Int
    /// Takes a number that is not negative.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// AES-256-CBC with a zero initialization vector, HMAC-SHA-256 truncated to 16 bytes, one key for both.
    public static let one = Self(rawValue: 1)
    /// AES-256-CBC with a random initialization vector, HMAC-SHA-256, separate keys.
    public static let two = Self(rawValue: 2)

    /// The number.
    public var description: String { "PIN/UV auth protocol \(rawValue)" }

    init(_ value: CBORValue) throws(CTAPStatus) { rawValue = try value.asCount() }

    var value: CBORValue { .integer(Int64(rawValue)) }
}
