internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog
internal import WardText

/// The header of a vault: the cost of the passphrase, and the vault's keys, encrypted with the passphrase and to the
/// recovery key.
///
/// It is the only part of the file that is read before a key is known. `Documentation/formats/vault.md`, "Header".
struct VaultHeader: Hashable, Sendable {
    var vaultID: VaultID
    /// The number of the header's changes, so that an old header is detected.
    var generation: UInt64
    var derivation: KeyDerivation
    /// A check value for the Secret Key: it shows whether a key belongs to this vault.
    ///
    /// That is safe, because the key has 128 random bits.
    var secretKeyCheck: [UInt8]
    /// A check value for the passphrase: it shows whether a passphrase is right, and binds the envelope to one key.
    var passphraseCommitment: [UInt8]
    var passphraseEnvelope: [UInt8]
    var recoveryPublicKey: [UInt8]
    var recoveryEncapsulation: [UInt8]
    var recoveryEnvelope: [UInt8]
    var epoch: UInt64
    var keyCommitment: [UInt8]
    /// The proof that only a person with the recovery key can make.
    ///
    /// It is `nil` in vaults from before such proofs existed, and in a circle of devices.
    var recoveryProof: [UInt8]?
    /// What the header has in a circle of devices.
    ///
    /// The fields for a recovery key are then empty: X25519 alone does not protect what is sent to others.
    var circle: HeaderCircle?
    var unknown = UnknownFields()

    static let version: UInt64 = 1
    static let maximumLength = 65_536
    private static let rules = CBORRules(maximumDepth: 8, maximumLength: maximumLength)
}

extension VaultHeader {
    /// The header in the file's form, with its checksum and authentication code.
    func encoded(_ keys: VaultKeys) throws(VaultError) -> [UInt8] {
        var map = MapWriter(keeping: unknown)
        map.put(1, bytes: vaultID.bytes)
        map.put(2, .unsigned(generation))
        map.put(3, derivation.cbor)
        map.put(4, bytes: secretKeyCheck)
        map.put(5, bytes: passphraseCommitment)
        map.put(6, bytes: passphraseEnvelope)
        if circle == nil {
            map.put(7, bytes: recoveryPublicKey)
            map.put(8, bytes: recoveryEncapsulation)
            map.put(9, bytes: recoveryEnvelope)
        }
        map.put(10, .unsigned(epoch))
        map.put(11, bytes: keyCommitment)
        circle?.write(to: &map)
        map.put(15, bytes: recoveryProof)
        let payload = map.value.encoded()
        let mac = try Self.mac(payload, vaultID, keys)
        let body = CBORValue.array(["ward", .unsigned(Self.version), "header", .bytes(payload), .bytes(mac)]).encoded()
        return body + Array(SHA256.hash(data: body))
    }

    /// Reads a header.
    ///
    /// Its authentication code is not checked yet.
    ///
    /// In every version the last 32 bytes are a checksum over the others, and the others begin with an array of
    /// `"ward"` and the version. So a damaged header and a header of a later version are distinguished.
    ///
    /// - Throws: ``VaultError`` with `damaged` or `unknownVersion`.
    init(encoded bytes: [UInt8]) throws(VaultError) {
        let damaged = VaultError(.damaged, "The vault's header is damaged")
        guard bytes.count > 32, bytes.count <= Self.maximumLength else { throw damaged }
        let body = Array(bytes.dropLast(32))
        guard Array(SHA256.hash(data: body)) == Array(bytes.suffix(32)) else { throw damaged }
        guard let parts = try? CBORValue.decode(body, rules: Self.rules).arrayValue, parts.count >= 2,
            parts[0] == "ward", case .unsigned(let version) = parts[1]
        else { throw damaged }
        guard version == Self.version else {
            throw VaultError(.unknownVersion, "The vault has version \(version); this program reads \(Self.version)")
        }
        guard parts.count == 5, parts[2] == "header", let payload = parts[3].bytesValue,
            let value = try? CBORValue.decode(payload, rules: Self.rules)
        else { throw damaged }
        do {
            var map = try MapReader(value, "header")
            guard let id = VaultID(try map.required(map.bytes(1), 1)) else { throw damaged }
            vaultID = id
            generation = try Self.unsigned(map.value(2))
            derivation = try KeyDerivation(map.required(map.value(3), 3))
            secretKeyCheck = try map.required(map.bytes(4), 4)
            passphraseCommitment = try map.required(map.bytes(5), 5)
            passphraseEnvelope = try map.required(map.bytes(6), 6)
            let recovery = [try map.bytes(7), try map.bytes(8), try map.bytes(9)]
            epoch = try Self.unsigned(map.value(10))
            keyCommitment = try map.required(map.bytes(11), 11)
            circle = try HeaderCircle(&map)
            recoveryProof = try map.bytes(15)
            guard circle == nil || recovery.allSatisfy({ $0 == nil }) && recoveryProof == nil else { throw damaged }
            guard circle != nil || recovery.allSatisfy({ $0 != nil }) else { throw damaged }
            (recoveryPublicKey, recoveryEncapsulation) = (recovery[0] ?? [], recovery[1] ?? [])
            recoveryEnvelope = recovery[2] ?? []
            unknown = map.unknown
        } catch {
            throw damaged
        }
    }

    private static func unsigned(_ value: CBORValue?) throws(VaultError) -> UInt64 {
        guard case .unsigned(let number) = value else {
            throw VaultError(.damaged, "The vault's header is damaged: a number is missing")
        }
        return number
    }

    /// The name of the vault key that the header was made with.
    var keyName: VaultKeys.Name { VaultKeys.Name(epoch: epoch, owner: circle?.keyOwner) }

    /// What identifies the recovery key: its public key.
    var recoveryIdentity: [UInt8] { circle?.recovery.first?.publicKey ?? recoveryPublicKey }

    /// The authentication code.
    ///
    /// Computing it requires the vault's keys.
    private static func mac(_ payload: [UInt8], _ vault: VaultID, _ keys: VaultKeys) throws(VaultError) -> [UInt8] {
        let key = try keys.derive("ward/v1/header", salt: vault.bytes)
        return Array(HMAC<SHA256>.authenticationCode(for: payload, using: key))
    }

    /// Refuses a header that was not made with these keys.
    func check(_ keys: VaultKeys, encoded bytes: [UInt8]) throws(VaultError) {
        guard keys.has(keyName) else {
            throw VaultError(.unknownVersion, "The header was made with a vault key that this device does not have")
        }
        let keys = try keys.choosing(keyName)
        guard isEqualInConstantTime(try keys.commitment(vaultID), keyCommitment),
            isEqualInConstantTime(try encoded(keys), bytes)
        else { throw VaultError(.damaged, "The header was changed by a person without the vault's keys") }
    }
}
