import Crypto
import Foundation
import Testing
import WardCBOR
import WardLog

@testable import WardVault

@Suite struct `The keys of a device in a circle` {
    private let fixture: VaultFixture
    private let vault = VaultID(genesis: [1])
    private let keys: VaultKeys

    init() throws {
        fixture = try VaultFixture()
        keys = try Self.keys([7, 8])
    }

    /// Vault keys that repeat a byte, one per epoch; the last epoch is the current one.
    private static func keys(_ values: [UInt8]) throws -> VaultKeys {
        var keys: [VaultKeys.Name: LockedBytes] = [:]
        for (epoch, value) in values.enumerated() {
            keys[VaultKeys.Name(epoch: UInt64(epoch))] = try LockedBytes([UInt8](repeating: value, count: 32))
        }
        return try VaultKeys(keys, current: VaultKeys.Name(epoch: UInt64(values.count - 1)))
    }

    private var path: String { fixture.folder.path + "/device" }

    /// A device with keys of a circle, and its file.
    private func written() throws -> (made: DeviceFile, bytes: [UInt8]) {
        var made = try DeviceFile(VaultEnvironment())
        made.circleKeys = try DeviceKeys(VaultEnvironment())
        try made.write(path, vault, keys, VaultEnvironment())
        return (made, try #require(try SmallFile.read(path, limit: DeviceFile.maximumLength)))
    }

    private func read(_ bytes: [UInt8], _ keys: VaultKeys? = nil) throws -> DeviceFile? {
        try SmallFile.replace(path, with: bytes)
        return try DeviceFile(path, vault, keys ?? self.keys)
    }

    private func withChecksum(_ body: [UInt8]) -> [UInt8] { body + Array(SHA256.hash(data: body)) }

    @Test func `are read from the device's file`() throws {
        let (made, bytes) = try written()
        let parts = try #require(try CBORValue.decode(Array(bytes.dropLast(32))).arrayValue)
        #expect(parts.count == 8 && parts[1] == 2 && parts[7] == 1)
        let found = try #require(try read(bytes))
        #expect(found.device == made.device && found.key.publicKey == made.key.publicKey)
        #expect(found.key.bytes == made.key.bytes)
        #expect(found.circleKeys?.pair.bytes == made.circleKeys?.pair.bytes)
        #expect(found.circleKeys?.publicKey == parts[6].bytesValue)
        #expect(try DeviceFile(path, VaultID(genesis: [2]), keys) == nil)
    }

    @Test func `are absent from a file of version 1`() throws {
        let made = try DeviceFile(VaultEnvironment())
        try made.write(path, vault, keys, VaultEnvironment())
        let bytes = try #require(try SmallFile.read(path, limit: DeviceFile.maximumLength))
        let parts = try #require(try CBORValue.decode(Array(bytes.dropLast(32))).arrayValue)
        #expect(parts.count == 6 && parts[1] == 1)
        let found = try #require(try read(bytes))
        #expect(found.device == made.device && found.circleKeys == nil)
        // Version 1 needs the key of the first epoch alone.
        #expect(try read(bytes, Self.keys([7]))?.device == made.device)
        #expect(try read(bytes, Self.keys([9, 8])) == nil)
    }

    /// Otherwise a device that was removed could open them in a backup of this device.
    @Test func `open with the key of the epoch in which they were written`() throws {
        let (made, bytes) = try written()
        #expect(try read(bytes, Self.keys([9, 8, 10]))?.device == made.device)
        #expect(try read(bytes, Self.keys([7])) == nil)
        #expect(try read(bytes, Self.keys([7, 9])) == nil)
    }

    @Test func `count as absent if any byte of the file is changed`() throws {
        let (made, bytes) = try written()
        let body = Array(bytes.dropLast(32))
        #expect(try read(withChecksum(body))?.device == made.device)
        for index in body.indices {
            #expect(try read(withChecksum(body.flipped(at: index))) == nil, "byte \(index)")
            #expect(try read(bytes.flipped(at: index)) == nil, "byte \(index)")
        }
    }

    @Test func `count as absent if the file has another form`() throws {
        let (_, bytes) = try written()
        let parts = try #require(try CBORValue.decode(Array(bytes.dropLast(32))).arrayValue)
        func replacing(_ index: Int, _ value: CBORValue) -> [CBORValue] {
            var parts = parts
            parts[index] = value
            return parts
        }
        for wrong in [
            Array(parts.dropLast()), parts + [0], replacing(1, 1), replacing(3, .bytes([1])), replacing(3, "text"),
            replacing(4, .bytes([])), replacing(4, 1), replacing(5, .bytes([])), replacing(5, 1),
            replacing(6, .bytes([])), replacing(6, 1), replacing(7, 0), replacing(7, 2), replacing(7, "1"),
            replacing(7, .negative(0)),
        ] {
            #expect(try read(withChecksum(CBORValue.array(wrong).encoded())) == nil)
        }
        #expect(throws: VaultError(.unknownVersion, "")) {
            try read(withChecksum(CBORValue.array(replacing(1, 3)).encoded()))
        }
    }

    @Test func `are two whole seeds that fit their public keys`() throws {
        let (made, bytes) = try written()
        var parts = try #require(try CBORValue.decode(Array(bytes.dropLast(32))).arrayValue)
        let (first, second) = (made.key.bytes, try #require(made.circleKeys).pair.bytes)
        func sealing(_ seeds: [UInt8]) throws -> DeviceFile? {
            let associated: [CBORValue] = ["ward", 2, "device", parts[3], parts[4], parts[6], parts[7]]
            let sealed = try Sealing.seal(
                seeds,
                key: keys.key(VaultKeys.Name(epoch: 1)).derive(
                    "ward/v1/device-keys",
                    salt: vault.bytes,
                    context: made.key.publicKey
                ),
                nonce: [UInt8](repeating: 0, count: Sealing.nonceLength),
                associated: CBORValue.array(associated).encoded()
            )
            parts[5] = .bytes(sealed)
            return try read(withChecksum(CBORValue.array(parts).encoded()))
        }
        #expect(try sealing(first + second)?.device == made.device)
        let (short, long) = (Array(second.dropLast()), second + [0])
        let changed = (first.flipped(at: 0), second.flipped(at: 0))
        let between = first + [0]
        let seeds: [[UInt8]] = [
            [], first, first + short, first + long, between + second, second + first, changed.0 + second,
            first + changed.1,
        ]
        for wrong in seeds {
            #expect(try sealing(wrong) == nil)
        }
    }

    @Test func `open what is sealed for the device, and are not shown`() throws {
        let (sealing, deviceKeys) = (try CircleFixture(), try DeviceKeys(VaultEnvironment()))
        let recipient = deviceKeys.recipient(sealing.device)
        #expect(recipient.suite == CircleSuite.standard.rawValue && recipient.publicKey.count == 1216)
        let key = try sealing.secrets.sealed(to: recipient, vault: sealing.vault, epoch: sealing.epoch)
        #expect(try sealing.opened([key], with: deviceKeys.pair)?.isSame(as: sealing.secrets) == true)
        #expect(isHidden(deviceKeys, as: "DeviceKeys"))
    }
}
