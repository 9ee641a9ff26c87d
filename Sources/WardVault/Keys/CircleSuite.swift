internal import Crypto
internal import Foundation

/// A suite of HPKE (RFC 9180) in base mode, with which keys are sealed to devices and to recovery keys.
///
/// The raw value is the number of the suite in the log. One encapsulation is for one message, without associated data.
/// `Documentation/formats/sync.md`, "Sealed keys".
enum CircleSuite: UInt64, CaseIterable, Sendable {
    /// DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM.
    case x25519 = 1
    /// X-Wing, HKDF-SHA256, AES-256-GCM.
    ///
    /// X-Wing is ML-KEM-768 and X25519 together (draft-connolly-cfrg-xwing-kem-06). To open a recorded message without
    /// the key, an attacker must break both.
    case xWing = 2

    /// The suite of new keys.
    static let standard = Self.xWing
    /// The length of a private key: an X25519 key or an X-Wing seed, in bytes.
    static let seedLength = 32
    /// How much longer a ciphertext is than its plaintext, in bytes.
    static let overhead = 16

    /// The length of a public key, in bytes.
    var publicKeyLength: Int {
        switch self {
        case .x25519: 32
        case .xWing: 1216
        }
    }

    /// The length of an encapsulation, in bytes.
    var encapsulationLength: Int {
        switch self {
        case .x25519: 32
        case .xWing: 1120
        }
    }

    private var ciphersuite: HPKE.Ciphersuite {
        switch self {
        case .x25519: HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
        case .xWing: HPKE.Ciphersuite.XWingMLKEM768X25519_SHA256_AES_GCM_256
        }
    }
}

extension CircleSuite {
    /// The public key of a private key.
    ///
    /// - Throws: ``VaultError`` with `damaged` unless the seed has 32 bytes.
    func publicKey(of seed: [UInt8]) throws(VaultError) -> [UInt8] {
        guard seed.count == Self.seedLength else {
            throw VaultError(.damaged, "a private key of HPKE must have \(Self.seedLength) bytes")
        }
        if let substitute = SealingSubstitute.inForce { return substitute.publicKey(seed, publicKeyLength) }
        do {
            switch self {
            case .x25519:
                let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: seed)
                return [UInt8](key.publicKey.rawRepresentation)
            case .xWing:
                let key = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: seed, publicKey: nil)
                return [UInt8](key.publicKey.rawRepresentation)
            }
        } catch {
            throw VaultError(.unavailable, "HPKE key generation failed")
        }
    }

    /// Whether something can be sealed to these bytes.
    func isPublicKey(_ bytes: [UInt8]) -> Bool { (try? seal([], to: bytes, info: [])) != nil }

    /// Seals one message.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the bytes are not a public key of this suite, or with `unavailable`.
    func seal(
        _ plaintext: [UInt8],
        to publicKey: [UInt8],
        info: [UInt8]
    ) throws(VaultError) -> (encapsulation: [UInt8], ciphertext: [UInt8]) {
        guard publicKey.count == publicKeyLength else { throw Self.malformedKey }
        if let substitute = SealingSubstitute.inForce {
            return substitute.seal(plaintext, publicKey, info, encapsulationLength)
        }
        var context = try sender(to: publicKey, info: info)
        do {
            let ciphertext = [UInt8](try context.seal(plaintext))
            return ([UInt8](context.encapsulatedKey), ciphertext)
        } catch {
            throw VaultError(.unavailable, "HPKE encryption failed")
        }
    }

    /// Opens one message.
    ///
    /// It returns `nil` if a length is wrong, if a byte was changed, or if the message is for another key, suite or
    /// info. The caller must wipe the result.
    func open(_ ciphertext: [UInt8], _ encapsulation: [UInt8], with seed: [UInt8], info: [UInt8]) -> [UInt8]? {
        guard encapsulation.count == encapsulationLength, ciphertext.count >= Self.overhead else { return nil }
        if let substitute = SealingSubstitute.inForce {
            return substitute.open(ciphertext, encapsulation, substitute.publicKey(seed, publicKeyLength), info)
        }
        do {
            var context = try recipient(seed, encapsulation, info: info)
            var opened = try context.open(ciphertext)
            return opened.takeBytes()
        } catch {
            return nil
        }
    }

    private func sender(to publicKey: [UInt8], info: [UInt8]) throws(VaultError) -> HPKE.Sender {
        do {
            switch self {
            case .x25519:
                let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey)
                try Self.check(key, with: Curve25519.KeyAgreement.PrivateKey())
                return try HPKE.Sender(recipientKey: key, ciphersuite: ciphersuite, info: Data(info))
            case .xWing:
                let key = try XWingMLKEM768X25519.PublicKey(rawRepresentation: publicKey)
                return try HPKE.Sender(recipientKey: key, ciphersuite: ciphersuite, info: Data(info))
            }
        } catch {
            throw Self.malformedKey
        }
    }

    private func recipient(_ seed: [UInt8], _ encapsulation: [UInt8], info: [UInt8]) throws -> HPKE.Recipient {
        let encapsulated = Data(encapsulation)
        switch self {
        case .x25519:
            let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: seed)
            try Self.check(Curve25519.KeyAgreement.PublicKey(rawRepresentation: encapsulation), with: key)
            return try HPKE.Recipient(
                privateKey: key,
                ciphersuite: ciphersuite,
                info: Data(info),
                encapsulatedKey: encapsulated
            )
        case .xWing:
            let key = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: seed, publicKey: nil)
            return try HPKE.Recipient(
                privateKey: key,
                ciphersuite: ciphersuite,
                info: Data(info),
                encapsulatedKey: encapsulated
            )
        }
    }

    /// Refuses a public key of low order, which gives a secret that everybody knows.
    ///
    /// RFC 9180, section 7.1.4, asks for this check. The library makes it for X-Wing and not for X25519.
    static func check(
        _ publicKey: Curve25519.KeyAgreement.PublicKey,
        with privateKey: Curve25519.KeyAgreement.PrivateKey
    ) throws {
        let secret = try privateKey.sharedSecretFromKeyAgreement(with: publicKey)
        guard unsafe secret.withUnsafeBytes({ bytes in unsafe !bytes.allSatisfy { $0 == 0 } }) else {
            throw malformedKey
        }
    }

    private static var malformedKey: VaultError {
        VaultError(.damaged, "A device or a recovery key has a malformed public key. Remove it, and add it again")
    }
}
