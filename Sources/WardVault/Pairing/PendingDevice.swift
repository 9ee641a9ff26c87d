internal import Crypto
internal import WardCBOR
internal import WardLog
internal import WardWebAuthn

/// The keys of a new device until it has joined a circle.
///
/// They are in the state folder, readable for their owner alone. There is no vault yet whose key could seal them.
/// `Documentation/formats/sync.md`, "Pairing by file".
package struct PendingDevice: Sendable, CustomStringConvertible, CustomReflectable {
    /// The key that will sign the device's entries.
    let key: SigningSeed
    /// The keys with which the device opens the reply, and later what others seal for it.
    let keys: DeviceKeys
    /// What is posted in the folder.
    package let request: PairingRequest

    private static let version: UInt64 = 1
    private static let kind = "pairing"
    private static let seedLength = CircleSuite.seedLength
    static let maximumLength = PairingRequest.maximumLength + 256

    /// Draws the keys of a new device, and makes its request.
    ///
    /// - Throws: ``VaultError`` with `unavailable` for a name or a system that is no label, or if the system has no
    ///   random bytes or no memory.
    package init(name: String, system: String, _ environment: VaultEnvironment) throws(VaultError) {
        var seed = try environment.random(Self.seedLength)
        key = try SigningSeed(wiping: &seed)
        keys = try DeviceKeys(environment)
        request = try PairingRequest(key, keys, name: name, system: system, time: environment.effects.now())
    }

    /// The text that is shown instead of the keys.
    package var description: String { "PendingDevice" }
    /// A mirror without the secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: The file

extension PendingDevice {
    /// Reads the file of a location; `nil` if there is none.
    ///
    /// - Throws: ``VaultError`` with `damaged`, `unknownVersion`, `unsafeFile` or `unavailable`.
    package init?(at location: VaultLocation) throws(VaultError) {
        try FileProtection.close(location.pairing, to: 0o600)
        guard var bytes = try SmallFile.read(location.pairing, limit: Self.maximumLength) else { return nil }
        defer { bytes.wipe() }
        try self.init(encoded: bytes)
    }

    /// Writes the file of a location, and creates the state folder if it is not there.
    ///
    /// - Throws: ``VaultError`` with `diskFull` or `unavailable`.
    package func write(at location: VaultLocation, _ environment: VaultEnvironment) throws(VaultError) {
        try SmallFile.makeDirectory(location.stateDirectory)
        var bytes = encoded()
        defer { bytes.wipe() }
        try SmallFile.replace(location.pairing, with: bytes, environment)
    }

    /// Overwrites and deletes the file of a location, and what an interrupted write left of it.
    package static func remove(at location: VaultLocation) {
        for path in [location.pairing, location.pairing + SmallFile.temporaryEnding] { SmallFile.erase(path) }
    }

    /// The contents of the file, which the caller must wipe.
    private func encoded() -> [UInt8] {
        var first = key.bytes
        defer { first.wipe() }
        var second = keys.pair.bytes
        defer { second.wipe() }
        var writer = CBORWriter()
        // With the room from the start, no copy stays behind where the bytes would have moved from.
        writer.bytes.reserveCapacity(Self.maximumLength)
        writer.writeArray(count: 6)
        writer.write(text: "ward")
        writer.write(unsigned: Self.version)
        writer.write(text: Self.kind)
        writer.write(bytes: first)
        writer.write(bytes: second)
        writer.write(bytes: request.encoded)
        writer.bytes.append(contentsOf: SHA256.hash(data: writer.bytes))
        return writer.bytes
    }

    /// Reads the contents of the file; the caller must wipe them.
    init(encoded: [UInt8]) throws(VaultError) {
        let end = encoded.count - SHA256.byteCount
        guard end > 0, SHA256.hash(data: encoded[..<end]) == encoded[end...] else { throw Self.damaged }
        let input = encoded.span
        var reader = CBORReader(rules: Self.rules)
        var seeds: [LockedBytes] = []
        let request: [UInt8]
        do {
            var array = try reader.readArray(input)
            guard array.count >= 3 else { throw Self.damaged }
            _ = try reader.nextElement(&array, input)
            let family = try reader.readText(input)
            _ = try reader.nextElement(&array, input)
            let version = try reader.readUnsigned(input)
            _ = try reader.nextElement(&array, input)
            let kind = try reader.readText(input)
            guard CBORReader.isText("ward", at: family, in: input), CBORReader.isText(Self.kind, at: kind, in: input)
            else { throw Self.damaged }
            guard version == Self.version else { throw Self.unknownVersion }
            guard array.count == 6 else { throw Self.damaged }
            for _ in 0..<2 {
                _ = try reader.nextElement(&array, input)
                seeds.append(try LockedBytes(encoded[reader.readBytes(input)]))
            }
            _ = try reader.nextElement(&array, input)
            request = CBORReader.copy(try reader.readBytes(input), of: input)
        } catch let error as VaultError {
            throw error
        } catch {
            throw Self.damaged
        }
        guard reader.offset == end else { throw Self.damaged }
        try self.init(seeds[0], seeds[1], request)
    }

    /// Takes the keys if the request has their public halves.
    private init(_ first: LockedBytes, _ second: LockedBytes, _ request: [UInt8]) throws(VaultError) {
        do {
            var seed = first.copy
            key = try SigningSeed(wiping: &seed)
            seed = second.copy
            keys = try DeviceKeys(wiping: &seed)
            self.request = try PairingRequest(encoded: request)
        } catch {
            // A version in the request of this device is as old as the file.
            throw [.damaged, .unknownVersion].contains(error.code) ? Self.damaged : error
        }
        guard key.publicKey == self.request.device.publicKey, keys.publicKey == self.request.device.sealingKey else {
            throw Self.damaged
        }
    }

    private static let rules = CBORRules(maximumDepth: 1, maximumLength: PairingRequest.maximumLength)

    private static var damaged: VaultError {
        VaultError(.damaged, "This device's keys for joining are damaged. Cancel joining, and begin again")
    }

    private static var unknownVersion: VaultError {
        VaultError(.unknownVersion, "This device's keys for joining have a later version: update Ward")
    }
}
