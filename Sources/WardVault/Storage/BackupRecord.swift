internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog
internal import WardWebAuthn

/// This device's record of backups: the last backup that it verified, and the key that the person typed from paper.
///
/// The record is about this device, so it is in the state folder and not in the vault: after a restore it would be wrong on
/// another disk. It is encrypted with the vault's key, so a person with only the file cannot read or write it.
///
/// `Documentation/formats/vault.md`, "This device".
struct BackupRecord: Hashable, Sendable {
    /// A verified copy: every entry was checked and every item was decrypted.
    struct Copy: Hashable, Sendable {
        var time: Int64
        var path: String
        /// The position of its last log entry.
        var position: Int64
        /// The keys that open the copy: the header's check value of the Secret Key, and the public key of the recovery key.
        var secretKeyCheck: [UInt8]
        var recoveryPublicKey: [UInt8]
        /// The passkeys in it, as ``fingerprint(of:)``.
        var passkeys: Set<[UInt8]>
    }

    /// A key that a person typed.
    ///
    /// So the key also exists outside this disk.
    struct Confirmation: Hashable, Sendable {
        var kind: BackupKeyKind
        var time: Int64
        /// The header's value for the key.
        var fingerprint: [UInt8]
    }

    var copy: Copy?
    var confirmation: Confirmation?

    static let maximumLength = 4_194_304

    init() {}

    /// Whether the typed key opens the copy.
    var isConfirmed: Bool {
        guard let copy, let confirmation else { return false }
        switch confirmation.kind {
        case .recoveryKey: return confirmation.fingerprint == copy.recoveryPublicKey
        case .secretKey: return confirmation.fingerprint == copy.secretKeyCheck
        }
    }

    /// Whether a passkey is in a verified copy that the typed key opens.
    func covers(_ credentialID: CredentialID) -> Bool {
        isConfirmed && copy?.passkeys.contains(Self.fingerprint(of: credentialID)) ?? false
    }

    /// The stored form of a credential ID.
    static func fingerprint(of credentialID: CredentialID) -> [UInt8] {
        Array(SHA256.hash(data: credentialID.bytes).prefix(16))
    }

    // MARK: The file

    /// Reads the file.
    ///
    /// The record is empty if there is no file, or if it belongs to another vault.
    init(_ path: String, _ vault: VaultID, _ keys: VaultKeys) {
        guard let sealed = try? SmallFile.read(path, limit: Self.maximumLength),
            let key = try? Self.key(vault, keys),
            let padded = Sealing.open(sealed, key: key, associated: Self.associated(vault)),
            let bytes = Padding.unpad([UInt8](padded)), let value = try? CBORValue.decode(bytes)
        else { return }
        copy = value[1].flatMap { Copy($0) }
        confirmation = value[2].flatMap { Confirmation($0) }
    }

    /// Writes the file.
    func write(
        _ path: String,
        _ vault: VaultID,
        _ keys: VaultKeys,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        var map = MapWriter(keeping: UnknownFields())
        if let copy { map.put(1, copy.cbor) }
        if let confirmation { map.put(2, confirmation.cbor) }
        let sealed = try Sealing.seal(
            Padding.pad(map.value.encoded()),
            key: Self.key(vault, keys),
            nonce: environment.random(Sealing.nonceLength),
            associated: Self.associated(vault)
        )
        try SmallFile.replace(path, with: sealed, environment)
    }

    private static func key(_ vault: VaultID, _ keys: VaultKeys) throws(VaultError) -> SymmetricKey {
        try keys.first.derive("ward/v1/backup", salt: vault.bytes, context: [])
    }

    private static func associated(_ vault: VaultID) -> [UInt8] {
        CBORValue.array(["ward", 1, "backup", .bytes(vault.bytes)]).encoded()
    }
}

extension BackupRecord.Copy {
    fileprivate var cbor: CBORValue {
        [
            .integer(time), .text(path), .integer(position), .bytes(secretKeyCheck), .bytes(recoveryPublicKey),
            .array(passkeys.sorted { $0.lexicographicallyPrecedes($1) }.map { .bytes($0) }),
        ]
    }

    fileprivate init?(_ value: CBORValue) {
        guard let parts = value.arrayValue, parts.count == 6, let time = parts[0].integerValue,
            let path = parts[1].textValue, let position = parts[2].integerValue,
            let secretKeyCheck = parts[3].bytesValue, let recoveryPublicKey = parts[4].bytesValue,
            let passkeys = parts[5].arrayValue
        else { return nil }
        self.init(
            time: time,
            path: path,
            position: position,
            secretKeyCheck: secretKeyCheck,
            recoveryPublicKey: recoveryPublicKey,
            passkeys: Set(passkeys.compactMap(\.bytesValue))
        )
    }
}

extension BackupRecord.Confirmation {
    fileprivate var cbor: CBORValue { [.text(kind.rawValue), .integer(time), .bytes(fingerprint)] }

    fileprivate init?(_ value: CBORValue) {
        guard let parts = value.arrayValue, parts.count == 3,
            let kind = parts[0].textValue.flatMap({ BackupKeyKind(rawValue: $0) }),
            let time = parts[1].integerValue, let fingerprint = parts[2].bytesValue
        else { return nil }
        self.init(kind: kind, time: time, fingerprint: fingerprint)
    }
}

/// A key that a person has outside the machine.
public enum BackupKeyKind: String, Hashable, Sendable, Codable {
    /// The recovery key on paper, which opens the vault without the passphrase.
    case recoveryKey
    /// The Secret Key, which opens the vault together with the passphrase.
    case secretKey
}
