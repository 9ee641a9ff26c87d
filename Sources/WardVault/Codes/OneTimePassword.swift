internal import Crypto

/// The secret of verification codes: time-based, counter-based, or Steam's.
///
/// Counter-based: RFC 4226. Time-based: RFC 6238.
public struct OneTimePassword: Hashable, Sendable {
    /// The kind of codes.
    public enum Kind: Hashable, Sendable {
        /// Codes by time. Each code is valid for the period in seconds, which is at least one.
        case totp(period: Int)
        /// Codes by counter. The value is the number of the next code.
        ///
        /// Each code is used once.
        case hotp(counter: UInt64)
        /// Steam's codes: by time, in steps of 30 seconds, with five letters and digits.
        case steam
    }

    /// The hash function of the codes.
    public enum Algorithm: Int, Hashable, Sendable, CaseIterable {
        /// SHA-1, which nearly every site uses.
        case sha1 = 1
        /// SHA-256.
        case sha256 = 2
        /// SHA-512.
        case sha512 = 3

        /// The name in `otpauth` links.
        public var name: String {
            switch self {
            case .sha1: "SHA1"
            case .sha256: "SHA256"
            case .sha512: "SHA512"
            }
        }
    }

    /// The kind of codes.
    public internal(set) var kind: Kind
    /// The shared secret, at least one byte.
    public let secret: SecretBytes
    /// The hash function; always SHA-1 for Steam.
    public let algorithm: Algorithm
    /// The number of characters of a code: 6 to 8, for Steam 5.
    public let digits: Int
    /// The issuer of the secret; empty if unknown.
    public var issuer: String
    /// The account of the secret; empty if unknown.
    public var account: String
    /// Unknown fields of a later version.
    var unknown = UnknownFields()

    /// Creates a secret and checks its values.
    ///
    /// - Throws: ``OneTimePasswordError`` with `secret`, `digits` or `period`.
    public init(
        _ kind: Kind = .totp(period: 30),
        secret: [UInt8],
        algorithm: Algorithm = .sha1,
        digits: Int = 6,
        issuer: String = "",
        account: String = ""
    ) throws(OneTimePasswordError) {
        guard !secret.isEmpty, secret.count <= Self.maximumSecretLength else {
            throw OneTimePasswordError(.secret, "a secret must have 1 to \(Self.maximumSecretLength) bytes")
        }
        if case .totp(let period) = kind, !(1...Self.maximumPeriod).contains(period) {
            throw OneTimePasswordError(.period, "a period must be 1 to \(Self.maximumPeriod) seconds")
        }
        let isSteam = kind == .steam
        guard isSteam || (6...8).contains(digits) else {
            throw OneTimePasswordError(.digits, "a code must have 6 to 8 digits")
        }
        self.kind = kind
        self.secret = SecretBytes(secret)
        self.algorithm = isSteam ? .sha1 : algorithm
        self.digits = isSteam ? 5 : digits
        self.issuer = issuer
        self.account = account
    }

    static let maximumSecretLength = 1024
    static let maximumPeriod = 1 << 31
}

extension OneTimePassword {
    /// A code and its remaining lifetime.
    public struct Code: Hashable, Sendable {
        /// The characters to type.
        public let text: String
        /// The remaining seconds of the code; `nil` if it is counter-based.
        public let secondsLeft: Int?
        /// The lifetime of each code in seconds; `nil` if it is counter-based.
        public let period: Int?
    }

    /// The period: 30 seconds for Steam, `nil` if the code is counter-based.
    public var period: Int? {
        switch kind {
        case .totp(let period): period
        case .hotp: nil
        case .steam: 30
        }
    }

    /// The code at a time.
    ///
    /// For a counter-based secret it is the next code. This call does not use it up.
    ///
    /// - Parameter time: Seconds since 1970; earlier times count as 1970.
    /// - Returns: The code and its lifetime.
    public func code(at time: Int64) -> Code {
        guard let period else {
            guard case .hotp(let counter) = kind else { return Code(text: "", secondsLeft: nil, period: nil) }
            return Code(text: text(counter: counter), secondsLeft: nil, period: nil)
        }
        let now = UInt64(max(0, time))
        let step = UInt64(max(1, period))
        return Code(text: text(counter: now / step), secondsLeft: Int(step - now % step), period: Int(step))
    }

    /// The code for a counter value.
    ///
    /// RFC 4226, section 5.3.
    func text(counter: UInt64) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
        let key = SymmetricKey(data: secret.revealed)
        let mac: [UInt8] =
            switch algorithm {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        // The low four bits of the last byte are the offset: at most 15, and the shortest MAC has 20 bytes.
        let start = Int((mac.last ?? 0) & 0x0f)
        var number: UInt32 = 0
        for byte in mac.dropFirst(start).prefix(4) { number = number << 8 | UInt32(byte) }
        return kind == .steam ? Self.steamText(number & 0x7fff_ffff) : decimalText(number & 0x7fff_ffff)
    }

    private func decimalText(_ number: UInt32) -> String {
        let text = String(number)
        return text.count >= digits
            ? String(text.suffix(digits)) : String(repeating: "0", count: digits - text.count) + text
    }

    private static func steamText(_ number: UInt32) -> String {
        let alphabet = Array("23456789BCDFGHJKMNPQRTVWXY".unicodeScalars)
        var rest = Int(number)
        var text = ""
        for _ in 0..<5 {
            text.unicodeScalars.append(alphabet[rest % alphabet.count])
            rest /= alphabet.count
        }
        return text
    }
}
