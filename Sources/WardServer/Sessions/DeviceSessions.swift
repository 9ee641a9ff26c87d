import Crypto
import Hummingbird
import WardAccounts
import WardText

/// The challenges for browsers that bind a session to their device, and the cookies that show that they did.
///
/// A cookie is short-lived: it opens the session for some minutes, together with the session's own cookie. Challenges and cookies have
/// codes under a secret of the service, so the service stores neither. A challenge is for one session and one number of proofs, so it
/// can be answered only once.
struct DeviceSessions: Sendable {
    /// The length of the secret, in bytes.
    static let secretLength = 32
    /// How long a browser may take to answer a challenge, in seconds.
    static let patience: Int64 = 60
    /// How long requests of a browser count that left before the browser had the first cookie, or a newer one, in seconds.
    ///
    /// The browser drops the cookie this much earlier than the service.
    private static let longestGrace: Int64 = 10
    private static let nonceLength = 8
    private static let timeLength = 8
    private static let codeLength = SHA256.byteCount

    /// What a code is for, so that none can be used as another.
    private enum Purpose: String { case challenge, cookie }

    /// The cookie's name.
    let cookieName: String
    /// Whether browsers are asked to bind new sessions.
    ///
    /// Sessions that are bound stay bound.
    let isOffered: Bool
    private let secret: SymmetricKey
    private let lifetime: Int64
    private let sessionAttributes: String

    /// - Parameters:
    ///   - session: The session cookie: both have the same attributes.
    ///   - isOffered: Whether browsers are asked to bind new sessions.
    ///   - lifetime: How long a cookie counts, in seconds.
    ///   - secret: The secret of the service.
    init(beside session: SessionCookie, isOffered: Bool, lifetime: Int64, secret: [UInt8]) {
        cookieName = "\(session.name)-bound"
        sessionAttributes = session.attributes
        self.isOffered = isOffered
        self.lifetime = lifetime
        self.secret = SymmetricKey(data: secret)
    }

    private var grace: Int64 { min(Self.longestGrace, lifetime / 4) }

    /// The cookie's attributes, as the browser is told to expect them.
    var attributes: String { String(sessionAttributes.dropFirst(2)) }

    /// Checks the lifetime of the cookie.
    ///
    /// - Throws: ``ServerConfigurationError`` if it is too short or too long.
    static func check(lifetime: Duration) throws(ServerConfigurationError) {
        guard (.seconds(2)...Duration.seconds(3_600)).contains(lifetime) else {
            throw ServerConfigurationError(
                "the proof of a session's device can count 2s to 1h, not \(lifetime.components.seconds) seconds"
            )
        }
    }

    // MARK: Challenges

    /// A challenge for a session.
    ///
    /// - Parameters:
    ///   - session: The session's ID.
    ///   - proofs: The number of proofs until now; `nil` to register a key.
    ///   - now: Seconds since 1970.
    /// - Returns: The challenge.
    func challenge(for session: SessionID, after proofs: Int64?, at now: Int64) -> String {
        let time = Self.bytes(now)
        return Base64URL.encode(time + code(.challenge, session, Self.bytes(proofs ?? -1) + time))
    }

    /// Whether a challenge is one for this session and number of proofs, and may still be answered.
    func isCurrent(_ challenge: String, for session: SessionID, after proofs: Int64?, at now: Int64) -> Bool {
        guard let bytes = Base64URL.decode(challenge), bytes.count == Self.timeLength + Self.codeLength else {
            return false
        }
        let time = Array(bytes.prefix(Self.timeLength))
        // A challenge from the future does not count: the clock was wrong then, or is wrong now.
        guard let made = Self.number(time), made <= now, now - Self.patience < made else { return false }
        let expected = code(.challenge, session, Self.bytes(proofs ?? -1) + time)
        return isEqualInConstantTime(Array(bytes.suffix(Self.codeLength)), expected)
    }

    // MARK: Cookies

    /// The `Set-Cookie` value after a proof.
    ///
    /// - Parameters:
    ///   - session: The session's ID.
    ///   - now: Seconds since 1970.
    ///   - randomBytes: Makes each value different, because browsers take the same value for no answer.
    /// - Returns: The value.
    func setting(
        for session: SessionID,
        at now: Int64,
        _ randomBytes: (_ count: Int) -> [UInt8]
    ) -> String {
        let content = Self.bytes(now + lifetime) + randomBytes(Self.nonceLength)
        let value = Base64URL.encode(content + code(.cookie, session, content))
        return "\(cookieName)=\(value); Max-Age=\(lifetime - grace)\(sessionAttributes)"
    }

    /// The `Set-Cookie` value that deletes the cookie.
    var clearing: String { "\(cookieName)=; Max-Age=0\(sessionAttributes)" }

    /// The name of the cookie that says that the browser had its chance to prove that it has the key.
    var renewalName: String { "\(cookieName)-renewal" }

    /// The `Set-Cookie` value that says so, for ten seconds.
    var renewing: String { "\(renewalName)=1; Max-Age=10\(sessionAttributes)" }

    /// Whether a cookie's value shows a proof for this session that still counts.
    func isCurrent(cookie value: String, for session: SessionID, at now: Int64) -> Bool {
        let length = Self.timeLength + Self.nonceLength
        guard let bytes = Base64URL.decode(value), bytes.count == length + Self.codeLength else { return false }
        let content = Array(bytes.prefix(length))
        // A time that lies too far ahead does not count: the clock was wrong then, or is wrong now.
        guard let end = Self.number(Array(content.prefix(Self.timeLength))), now < end, end <= now + lifetime else {
            return false
        }
        return isEqualInConstantTime(Array(bytes.suffix(Self.codeLength)), code(.cookie, session, content))
    }

    /// Whether a session opens for the value of a cookie.
    ///
    /// A session that is not bound opens without one. A session that was bound a moment ago does too, because the browser may have
    /// sent requests before it had the cookie.
    func opens(_ session: Session, with cookie: String?, at now: Int64) -> Bool {
        guard let binding = session.binding else { return true }
        if binding.boundAt <= now, now - binding.boundAt < grace { return true }
        return cookie.map { isCurrent(cookie: $0, for: session.id, at: now) } ?? false
    }

    // MARK: Codes

    /// The parts before the content have a fixed length, or end in a byte that the purpose has not.
    private func code(_ purpose: Purpose, _ session: SessionID, _ content: [UInt8]) -> [UInt8] {
        let message = Array(purpose.rawValue.utf8) + [0] + session.bytes + content
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: secret))
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<timeLength).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// A time that is not negative.
    private static func number(_ bytes: [UInt8]) -> Int64? {
        let number = bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        // So that differences do not overflow.
        return (0..<(.max >> 1)).contains(number) ? number : nil
    }
}
