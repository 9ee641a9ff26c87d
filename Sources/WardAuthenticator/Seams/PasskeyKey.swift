public import Crypto
public import WardCOSE
public import WardCTAP
public import WardWebAuthn

/// The key of a passkey, where a ``PasskeyStore`` has it: it signs, and does not give itself out.
public protocol PasskeyKey: Sendable {
    /// The public half, which the relying party gets.
    var publicKey: COSEKey { get }
    /// BE: whether a copy of the key may exist elsewhere, now or later.
    var isBackupEligible: Bool { get }
    /// Whether it computes `hmac-secret`.
    var hasHMACSecret: Bool { get }

    /// Signs a message; for ECDSA in DER, as WebAuthn has it.
    ///
    /// - Throws: ``PasskeyStoreError``.
    func sign(_ message: [UInt8]) async throws(PasskeyStoreError) -> [UInt8]

    /// Computes `hmac-secret`, as ``PasskeyStore/hmacSecret(of:with:for:isVerified:)`` does.
    ///
    /// - Throws: ``PasskeyStoreError``.
    func hmacSecret(of salts: PRFSalts, isVerified: Bool) async throws(PasskeyStoreError) -> PRFSalts?
}

/// The key of a passkey in this process's memory, for stores that encrypt keys and keep them in a file.
///
/// Nothing here prints its secrets.
public struct SoftwarePasskeyKey: PasskeyKey, CustomStringConvertible, CustomReflectable {
    /// The two secrets behind `hmac-secret` and `prf`, which never change: 32 random bytes each.
    ///
    /// CTAP 2.3, section 12.5.
    public struct HMACSecrets: Sendable, CustomStringConvertible, CustomReflectable {
        /// The secret for verified persons; `prf` uses no other.
        public let withVerification: SymmetricKey
        /// The secret for persons who were not verified; `nil` where another manager kept one only.
        public let withoutVerification: SymmetricKey?

        /// Keeps both.
        public init(withVerification: SymmetricKey, withoutVerification: SymmetricKey?) {
            self.withVerification = withVerification
            self.withoutVerification = withoutVerification
        }

        /// Nothing of the secrets.
        public var description: String { "HMACSecrets" }
        /// Nothing of the secrets.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// What signs.
    public let privateKey: COSEPrivateKey
    /// What is behind `hmac-secret` and `prf`; every passkey made here has it.
    public let hmacSecrets: HMACSecrets?

    /// Takes a key that a store kept.
    public init(privateKey: COSEPrivateKey, hmacSecrets: HMACSecrets?) {
        self.privateKey = privateKey
        self.hmacSecrets = hmacSecrets
    }

    /// Draws a key and its secrets.
    ///
    /// - Parameters:
    ///   - algorithm: What it signs with.
    ///   - effects: The randomness of the secrets; the key comes from the cryptographic library.
    /// - Throws: ``PasskeyStoreError`` with `failed` when no keys of this algorithm are made here.
    public init(drawing algorithm: COSEAlgorithmIdentifier, effects: Effects = .live) throws(PasskeyStoreError) {
        do {
            privateKey = try COSEPrivateKey.generate(algorithm)
        } catch {
            throw PasskeyStoreError(.failed, "a key for \(algorithm) cannot be made: \(error.code.name)")
        }
        hmacSecrets = HMACSecrets(
            withVerification: SymmetricKey(data: effects.randomBytes(32)),
            withoutVerification: SymmetricKey(data: effects.randomBytes(32))
        )
    }

    /// What software draws keys for, the preferred algorithm first.
    ///
    /// ES256 and EdDSA work everywhere; an ML-DSA-65 key is made for a site that asks for one first.
    public static let algorithms: [COSEAlgorithmIdentifier] = [.es256, .edDSA, .mlDSA65]

    /// The public half.
    public var publicKey: COSEKey { privateKey.publicKey }
    /// A file can be copied.
    public var isBackupEligible: Bool { true }
    /// Whether it has the secrets.
    public var hasHMACSecret: Bool { hmacSecrets != nil }

    /// Signs a message.
    ///
    /// - Throws: ``PasskeyStoreError`` with `failed` when the cryptographic library does not sign.
    public func sign(_ message: [UInt8]) throws(PasskeyStoreError) -> [UInt8] {
        do { return try privateKey.sign(message) } catch { throw PasskeyStoreError(.failed, error.code.name) }
    }

    /// HMAC-SHA-256 of each salt; `nil` where there is no secret for this case.
    public func hmacSecret(of salts: PRFSalts, isVerified: Bool) -> PRFSalts? {
        guard let key = isVerified ? hmacSecrets?.withVerification : hmacSecrets?.withoutVerification else {
            return nil
        }
        func result(_ salt: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: salt, using: key)) }
        return PRFSalts(first: result(salts.first), second: salts.second.map(result))
    }

    /// The algorithm, and nothing of the secrets.
    public var description: String { "SoftwarePasskeyKey(\(privateKey.algorithm))" }
    /// Shows the public half alone.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}
