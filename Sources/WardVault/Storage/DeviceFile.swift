internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// This device's keys for a vault, encrypted with the vault's key.
///
/// `Documentation/formats/vault.md`, "This device".
struct DeviceFile {
    let device: DeviceID
    /// The key that signs this device's entries of the log.
    let key: SigningSeed
    /// The keys with which this device opens what other devices seal for it.
    ///
    /// They are `nil` in a vault without a circle of devices. The file then has version 1.
    var circleKeys: DeviceKeys?

    static let maximumLength = 4096

    /// Creates a key for a new device.
    init(_ environment: VaultEnvironment) throws(VaultError) {
        var seed = try environment.random(32)
        key = try SigningSeed(wiping: &seed)
        device = DeviceID(publicKey: key.publicKey)
    }

    /// Takes the keys of a device that was admitted to a circle.
    init(_ key: SigningSeed, _ circleKeys: DeviceKeys) {
        self.key = key
        self.circleKeys = circleKeys
        device = DeviceID(publicKey: key.publicKey)
    }

    /// The device as a circle names it.
    ///
    /// - Throws: ``VaultError`` with `noCircle` if it has no keys for one.
    func circleDevice() throws(VaultError) -> CircleDevice {
        guard let circleKeys else { throw VaultError.withoutCircle }
        return CircleDevice(
            publicKey: key.publicKey,
            suite: circleKeys.pair.suite.rawValue,
            sealingKey: circleKeys.publicKey
        )
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
        guard parts[1] == 1 || parts[1] == 2 else {
            throw VaultError(.unknownVersion, "this device's file has a later version: update Ward")
        }
        let found = try parts[1] == 1 ? Self.readVersion1(parts, vault, keys) : Self.readVersion2(parts, vault, keys)
        guard let read = found else { return nil }
        key = read.key
        circleKeys = read.circleKeys
        device = DeviceID(publicKey: read.key.publicKey)
    }

    /// Writes the file.
    ///
    /// With ``circleKeys`` it is encrypted with the current epoch's key. So it must be written again when a new epoch
    /// begins.
    ///
    /// - Throws: ``VaultError`` with `diskFull` or `unavailable`.
    func write(_ path: String, _ vault: VaultID, _ keys: VaultKeys, _ environment: VaultEnvironment) throws(VaultError)
    {
        let parts: CBORValue
        if let circleKeys {
            parts = try version2(circleKeys, vault, keys, environment)
        } else {
            parts = try version1(vault, keys, environment)
        }
        let body = parts.encoded()
        try SmallFile.replace(path, with: body + Array(SHA256.hash(data: body)), environment)
    }
}

// MARK: Version 1: the signing key

extension DeviceFile {
    private func version1(
        _ vault: VaultID,
        _ keys: VaultKeys,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> CBORValue {
        var seed = key.bytes
        defer { seed.wipe() }
        let sealed = try Sealing.seal(
            seed,
            key: Self.version1Key(vault, key.publicKey, keys),
            nonce: environment.random(Sealing.nonceLength),
            associated: key.publicKey
        )
        return ["ward", 1, "device", .bytes(vault.bytes), .bytes(key.publicKey), .bytes(sealed)]
    }

    private static func readVersion1(
        _ parts: [CBORValue],
        _ vault: VaultID,
        _ keys: VaultKeys
    ) throws(VaultError) -> (key: SigningSeed, circleKeys: DeviceKeys?)? {
        guard parts.count == 6, parts[3].bytesValue == vault.bytes, let publicKey = parts[4].bytesValue,
            let sealed = parts[5].bytesValue
        else { return nil }
        let sealingKey = try version1Key(vault, publicKey, keys)
        guard var opened = Sealing.open(sealed, key: sealingKey, associated: publicKey) else { return nil }
        var seed = opened.takeBytes()
        guard let key = try? SigningSeed(wiping: &seed), key.publicKey == publicKey else { return nil }
        return (key, nil)
    }

    private static func version1Key(
        _ vault: VaultID,
        _ publicKey: [UInt8],
        _ keys: VaultKeys
    ) throws(VaultError) -> SymmetricKey {
        // The file is encrypted with the first epoch's key, because every device that opens the vault has this key.
        try keys.first.derive("ward/v1/device-key", salt: vault.bytes, context: publicKey)
    }
}

// MARK: Version 2: the signing key and the keys of HPKE

extension DeviceFile {
    private func version2(
        _ circleKeys: DeviceKeys,
        _ vault: VaultID,
        _ keys: VaultKeys,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> CBORValue {
        let known = PublicParts(
            vault: vault,
            publicKey: key.publicKey,
            circleKey: circleKeys.publicKey,
            epoch: keys.epoch
        )
        var first = key.bytes
        defer { first.wipe() }
        var second = circleKeys.pair.bytes
        defer { second.wipe() }
        var seeds = first + second
        defer { seeds.wipe() }
        let sealed = try Sealing.seal(
            seeds,
            key: known.sealingKey(keys.key(keys.current)),
            nonce: environment.random(Sealing.nonceLength),
            associated: known.associated
        )
        return [
            "ward", 2, "device", .bytes(vault.bytes), .bytes(known.publicKey), .bytes(sealed),
            .bytes(known.circleKey), .unsigned(known.epoch),
        ]
    }

    private static func readVersion2(
        _ parts: [CBORValue],
        _ vault: VaultID,
        _ keys: VaultKeys
    ) throws(VaultError) -> (key: SigningSeed, circleKeys: DeviceKeys?)? {
        guard parts.count == 8, parts[3].bytesValue == vault.bytes, let publicKey = parts[4].bytesValue,
            let sealed = parts[5].bytesValue, let circleKey = parts[6].bytesValue,
            case .unsigned(let epoch) = parts[7]
        else { return nil }
        let known = PublicParts(vault: vault, publicKey: publicKey, circleKey: circleKey, epoch: epoch)
        // A vault without this epoch's key is older than the file. Two devices may have made a key of this epoch.
        let candidates = (try? keys.keys(ofEpoch: epoch)) ?? []
        let found = candidates.lazy.compactMap { key in
            Sealing.open(sealed, key: known.sealingKey(key), associated: known.associated)
        }.first
        guard var opened = found, opened.count == seedsLength else { return nil }
        var seeds = opened.takeBytes()
        defer { seeds.wipe() }
        var first = Array(seeds.prefix(CircleSuite.seedLength))
        var second = Array(seeds.suffix(CircleSuite.seedLength))
        defer { second.wipe() }
        guard let key = try? SigningSeed(wiping: &first), key.publicKey == publicKey,
            let circleKeys = try? DeviceKeys(wiping: &second), circleKeys.publicKey == circleKey
        else { return nil }
        return (key, circleKeys)
    }

    private static let seedsLength = 2 * CircleSuite.seedLength

    /// The elements of the file that are not secret.
    private struct PublicParts {
        let vault: VaultID
        let publicKey: [UInt8]
        let circleKey: [UInt8]
        let epoch: UInt64

        /// The key for the seeds.
        ///
        /// It comes from an epoch's own key. A device that was removed has the keys of earlier epochs. With the first
        /// epoch's key and a backup of this file, it could open everything that is sealed to this device later.
        func sealingKey(_ vaultKey: SymmetricKey) -> SymmetricKey {
            vaultKey.derive("ward/v1/device-keys", salt: vault.bytes, context: publicKey)
        }

        /// The associated data: every element but the encrypted one.
        var associated: [UInt8] {
            let value: CBORValue = [
                "ward", 2, "device", .bytes(vault.bytes), .bytes(publicKey), .bytes(circleKey), .unsigned(epoch),
            ]
            return value.encoded()
        }
    }
}
