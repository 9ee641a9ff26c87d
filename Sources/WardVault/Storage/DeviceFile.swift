internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// This device's signing key for a vault's log, encrypted with the vault's key.
///
/// `Documentation/formats/vault.md`, "This device".
struct DeviceFile {
    let device: DeviceID
    let key: SigningSeed

    static let maximumLength = 4096

    /// Creates a key for a new device.
    init(_ environment: VaultEnvironment) throws(VaultError) {
        var seed = try environment.random(32)
        key = try SigningSeed(wiping: &seed)
        device = DeviceID(publicKey: key.publicKey)
    }

    /// Reads and decrypts the file.
    ///
    /// It is `nil` if there is no file, or if it belongs to another vault.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion`. A damaged file counts as absent: the device begins anew, which
    ///   the person must allow.
    init?(_ path: String, _ vault: VaultID, _ keys: VaultKeys) throws(VaultError) {
        guard let bytes = try? SmallFile.read(path, limit: Self.maximumLength),
            Array(SHA256.hash(data: bytes.dropLast(32))) == Array(bytes.suffix(32)),
            let parts = try? CBORValue.decode(Array(bytes.dropLast(32))).arrayValue, parts.count >= 3,
            parts[0] == "ward",
            parts[2] == "device"
        else { return nil }
        guard parts[1] == 1 else {
            throw VaultError(.unknownVersion, "this device's file has a later version: update Ward")
        }
        guard parts.count == 6, parts[3].bytesValue == vault.bytes, let publicKey = parts[4].bytesValue,
            let sealed = parts[5].bytesValue
        else { return nil }
        let sealingKey = try Self.sealingKey(vault, publicKey, keys)
        guard let data = Sealing.open(sealed, key: sealingKey, associated: publicKey) else { return nil }
        var seed = [UInt8](data)
        guard let key = try? SigningSeed(wiping: &seed), key.publicKey == publicKey else { return nil }
        self.key = key
        device = DeviceID(publicKey: publicKey)
    }

    /// Writes the file.
    func write(_ path: String, _ vault: VaultID, _ keys: VaultKeys, _ environment: VaultEnvironment) throws(VaultError)
    {
        var seed = key.bytes
        defer { seed.wipe() }
        let sealed = try Sealing.seal(
            seed,
            key: Self.sealingKey(vault, key.publicKey, keys),
            nonce: environment.random(Sealing.nonceLength),
            associated: key.publicKey
        )
        let parts: CBORValue = [
            "ward", 1, "device", .bytes(vault.bytes), .bytes(key.publicKey), .bytes(sealed),
        ]
        let body = parts.encoded()
        try SmallFile.replace(path, with: body + Array(SHA256.hash(data: body)), environment)
    }

    private static func sealingKey(
        _ vault: VaultID,
        _ publicKey: [UInt8],
        _ keys: VaultKeys
    ) throws(VaultError) -> SymmetricKey {
        // The file is encrypted with the first epoch's key, because every device that opens the vault has this key.
        try keys.key(0).derive("ward/v1/device-key", salt: vault.bytes, context: publicKey)
    }
}
