internal import WardCBOR
internal import WardLog

/// What a header has in a circle of devices: the sealed owner keys, the earlier vault keys, and what a recovery key opens.
///
/// `Documentation/formats/sync.md`, "The header".
struct HeaderCircle: Hashable, Sendable {
    /// An owner key, sealed with the passphrase.
    struct Owner: Hashable, Sendable {
        /// The public key, 32 bytes.
        var publicKey: [UInt8]
        var sealed: [UInt8]
    }

    /// What there is for one recovery key.
    struct Recovery: Hashable, Sendable {
        /// The Ed25519 key of the recovery key, 32 bytes.
        var publicKey: [UInt8]
        /// The owner keys, sealed to the recovery key, by their public keys.
        var owners: [SealedOwner]
        /// The proof that the circle belongs to the recovery key, 32 bytes.
        ///
        /// It is `nil` in the header of the entry that begins the circle, because the proof contains the hash of this entry.
        var proof: [UInt8]?
    }

    /// An owner key, sealed to a recovery key.
    struct SealedOwner: Hashable, Sendable {
        var publicKey: [UInt8]
        var key: CircleSealedKey
    }

    /// The owner key that came with the current vault key: half of its name.
    var keyOwner: [UInt8]
    /// The owner keys, in the order of the public keys.
    var owners: [Owner]
    /// All vault keys, sealed with the current one.
    var keys: [UInt8]
    /// The recovery keys, in the order of the public keys.
    var recovery: [Recovery]
    /// The Secret Key, sealed with the current vault key.
    ///
    /// So a device that was admitted beside a removal gets the Secret Key that the removal made.
    var secretKey: [UInt8]
    /// The hash of the entry that begins the circle, 32 bytes.
    ///
    /// The vault's keys confirm it, so a restored copy knows its circle. It is `nil` in the header of this entry itself.
    var root: [UInt8]?

    static let maximumOwners = 16
    static let maximumRecovery = 8
}

// MARK: The fields 12, 13, 14, 16 and 17

extension HeaderCircle {
    func write(to map: inout MapWriter) {
        map.put(12, [.bytes(keyOwner), .array(owners.map { [.bytes($0.publicKey), .bytes($0.sealed)] })])
        map.put(13, bytes: keys)
        map.put(14, .array(recovery.map(\.cbor)))
        map.put(16, bytes: root)
        map.put(17, bytes: secretKey)
    }

    /// Reads the fields; `nil` if the header has none.
    ///
    /// - Throws: ``VaultError`` with `damaged`.
    init?(_ map: inout MapReader) throws(VaultError) {
        guard let names = map.value(12) else { return nil }
        guard let parts = names.arrayValue, parts.count == 2, let keyOwner = Self.publicKey(parts[0]),
            let owners = parts[1].arrayValue, owners.count <= Self.maximumOwners,
            let recovery = map.value(14)?.arrayValue, recovery.count <= Self.maximumRecovery
        else { throw Self.damaged }
        self.keyOwner = keyOwner
        self.owners = try owners.map { (value) throws(VaultError) in
            guard let parts = value.arrayValue, parts.count == 2, let publicKey = Self.publicKey(parts[0]),
                let sealed = parts[1].bytesValue
            else { throw Self.damaged }
            return Owner(publicKey: publicKey, sealed: sealed)
        }
        keys = try map.required(map.bytes(13), 13)
        self.recovery = try recovery.map { (value) throws(VaultError) in try Recovery(value) }
        root = try map.bytes(16)
        secretKey = try map.required(map.bytes(17), 17)
        guard root == nil || root?.count == LogEntry.hashLength, Self.areInOrder(self.owners.map(\.publicKey)),
            Self.areInOrder(self.recovery.map(\.publicKey)),
            self.recovery.allSatisfy({ Self.areInOrder($0.owners.map(\.publicKey)) })
        else { throw Self.damaged }
    }

    fileprivate static func publicKey(_ value: CBORValue) -> [UInt8]? {
        guard let bytes = value.bytesValue, bytes.count == LogEntry.publicKeyLength else { return nil }
        return bytes
    }

    /// One form for one content: in order, and each once.
    private static func areInOrder(_ keys: [[UInt8]]) -> Bool {
        zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    }

    fileprivate static var damaged: VaultError { VaultError(.damaged, "The vault's header is damaged") }
}

extension HeaderCircle.Recovery {
    fileprivate var cbor: CBORValue {
        let owners = owners.map { owner -> CBORValue in
            [
                .bytes(owner.publicKey), .unsigned(owner.key.suite), .bytes(owner.key.encapsulation),
                .bytes(owner.key.ciphertext),
            ]
        }
        return [.bytes(publicKey), .array(owners), proof.map { .bytes($0) } ?? .null]
    }

    fileprivate init(_ value: CBORValue) throws(VaultError) {
        guard let parts = value.arrayValue, parts.count == 3, let publicKey = HeaderCircle.publicKey(parts[0]),
            let owners = parts[1].arrayValue, owners.count <= HeaderCircle.maximumOwners,
            parts[2] == .null || parts[2].bytesValue?.count == HeaderCircle.proofLength
        else { throw HeaderCircle.damaged }
        self.publicKey = publicKey
        proof = parts[2].bytesValue
        self.owners = try owners.map { (value) throws(VaultError) in
            guard let parts = value.arrayValue, parts.count == 4, let owner = HeaderCircle.publicKey(parts[0]),
                case .unsigned(let suite) = parts[1], let encapsulation = parts[2].bytesValue,
                let ciphertext = parts[3].bytesValue
            else { throw HeaderCircle.damaged }
            return HeaderCircle.SealedOwner(
                publicKey: owner,
                key: CircleSealedKey(
                    recipient: publicKey,
                    suite: suite,
                    encapsulation: encapsulation,
                    ciphertext: ciphertext
                )
            )
        }
    }
}

extension HeaderCircle {
    fileprivate static let proofLength = 32
}

// MARK: What the current vault key opens

extension HeaderCircle {
    /// Seals all vault keys with the current one.
    ///
    /// So a recovery key needs nothing but the current vault key, which every operation seals to it.
    ///
    /// - Throws: ``VaultError`` with `unavailable`.
    static func sealed(
        _ keys: VaultKeys,
        _ vault: VaultID,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> [UInt8] {
        var bundle = keys.bundle()
        defer { bundle.wipe() }
        return try Sealing.seal(
            bundle,
            key: keys.derive("ward/v1/circle/keys", salt: vault.bytes),
            nonce: environment.random(Sealing.nonceLength),
            associated: associated("circle-keys", keys.current, vault)
        )
    }

    /// Seals the Secret Key with the current vault key.
    ///
    /// - Throws: ``VaultError`` with `unavailable`.
    static func sealed(
        _ secretKey: SecretKey,
        with keys: VaultKeys,
        _ vault: VaultID,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> [UInt8] {
        var bytes = secretKey.bytes.copy
        defer { bytes.wipe() }
        return try Sealing.seal(
            bytes,
            key: keys.derive("ward/v1/circle/secret-key", salt: vault.bytes),
            nonce: environment.random(Sealing.nonceLength),
            associated: associated("circle-secret-key", keys.current, vault)
        )
    }

    /// Opens all vault keys with the current one.
    ///
    /// - Parameters:
    ///   - current: The current vault key.
    ///   - epoch: The epoch of the header.
    ///   - vault: The vault.
    /// - Returns: The keys, with the current one.
    /// - Throws: ``VaultError`` with `damaged`.
    func open(
        with current: LockedBytes,
        epoch: UInt64,
        vault: VaultID
    ) throws(VaultError) -> VaultKeys {
        let name = VaultKeys.Name(epoch: epoch, owner: keyOwner)
        let key = current.symmetricKey.derive("ward/v1/circle/keys", salt: vault.bytes, context: [])
        guard var opened = Sealing.open(keys, key: key, associated: Self.associated("circle-keys", name, vault)) else {
            throw VaultError(.damaged, "The earlier keys of the vault, encrypted with the current one, are damaged")
        }
        var bundle = opened.takeBytes()
        defer { bundle.wipe() }
        return try VaultKeys(bundle: bundle, current: name)
    }

    /// Opens the Secret Key with the current vault key.
    ///
    /// - Throws: ``VaultError`` with `damaged`.
    func openSecretKey(
        with current: LockedBytes,
        epoch: UInt64,
        vault: VaultID
    ) throws(VaultError) -> SecretKey {
        let name = VaultKeys.Name(epoch: epoch, owner: keyOwner)
        let key = current.symmetricKey.derive("ward/v1/circle/secret-key", salt: vault.bytes, context: [])
        let associated = Self.associated("circle-secret-key", name, vault)
        guard var opened = Sealing.open(secretKey, key: key, associated: associated) else {
            throw VaultError(.damaged, "The Secret Key, encrypted with the current vault key, is damaged")
        }
        var bytes = opened.takeBytes()
        defer { bytes.wipe() }
        guard let secretKey = SecretKey(try LockedBytes(bytes)) else {
            throw VaultError(.damaged, "The Secret Key, encrypted with the current vault key, is malformed")
        }
        return secretKey
    }

    private static func associated(
        _ purpose: String,
        _ name: VaultKeys.Name,
        _ vault: VaultID
    ) -> [UInt8] {
        let value: CBORValue = [
            "ward", 1, .text(purpose), .bytes(vault.bytes), .unsigned(name.epoch), .bytes(name.owner ?? []),
        ]
        return value.encoded()
    }
}
