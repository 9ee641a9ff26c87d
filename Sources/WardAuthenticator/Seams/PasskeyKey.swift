public import Crypto
public import WardCOSE
public import WardCTAP
public import WardWebAuthn

/// The key of a passkey in a ``PasskeyStore``.
///
/// It signs, and never leaves the store.
public protocol PasskeyKey: Sendable {
    /// The public key for the relying party.
    var publicKey: COSEKey { get }
    /// BE: whether a copy of the key may exist elsewhere, now or later.
    var isBackupEligible: Bool { get }
    /// Whether the key can compute `hmac-secret`.
    var hasHMACSecret: Bool { get }

    /// Signs a message. An ECDSA signature is in DER, as WebAuthn requires.
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
/// No description of this type contains its secrets.
public struct SoftwarePasskeyKey: PasskeyKey, CustomStringConvertible, CustomReflectable {
    /// The two secrets behind `hmac-secret` and `prf`, which never change: 32 random bytes each.
    ///
    /// CTAP 2.3, section 12.5.
    public struct HMACSecrets: Sendable, CustomStringConvertible, CustomReflectable {
        /// The secret for verified persons.
        ///
        /// The extension `prf` uses only this one.
        public let withVerification: SymmetricKey
        /// The secret for persons who were not verified.
        ///
        /// It is `nil` if another manager stored only one secret.
        public let withoutVerification: SymmetricKey?

        /// Keeps both.
        public init(withVerification: SymmetricKey, withoutVerification: SymmetricKey?) {
            self.withVerification = withVerification
            self.withoutVerification = withoutVerification
        }

        /// A description without the secrets.
        public var description: String { "HMACSecrets" }
        /// A mirror without the secrets.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// What signs.
    public let privateKey: COSEPrivateKey
    /// The secrets for `hmac-secret` and `prf`.
    ///
    /// Every passkey that is created here has them.
    public let hmacSecrets: HMACSecrets?

    /// Creates a value from a stored key.
    public init(privateKey: COSEPrivateKey, hmacSecrets: HMACSecrets?) {
        self.privateKey = privateKey
        self.hmacSecrets = hmacSecrets
    }

    /// Generates a key and its secrets.
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

    /// The algorithms for which software can generate keys, the preferred one first.
    ///
    /// A new passkey gets the first algorithm of the site's list that is also in this list. So an ML-DSA-65 key is generated only
    /// if the site names this algorithm before ES256 and EdDSA.
    public static let algorithms: [COSEAlgorithmIdentifier] = [.es256, .edDSA, .mlDSA65]

    /// The public half.
    public var publicKey: COSEKey { privateKey.publicKey }
    /// The key is in a file, and a file can be copied.
    ///
    /// So it may have a backup.
    public var isBackupEligible: Bool { true }
    /// Whether the key has the secrets for `hmac-secret`.
    public var hasHMACSecret: Bool { hmacSecrets != nil }

    /// Signs a message.
    ///
    /// - Throws: ``PasskeyStoreError`` with `failed` when the cryptographic library does not sign.
    public func sign(_ message: [UInt8]) throws(PasskeyStoreError) -> [UInt8] {
        do { return try privateKey.sign(message) } catch { throw PasskeyStoreError(.failed, error.code.name) }
    }

    /// HMAC-SHA-256 of each salt.
    ///
    /// It is `nil` if there is no secret for this case.
    public func hmacSecret(of salts: PRFSalts, isVerified: Bool) -> PRFSalts? {
        guard let key = isVerified ? hmacSecrets?.withVerification : hmacSecrets?.withoutVerification else {
            return nil
        }
        func result(_ salt: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: salt, using: key)) }
        return PRFSalts(first: result(salts.first), second: salts.second.map(result))
    }

    /// A description with the algorithm and without the secrets.
    public var description: String { "SoftwarePasskeyKey(\(privateKey.algorithm))" }
    /// A mirror with only the public key.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}
