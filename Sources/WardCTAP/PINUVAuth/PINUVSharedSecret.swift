internal import Crypto
internal import CryptoExtras
internal import WardText
public import WardWebAuthn

/// A key pair for agreeing on a secret.
///
/// An authenticator has one and sends ``publicKey`` to every client; a client creates one for each agreement
/// (``PINUVSharedSecret/encapsulate(to:using:)``). CTAP 2.3, section 6.5.6.
public struct PINUVKeyAgreement: Sendable {
    private let key: P256.KeyAgreement.PrivateKey

    /// Creates a key pair.
    public init() { key = P256.KeyAgreement.PrivateKey(compactRepresentable: false) }

    /// Creates a key pair from a private scalar, for published examples, or returns `nil`.
    package init?(rawRepresentation: [UInt8]) {
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: rawRepresentation) else { return nil }
        self.key = key
    }

    /// The public key for the other side.
    public var publicKey: KeyAgreementKey {
        let point = [UInt8](key.publicKey.rawRepresentation)
        // A raw point always has two coordinates of 32 bytes, so the fallback is never used.
        return KeyAgreementKey(x: Array(point.prefix(32)), y: Array(point.dropFirst(32))) ?? .nowhere
    }

    /// Agrees on the secret.
    ///
    /// - Parameters:
    ///   - peer: The other side's public key.
    ///   - pinUVAuthProtocol: One of the two protocols.
    /// - Returns: The shared secret.
    /// - Throws: ``CTAPStatus/invalidParameter`` if the key is not a point of the curve, or the protocol is unknown.
    public func decapsulate(
        _ peer: KeyAgreementKey,
        using pinUVAuthProtocol: PINUVAuthProtocol
    ) throws(CTAPStatus) -> PINUVSharedSecret {
        guard let publicKey = try? P256.KeyAgreement.PublicKey(rawRepresentation: peer.x + peer.y),
            let z = try? key.sharedSecretFromKeyAgreement(with: publicKey)
        else { throw .invalidParameter }
        switch pinUVAuthProtocol {
        case .one:
            // The bytes stay inside the closure.
            var hash = SHA256()
            unsafe z.withUnsafeBytes { bytes in unsafe hash.update(bufferPointer: bytes) }
            let key = SymmetricKey(data: hash.finalize())
            return PINUVSharedSecret(pinUVAuthProtocol, hmacKey: key, aesKey: key)
        case .two:
            func derive(_ info: String) -> SymmetricKey {
                z.hkdfDerivedSymmetricKey(
                    using: SHA256.self,
                    salt: [UInt8](repeating: 0, count: 32),
                    sharedInfo: Array(info.utf8),
                    outputByteCount: 32
                )
            }
            return PINUVSharedSecret(
                pinUVAuthProtocol,
                hmacKey: derive("CTAP2 HMAC key"),
                aesKey: derive("CTAP2 AES key")
            )
        default: throw .invalidParameter
        }
    }
}

/// The shared secret of a client and an authenticator, which encrypts and authenticates.
///
/// The cryptographic library stores the secret and wipes it. Printing does not show it. CTAP 2.3, sections 6.5.4, 6.5.6 and
/// 6.5.7.
public struct PINUVSharedSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The protocol.
    public let pinUVAuthProtocol: PINUVAuthProtocol
    private let hmacKey: SymmetricKey
    private let aesKey: SymmetricKey

    init(_ pinUVAuthProtocol: PINUVAuthProtocol, hmacKey: SymmetricKey, aesKey: SymmetricKey) {
        self.pinUVAuthProtocol = pinUVAuthProtocol
        self.hmacKey = hmacKey
        self.aesKey = aesKey
    }

    /// Agrees on a secret with an authenticator, as clients do.
    ///
    /// - Parameters:
    ///   - authenticator: The key of ``ClientPINResponse/keyAgreement``.
    ///   - pinUVAuthProtocol: One of the two protocols.
    /// - Returns: The public key to send, and the shared secret.
    /// - Throws: ``CTAPStatus/invalidParameter`` if the key is not a point of the curve, or the protocol is unknown.
    public static func encapsulate(
        to authenticator: KeyAgreementKey,
        using pinUVAuthProtocol: PINUVAuthProtocol
    ) throws(CTAPStatus) -> (platformKey: KeyAgreementKey, secret: PINUVSharedSecret) {
        let pair = PINUVKeyAgreement()
        return (pair.publicKey, try pair.decapsulate(authenticator, using: pinUVAuthProtocol))
    }

    /// Encrypts whole blocks.
    ///
    /// - Parameters:
    ///   - plaintext: A multiple of 16 bytes.
    ///   - effects: The source of protocol two's random initialization vector.
    /// - Returns: The same number of bytes; with protocol two, 16 more bytes in front, the initialization vector.
    /// - Throws: ``CTAPStatus/invalidLength`` for any other length.
    public func encrypt(_ plaintext: [UInt8], effects: Effects = .live) throws(CTAPStatus) -> [UInt8] {
        guard plaintext.count.isMultiple(of: 16) else { throw .invalidLength }
        let vector = pinUVAuthProtocol == .two ? effects.randomBytes(16) : [UInt8](repeating: 0, count: 16)
        do {
            let iv = try AES._CBC.IV(ivBytes: vector)
            let ciphertext = [UInt8](try AES._CBC.encrypt(plaintext, using: aesKey, iv: iv, noPadding: true))
            return pinUVAuthProtocol == .two ? vector + ciphertext : ciphertext
        } catch {
            throw .other
        }
    }

    /// Decrypts the result of ``encrypt(_:effects:)``.
    ///
    /// Decryption does not detect changes. Use ``verify(_:signature:)`` for that.
    ///
    /// - Parameter ciphertext: At most 64 KiB.
    /// - Returns: The plaintext.
    /// - Throws: ``CTAPStatus/invalidLength`` if these are not whole blocks.
    public func decrypt(_ ciphertext: [UInt8]) throws(CTAPStatus) -> [UInt8] {
        var vector = [UInt8](repeating: 0, count: 16)
        var body = ciphertext
        if pinUVAuthProtocol == .two {
            vector = Array(ciphertext.prefix(16))
            body = Array(ciphertext.dropFirst(16))
        }
        guard !body.isEmpty, body.count.isMultiple(of: 16) else { throw .invalidLength }
        do {
            let iv = try AES._CBC.IV(ivBytes: vector)
            return [UInt8](try AES._CBC.decrypt(body, using: aesKey, iv: iv, noPadding: true))
        } catch {
            throw .invalidParameter
        }
    }

    /// The authentication code of a message.
    ///
    /// - Parameter message: Any bytes.
    /// - Returns: 16 bytes with protocol one, 32 with two.
    public func authenticate(_ message: [UInt8]) -> [UInt8] {
        let code = Array(HMAC<SHA256>.authenticationCode(for: message, using: hmacKey))
        return pinUVAuthProtocol == .two ? code : Array(code.prefix(16))
    }

    /// Whether a signature is the result of ``authenticate(_:)`` for this message, in constant time.
    public func verify(_ message: [UInt8], signature: [UInt8]) -> Bool {
        isEqualInConstantTime(authenticate(message), signature)
    }

    /// A description with the protocol and without the secret.
    public var description: String { "PINUVSharedSecret(\(pinUVAuthProtocol))" }
    /// A mirror with only the protocol.
    public var customMirror: Mirror { Mirror(self, children: ["pinUVAuthProtocol": pinUVAuthProtocol]) }
}

extension KeyAgreementKey {
    /// A key with which no agreement works: both coordinates are zero.
    fileprivate static var nowhere: KeyAgreementKey {
        KeyAgreementKey(unchecked: [UInt8](repeating: 0, count: 32))
    }
}
