internal import Crypto
internal import WardCBOR
package import WardLog
internal import WardText

/// What a member of a circle answers to the request of a new device.
///
/// It is sealed to the new device, and has an authentication code that nobody can make without the passphrase and the
/// Secret Key. It has no vault key. `Documentation/formats/sync.md`, "Pairing by file".
package struct PairingReply: Sendable, CustomStringConvertible, CustomReflectable {
    /// The vault.
    ///
    /// Nothing is proven about it before ``check(with:for:)``.
    package let vault: VaultID
    /// The hash of the entry that begins the circle, 32 bytes.
    let root: [UInt8]
    let secretKey: SecretKey
    /// SHA-256 of the body of the header whose passphrase authenticates the reply, 32 bytes.
    let headerHash: [UInt8]
    /// The newest entries of all devices that the member knows, in the order of the devices.
    let heads: [LogEntry.Seen]
    /// These devices, whose folders the new device must read.
    package var devices: [DeviceID] { heads.map(\.device) }
    /// The authentication code; it is empty before the reply is sealed.
    let mac: [UInt8]

    /// The longest reply, in bytes.
    package static let maximumLength = 16_384

    /// Says what a member tells a new device.
    init(vault: VaultID, root: [UInt8], secretKey: SecretKey, headerHash: [UInt8], heads: [LogEntry.Seen]) {
        self.vault = vault
        self.root = root
        self.secretKey = secretKey
        self.headerHash = headerHash
        self.heads = heads.sorted { $0.device < $1.device }
        mac = []
    }

    /// The text that is shown instead of the contents.
    package var description: String { "PairingReply" }
    /// A mirror without the secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: Sealing

extension PairingReply {
    /// Seals the reply to the device of a request.
    ///
    /// - Parameters:
    ///   - request: The request of the new device.
    ///   - unlock: The keys of the passphrase and the Secret Key, of the header that the reply names.
    /// - Returns: The bytes of the file.
    /// - Throws: ``VaultError`` with `damaged` if no reader would take the reply, or with `unavailable`.
    func sealed(
        for request: PairingRequest,
        with unlock: VaultHeader.UnlockKeys
    ) throws(VaultError) -> [UInt8] {
        var plaintext = encoded(with: authentication(with: unlock, for: request))
        defer { plaintext.wipe() }
        _ = try PairingReply(plaintext: plaintext)
        let sealed = try DeviceKeys.suite.seal(
            plaintext,
            to: request.device.sealingKey,
            info: Self.info(request)
        )
        let bytes = PairingMessage(sealed.encapsulation, sealed.ciphertext).encoded(as: .reply)
        guard bytes.count <= Self.maximumLength else {
            throw VaultError(.damaged, "The circle has too many devices for a reply")
        }
        return bytes
    }

    /// Opens a reply that was sealed to this device for its request.
    ///
    /// Everybody who can write into the folder can seal something to this device. So ``check(with:for:)`` decides.
    ///
    /// - Throws: ``VaultError`` with `damaged`, or with `unknownVersion` for a later version.
    package init(_ bytes: [UInt8], for pending: PendingDevice) throws(VaultError) {
        let (encapsulation, ciphertext) = try PairingMessage(bytes, as: .reply).parts
        let sealed = CircleSealedKey(
            recipient: pending.request.device.id.bytes,
            suite: DeviceKeys.suite.rawValue,
            encapsulation: encapsulation,
            ciphertext: ciphertext
        )
        guard var plaintext = pending.keys.pair.open(sealed, info: Self.info(pending.request)) else {
            throw Self.damaged
        }
        defer { plaintext.wipe() }
        try self.init(plaintext: plaintext)
    }

    /// Refuses a reply of a person without the passphrase.
    ///
    /// - Parameters:
    ///   - unlock: The keys of the passphrase that a person typed and of ``secretKey``, with the vault and the key
    ///     derivation of the header that the reply names.
    ///   - request: The request of this device.
    /// - Throws: ``VaultError`` with `damaged`. It can mean a wrong passphrase.
    func check(with unlock: VaultHeader.UnlockKeys, for request: PairingRequest) throws(VaultError) {
        guard unlock.vault == vault, isEqualInConstantTime(authentication(with: unlock, for: request), mac) else {
            throw Self.damaged
        }
    }

    /// The authentication code of the reply.
    private func authentication(with unlock: VaultHeader.UnlockKeys, for request: PairingRequest) -> [UInt8] {
        var message = encoded(with: nil)
        defer { message.wipe() }
        var code = HMAC<SHA256>(key: unlock.pairing)
        code.update(data: message)
        code.update(data: request.id)
        return Array(code.finalize())
    }

    /// HPKE's `info`, which binds the reply to one request.
    private static func info(_ request: PairingRequest) -> [UInt8] {
        let value: CBORValue = ["ward", 1, "pairing-reply", .bytes(request.id)]
        return value.encoded()
    }

    private static var damaged: VaultError { PairingMessage.Kind.reply.damaged }
}

// MARK: The plaintext

extension PairingReply {
    /// The fields 1 to 5, or 1 to 6 with an authentication code; the caller must wipe them.
    func encoded(with mac: [UInt8]?) -> [UInt8] {
        var secretKey = secretKey.bytes.copy
        defer { secretKey.wipe() }
        var writer = CBORWriter()
        // With the room from the start, no copy stays behind where the bytes would have moved from.
        writer.bytes.reserveCapacity(Self.capacity + heads.count * Self.capacityOfHead)
        writer.writeMap(count: mac == nil ? 5 : 6)
        writer.write(unsigned: 1)
        writer.write(bytes: vault.bytes)
        writer.write(unsigned: 2)
        writer.write(bytes: root)
        writer.write(unsigned: 3)
        writer.write(bytes: secretKey)
        writer.write(unsigned: 4)
        writer.write(bytes: headerHash)
        writer.write(unsigned: 5)
        writer.writeArray(count: heads.count)
        for head in heads {
            writer.writeArray(count: 3)
            writer.write(bytes: head.device.bytes)
            writer.write(unsigned: head.sequence)
            writer.write(bytes: head.hash)
        }
        if let mac {
            writer.write(unsigned: 6)
            writer.write(bytes: mac)
        }
        return writer.bytes
    }

    /// Reads the plaintext; the caller must wipe it.
    ///
    /// Unknown fields are for later versions.
    init(plaintext: [UInt8]) throws(VaultError) {
        let input = plaintext.span
        var reader = CBORReader(rules: Self.rules)
        var strings: [Int64: [UInt8]] = [:]
        var secretKey: SecretKey?
        var heads: [LogEntry.Seen] = []
        do {
            var map = try reader.readMap(input)
            while let key = try reader.nextKey(&map, input) {
                switch key {
                case .integer(3): secretKey = SecretKey(try LockedBytes(plaintext[reader.readBytes(input)]))
                case .integer(5): heads = try Self.readHeads(&reader, input)
                case .integer(let number) where [1, 2, 4, 6].contains(number):
                    strings[number] = CBORReader.copy(try reader.readBytes(input), of: input)
                case .integer, .text: _ = try reader.skip(input)
                }
            }
            try reader.finish(input)
        } catch let error as VaultError {
            throw error
        } catch {
            throw Self.damaged
        }
        guard let vault = strings[1].flatMap({ VaultID($0) }), let root = strings[2], let secretKey,
            let headerHash = strings[4], let mac = strings[6], root.count == LogEntry.hashLength,
            headerHash.count == LogEntry.hashLength, mac.count == SHA256.byteCount, !heads.isEmpty
        else { throw Self.damaged }
        self.vault = vault
        self.root = root
        self.secretKey = secretKey
        self.headerHash = headerHash
        self.heads = heads
        self.mac = mac
    }

    /// An array of [device, sequence, hash], in the order of the devices, each once.
    private static func readHeads(_ reader: inout CBORReader, _ input: Span<UInt8>) throws -> [LogEntry.Seen] {
        var heads: [LogEntry.Seen] = []
        var array = try reader.readArray(input)
        while try reader.nextElement(&array, input) {
            var parts = try reader.readArray(input)
            guard parts.count == 3 else { throw damaged }
            _ = try reader.nextElement(&parts, input)
            let device = DeviceID(CBORReader.copy(try reader.readBytes(input), of: input))
            _ = try reader.nextElement(&parts, input)
            let sequence = try reader.readUnsigned(input)
            _ = try reader.nextElement(&parts, input)
            let hash = CBORReader.copy(try reader.readBytes(input), of: input)
            _ = try reader.nextElement(&parts, input)
            guard let device, sequence > 0, hash.count == LogEntry.hashLength else { throw damaged }
            if let last = heads.last, last.device >= device { throw damaged }
            heads.append(LogEntry.Seen(device: device, sequence: sequence, hash: hash))
        }
        return heads
    }

    private static let capacity = 256
    private static let capacityOfHead = 64
    private static let rules = CBORRules(
        maximumDepth: 4,
        maximumItems: maximumLength,
        maximumLength: maximumLength
    )
}
