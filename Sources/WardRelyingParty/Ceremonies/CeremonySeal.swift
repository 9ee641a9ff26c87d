internal import Crypto
internal import WardText
public import WardWebAuthn

/// Gives ceremonies to the page to keep, so that a request of a stranger writes nothing.
///
/// The page gets the whole ceremony with an authentication code of the service, and sends both back with the answer. A changed
/// ceremony is not accepted, so a client still cannot lower a requirement. Nothing in the ceremony of a sign-in without a name
/// is secret: the page knows its challenge.
///
/// The service must make sure itself that a ceremony is answered only once: it stores ``use(of:)`` in the transaction that the
/// answer is verified in, until the ceremony has expired, and refuses an answer whose value is stored already.
public struct CeremonySeal: Sendable {
    /// The length of the secret, in bytes.
    public static let secretLength = 32
    /// The longest text that is read, in bytes of UTF-8.
    private static let mostText = 2_048

    private let secret: SymmetricKey

    /// - Parameter secret: ``secretLength`` random bytes that only the service knows; `nil` is returned for another length. With
    ///   another secret, all ceremonies that have begun become invalid.
    public init?(secret: [UInt8]) {
        guard secret.count == Self.secretLength else { return nil }
        self.secret = SymmetricKey(data: secret)
    }

    /// The text for the page: base64url.
    public func seal(_ ceremony: Ceremony) -> String {
        let bytes = ceremony.encoded
        return Base64URL.encode(bytes + HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
    }

    /// Reads a text of ``seal(_:)``, or returns `nil` if this service did not make it.
    ///
    /// The time is not checked: verification does it.
    public func open(_ text: String) -> Ceremony? {
        guard text.utf8.count <= Self.mostText, let bytes = Base64URL.decode(text), bytes.count > SHA256.byteCount
        else { return nil }
        let (ceremony, code) = (Array(bytes.dropLast(SHA256.byteCount)), bytes.suffix(SHA256.byteCount))
        guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: ceremony, using: secret) else { return nil }
        return try? Ceremony(encoded: ceremony)
    }

    /// The bytes that stand for the use of a ceremony: no two ceremonies have the same.
    ///
    /// They begin with the time at which the ceremony expires, so that a database stores those of the same time side by side.
    public static func use(of ceremony: Ceremony) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: ceremony.expiresAt >> (56 - 8 * $0)) } + ceremony.id.bytes
    }
}
