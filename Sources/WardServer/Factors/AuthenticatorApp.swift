import Crypto
import WardAccounts
import WardText

/// An app that shows verification codes: time-based one-time passwords of RFC 6238 with SHA-1, six digits and 30 seconds, which
/// every such app can do.
package struct AuthenticatorApp: Sendable {
    /// The length of a secret, in bytes: as long as a code of HMAC-SHA-1 (RFC 4226, section 4, R6).
    static let secretLength = 20
    /// The lifetime of a code, in seconds.
    static let period: Int64 = 30
    /// The number of digits of a code.
    static let digits = 6
    /// How many steps before and after the current one are accepted: the clock of a phone can be wrong, and people type slowly.
    private static let tolerance: Int64 = 1

    let record: FactorRecord

    /// Makes a record with a new secret, which counts for nothing until a code was typed.
    static func new(of account: AccountID, at now: Int64, randomBytes: (_ count: Int) -> [UInt8]) -> FactorRecord {
        FactorRecord(
            accountID: account,
            kind: .authenticatorApp,
            key: randomBytes(16),
            payload: randomBytes(secretLength),
            createdAt: now
        )
    }

    /// The record after a right code, or `nil` for a wrong one or one that was used before.
    ///
    /// Each code counts once, and none before one that was used (RFC 6238, section 5.2).
    ///
    /// - Parameters:
    ///   - typed: What the person typed; spaces between the digits do not matter.
    ///   - now: Seconds since 1970.
    /// - Returns: The record to store.
    func accepting(_ typed: String, at now: Int64) -> FactorRecord? {
        guard let code = TypedCode.digits(typed, count: Self.digits), now >= 0 else { return nil }
        let current = now / Self.period
        var accepted: Int64?
        // All steps are compared, so that the time does not tell which one was near.
        for step in max(0, current - Self.tolerance)...(current + Self.tolerance) {
            let fits = isEqualInConstantTime(Array(Self.code(of: record.payload, step: step).utf8), code)
            if fits, step > record.counter, accepted == nil { accepted = step }
        }
        guard let accepted else { return nil }
        var record = record
        record.counter = accepted
        record.lastUsedAt = now
        record.confirmedAt = record.confirmedAt ?? now
        return record
    }

    /// The code of a time step: RFC 4226, section 5.3.
    package static func code(of secret: [UInt8], step: Int64) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
        // The low four bits of the last byte are the offset: at most 15, and the code has 20 bytes.
        let start = Int((mac.last ?? 0) & 0x0f)
        let number = mac.dropFirst(start).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The link that an app takes, also as a QR code.
    ///
    /// It contains the secret. The form is Google's
    /// [Key URI Format](https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
    ///
    /// - Parameters:
    ///   - username: The account's name.
    ///   - service: The service's name.
    /// - Returns: An `otpauth://` link with all parameters.
    func link(for username: String, at service: String) -> String {
        let (issuer, account) = (Self.escaped(service), Self.escaped(username))
        return "otpauth://totp/\(issuer):\(account)?secret=\(Base32.encode(record.payload))&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(Self.digits)&period=\(Self.period)"
    }

    /// Percent-encoded, all but the unreserved characters of RFC 3986.
    private static func escaped(_ text: String) -> String {
        let unreserved = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        return text.utf8.reduce(into: "") { result, byte in
            if unreserved.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + Hex.encode([byte]).uppercased()
            }
        }
    }
}
