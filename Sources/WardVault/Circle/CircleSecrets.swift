internal import Crypto
internal import WardCBOR
internal import WardLog

/// What every member of a circle gets with a new epoch: the vault key and the Secret Key.
///
/// `Documentation/formats/sync.md`, "Sealed keys".
struct CircleSecrets: Sendable, CustomStringConvertible, CustomReflectable {
    /// The vault key of the epoch, 32 bytes.
    let vaultKey: LockedBytes
    let secretKey: SecretKey

    /// Takes both.
    ///
    /// - Throws: ``VaultError`` with `damaged` unless the vault key has 32 bytes.
    init(vaultKey: LockedBytes, secretKey: SecretKey) throws(VaultError) {
        guard vaultKey.count == VaultKeys.keyLength else {
            throw VaultError(.damaged, "a vault key must have \(VaultKeys.keyLength) bytes")
        }
        self.vaultKey = vaultKey
        self.secretKey = secretKey
    }

    /// Refuses a vault key that does not fit a header.
    ///
    /// The signature of an entry shows who sealed the key, and not that all recipients got the same one. So a recipient
    /// compares the key with the header that the entry names.
    ///
    /// - Throws: ``VaultError`` with `damaged`.
    func check(commitment: [UInt8], of vault: VaultID) throws(VaultError) {
        guard VaultKeys.fits(vaultKey, commitment, of: vault) else {
            throw VaultError(.damaged, "The vault key that was sealed for this device does not fit the vault's header")
        }
    }

    /// The text that is shown instead of the keys.
    var description: String { "CircleSecrets" }
    /// A mirror without the secrets.
    var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: Sealing

extension CircleSecrets {
    /// Seals the keys to one recipient.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion` if the suite is unknown, with `damaged` if the public key is
    ///   malformed, or with `unavailable`.
    func sealed(
        to recipient: CircleRecipient,
        vault: VaultID,
        epoch: UInt64
    ) throws(VaultError) -> CircleSealedKey {
        guard let suite = CircleSuite(rawValue: recipient.suite) else { throw Self.unknownSuite(recipient.suite) }
        var plaintext = encoded()
        defer { plaintext.wipe() }
        let sealed = try suite.seal(
            plaintext,
            to: recipient.publicKey,
            info: Self.info(vault, epoch, recipient.id)
        )
        return CircleSealedKey(
            recipient: recipient.id,
            suite: suite.rawValue,
            encapsulation: sealed.encapsulation,
            ciphertext: sealed.ciphertext
        )
    }

    /// Seals the keys to several recipients, in their order.
    ///
    /// A recipient with an unknown suite or a malformed public key gets nothing, and is returned. Otherwise one device
    /// could stop all others from making a new key.
    ///
    /// - Throws: ``VaultError`` with `unavailable`.
    func sealed(
        toEachOf recipients: [CircleRecipient],
        vault: VaultID,
        epoch: UInt64
    ) throws(VaultError) -> (keys: [CircleSealedKey], skipped: [CircleRecipient]) {
        var keys: [CircleSealedKey] = []
        var skipped: [CircleRecipient] = []
        for recipient in recipients {
            do throws(VaultError) {
                keys.append(try sealed(to: recipient, vault: vault, epoch: epoch))
            } catch {
                guard error.code == .unknownVersion || error.code == .damaged else { throw error }
                skipped.append(recipient)
            }
        }
        return (keys, skipped)
    }

    /// Opens the keys that were sealed to one recipient.
    ///
    /// What is sealed to others is not looked at.
    ///
    /// - Parameters:
    ///   - sealed: The sealed keys of an entry.
    ///   - recipient: The ID of the recipient: a device's ID, or the Ed25519 key of a recovery key.
    ///   - pair: The recipient's key pair.
    ///   - vault: The vault of the entry.
    ///   - epoch: The epoch that the entry makes.
    /// - Returns: The keys, or `nil` if none are sealed to the recipient.
    /// - Throws: ``VaultError`` with `unknownVersion` if the recipient's own suite is unknown. With `damaged` if a byte
    ///   was changed, if the keys are for another vault, epoch or key pair, or if the recipient is named twice.
    static func open(
        _ sealed: [CircleSealedKey],
        for recipient: [UInt8],
        with pair: HPKEKeyPair,
        vault: VaultID,
        epoch: UInt64
    ) throws(VaultError) -> CircleSecrets? {
        let own = sealed.filter { $0.recipient == recipient }
        guard let key = own.first else { return nil }
        guard own.count == 1 else { throw damaged }
        guard CircleSuite(rawValue: key.suite) != nil else { throw unknownSuite(key.suite) }
        guard var plaintext = pair.open(key, info: info(vault, epoch, recipient)) else { throw damaged }
        defer { plaintext.wipe() }
        return try CircleSecrets(plaintext: plaintext)
    }

    /// HPKE's `info`, which binds the keys to one vault, epoch and recipient.
    private static func info(_ vault: VaultID, _ epoch: UInt64, _ recipient: [UInt8]) -> [UInt8] {
        let value: CBORValue = [
            "ward", 1, "circle-key", .bytes(vault.bytes), .unsigned(epoch), .bytes(recipient),
        ]
        return value.encoded()
    }

    private static func unknownSuite(_ suite: UInt64) -> VaultError {
        VaultError(.unknownVersion, "A later version of Ward sealed this vault key (suite \(suite)): update Ward")
    }

    private static var damaged: VaultError {
        VaultError(.damaged, "The vault key that was sealed for this device is damaged")
    }
}

// MARK: The plaintext

extension CircleSecrets {
    /// The bytes that are sealed, which the caller must wipe.
    private func encoded() -> [UInt8] {
        var vaultKey = vaultKey.copy
        defer { vaultKey.wipe() }
        var secretKey = secretKey.bytes.copy
        defer { secretKey.wipe() }
        var writer = CBORWriter()
        // With the room from the start, no copy stays behind where the bytes would have moved from.
        writer.bytes.reserveCapacity(Self.plaintextCapacity)
        writer.writeMap(count: 2)
        writer.write(unsigned: 1)
        writer.write(bytes: vaultKey)
        writer.write(unsigned: 2)
        writer.write(bytes: secretKey)
        return writer.bytes
    }

    /// Reads the bytes that were sealed.
    ///
    /// Unknown fields are for later versions.
    private init(plaintext: [UInt8]) throws(VaultError) {
        let input = plaintext.span
        var reader = CBORReader()
        var first: LockedBytes?
        var second: LockedBytes?
        do {
            var map = try reader.readMap(input)
            while let key = try reader.nextKey(&map, input) {
                switch key {
                case .integer(1): first = try LockedBytes(plaintext[reader.readBytes(input)])
                case .integer(2): second = try LockedBytes(plaintext[reader.readBytes(input)])
                case .integer, .text: _ = try reader.skip(input)
                }
            }
            try reader.finish(input)
        } catch let error as VaultError {
            throw error
        } catch {
            throw Self.damaged
        }
        guard let vaultKey = first, let secretKey = second.flatMap({ SecretKey($0) }) else { throw Self.damaged }
        try self.init(vaultKey: vaultKey, secretKey: secretKey)
    }

    private static let plaintextCapacity = 64
}
