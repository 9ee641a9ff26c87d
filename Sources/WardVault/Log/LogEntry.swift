internal import Crypto
internal import WardCBOR

/// What a log entry records.
enum LogOperation: Hashable, Sendable {
    /// The vault begins, on a first device.
    case genesis(device: [UInt8], certificate: [UInt8], nonce: [UInt8], authority: [UInt8])
    /// Another device begins to write.
    case enrol(device: [UInt8], certificate: [UInt8])
    /// An item has a new revision.
    case revision(ItemRevisionRecord)
    /// An item is gone for good.
    case purge(item: ItemID, parents: [[UInt8]])
    /// The header was replaced.
    case header(generation: UInt64, hash: [UInt8])
    /// Something that a later version records and that may be passed over.
    case ignorable(UInt64, CBORValue)
}

/// What the log says about a revision; the item itself lies sealed beside it.
struct ItemRevisionRecord: Hashable, Sendable {
    var item: ItemID
    /// Counts the revisions of the item, from 1.
    var number: UInt64
    /// The entries of the revisions this one was made from: none for the first, one as long as nobody edits at the same time.
    var parents: [[UInt8]]
    /// Whose key seals it.
    var epoch: UInt64
    /// SHA-256 of the sealed item.
    var blobHash: [UInt8]
}

/// One entry of the log: signed by the device that wrote it, and chained to the one that device wrote before.
///
/// Each device has a chain of its own and names the heads of the others it has seen, so nothing is ever signed twice when
/// devices meet. `Documentation/formats/vault.md`, "Log".
package struct LogEntry: Hashable, Sendable {
    /// A device's latest entry, as another device saw it.
    struct Seen: Hashable, Sendable {
        var device: DeviceID
        var sequence: UInt64
        var hash: [UInt8]
    }

    var device: DeviceID
    /// Counts the entries of the device, from 1.
    var sequence: UInt64
    /// The hash of the device's entry before; `nil` for the first.
    var previous: [UInt8]?
    var time: HybridTime
    /// The heads of other devices that this one had not named before.
    var seen: [Seen]
    var operation: LogOperation
    var unknown = UnknownFields()

    static let version: UInt64 = 1
    static let hashLength = 32
    static let signatureLength = 64
    static let maximumLength = 65_536
    static let rules = CBORRules(maximumDepth: 8, maximumItems: 4096, maximumLength: maximumLength)
    /// Operations from here on may be passed over by who does not know them; unknown ones below may not.
    static let firstIgnorableOperation: UInt64 = 128
}

extension LogEntry {
    /// What is signed: the entry without its signature.
    func payload() -> [UInt8] {
        var map = MapWriter(keeping: unknown)
        map.put(0, .unsigned(Self.version))
        map.put(1, bytes: device.bytes)
        map.put(2, .unsigned(sequence))
        map.put(3, bytes: previous)
        map.put(4, .unsigned(time.value))
        map.put(5, array: seen.map { [.bytes($0.device.bytes), .unsigned($0.sequence), .bytes($0.hash)] })
        let (code, body) = operation.cbor
        map.put(6, .unsigned(code))
        map.put(7, body)
        return map.value.encoded()
    }

    /// Signs the entry and puts it into the form of the file.
    func signed(by key: SigningSeed, vault: VaultID?) throws(VaultError) -> SignedEntry {
        let payload = payload()
        let signature = try key.sign(Self.signedMessage(payload, vault: vault))
        return SignedEntry(entry: self, payload: payload, signature: signature)
    }

    /// What a signature covers: the vault's name too, so that no entry fits into another vault; the first entry has none.
    static func signedMessage(_ payload: [UInt8], vault: VaultID?) -> [UInt8] {
        Array("ward/v1/entry".utf8) + [0] + (vault?.bytes ?? [UInt8](repeating: 0, count: 32)) + payload
    }

    /// What the vault's authority signs to admit a device.
    static func certificateMessage(device publicKey: [UInt8], nonce: [UInt8]) -> [UInt8] {
        Array("ward/v1/device".utf8) + [0] + nonce + publicKey
    }
}

/// An entry with its signature: exactly what lies in the file, and its hash.
struct SignedEntry: Hashable, Sendable {
    let entry: LogEntry
    let payload: [UInt8]
    let signature: [UInt8]
    /// The form in the file.
    let encoded: [UInt8]
    /// SHA-256 of that form, which the next entry of the device names.
    let hash: [UInt8]

    init(entry: LogEntry, payload: [UInt8], signature: [UInt8]) {
        self.entry = entry
        self.payload = payload
        self.signature = signature
        var writer = CBORWriter()
        writer.writeArray(count: 2)
        writer.write(bytes: payload)
        writer.write(bytes: signature)
        encoded = writer.bytes
        hash = Array(SHA256.hash(data: encoded))
    }

    /// Reads the form in the file; the signature is not checked here.
    ///
    /// - Throws: ``VaultError`` with `damaged`, or `unknownVersion` for entries of a later version.
    init(encoded: [UInt8]) throws(VaultError) {
        do {
            let input = encoded.span
            var reader = CBORReader(rules: LogEntry.rules)
            var array = try reader.readArray(input)
            guard array.count == 2, try reader.nextElement(&array, input) else { throw Self.damaged }
            payload = CBORReader.copy(try reader.readBytes(input), of: input)
            guard try reader.nextElement(&array, input) else { throw Self.damaged }
            signature = CBORReader.copy(try reader.readBytes(input), of: input)
            _ = try reader.nextElement(&array, input)
            try reader.finish(input)
            guard signature.count == LogEntry.signatureLength else { throw Self.damaged }
            entry = try LogEntry(payload: payload)
        } catch let error as VaultError {
            throw error.code == .unknownVersion ? error : Self.damaged
        } catch {
            throw Self.damaged
        }
        self.encoded = encoded
        hash = Array(SHA256.hash(data: encoded))
    }

    /// Whether the device signed it.
    func isSigned(by publicKey: [UInt8], vault: VaultID?) -> Bool {
        SigningSeed.isValid(signature, of: LogEntry.signedMessage(payload, vault: vault), by: publicKey)
    }

    private static var damaged: VaultError { VaultError(.damaged, "an entry of the log was changed") }
}
