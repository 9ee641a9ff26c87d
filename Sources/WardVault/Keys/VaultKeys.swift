internal import Crypto
internal import WardLog
internal import WardText

/// The keys of an open vault by their names, in locked memory.
///
/// A new key is made if a person or device with the current one must not get the next one. Items record the epoch of their
/// key. `Documentation/formats/sync.md`, "Keys and headers".
struct VaultKeys: Sendable {
    /// The name of a vault key.
    ///
    /// Two devices can make a key with the same epoch. Each comes with an owner key of its own.
    struct Name: Hashable, Comparable, Sendable {
        var epoch: UInt64
        /// The owner key (Ed25519, 32 bytes) that came with the vault key.
        ///
        /// It is `nil` if no operation on a circle of devices made the key, as for epoch 0.
        var owner: [UInt8]?

        /// The key of a new vault.
        static let first = Self(epoch: 0, owner: nil)

        /// Orders by epoch, then by owner key.
        static func < (lhs: Self, rhs: Self) -> Bool {
            guard lhs.epoch == rhs.epoch else { return lhs.epoch < rhs.epoch }
            return (lhs.owner ?? []).lexicographicallyPrecedes(rhs.owner ?? [])
        }
    }

    private let keys: [Name: LockedBytes]
    /// The name of the key for new revisions.
    let current: Name

    static let keyLength = 32

    /// Creates the first key of a new vault.
    init(randomBytes: (Int) -> [UInt8]) throws(VaultError) {
        try self.init([.first: Self.drawn(randomBytes)], current: .first)
    }

    /// Takes keys by their names.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the first or the current key is missing, or if a key or a name is
    ///   malformed.
    init(_ keys: [Name: LockedBytes], current: Name) throws(VaultError) {
        guard keys[.first] != nil, keys[current] != nil else {
            throw VaultError(.damaged, "the encrypted keys of the vault are incomplete")
        }
        for (name, key) in keys {
            guard key.count == Self.keyLength else { throw Self.malformed }
            guard let owner = name.owner else { continue }
            // The first key is older than every operation, and the bundle has room for one key without an owner key.
            guard owner.count == LogEntry.publicKeyLength, name.epoch > 0, keys[Name(epoch: name.epoch)] == nil else {
                throw Self.malformed
            }
        }
        self.keys = keys
        self.current = current
    }

    /// A random key.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if the system has no random bytes.
    static func drawn(_ randomBytes: (Int) -> [UInt8]) throws(VaultError) -> LockedBytes {
        var drawn = randomBytes(keyLength)
        defer { drawn.wipe() }
        guard drawn.count == keyLength else { throw VaultError(.unavailable, "the system has no random bytes") }
        return try LockedBytes(drawn)
    }

    static var malformed: VaultError { VaultError(.damaged, "an envelope contains malformed keys") }
}

// MARK: Keys

extension VaultKeys {
    /// The names of all keys, in order.
    var names: [Name] { keys.keys.sorted() }

    /// The number of the current key's epoch.
    var epoch: UInt64 { current.epoch }

    /// Whether the set has a key.
    func has(_ name: Name) -> Bool { keys[name] != nil }

    /// The key with a name, in locked memory.
    func locked(_ name: Name) -> LockedBytes? { keys[name] }

    /// The key with a name.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion` if the set does not have it.
    func key(_ name: Name) throws(VaultError) -> SymmetricKey {
        guard let key = keys[name] else { throw Self.missing(name.epoch) }
        return key.symmetricKey
    }

    /// The keys of an epoch, in the order of their names.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion` if the set has none.
    func keys(ofEpoch epoch: UInt64) throws(VaultError) -> [SymmetricKey] {
        let found = keys.keys.filter { $0.epoch == epoch }.sorted().compactMap { keys[$0]?.symmetricKey }
        guard !found.isEmpty else { throw Self.missing(epoch) }
        return found
    }

    /// The key of a new vault, which every device has that can open the vault.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion`; a set always has the key.
    var first: SymmetricKey { get throws(VaultError) { try key(.first) } }

    /// The set with one more key; the current key stays.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the key or the name is malformed, or if another key has this name.
    func adding(_ key: LockedBytes, named name: Name) throws(VaultError) -> VaultKeys {
        if let present = keys[name], !present.isEqual(to: key) { throw Self.malformed }
        return try VaultKeys(keys.merging([name: key]) { old, _ in old }, current: current)
    }

    /// The set without some keys.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the first or the current key is one of them.
    func removing(_ names: Set<Name>) throws(VaultError) -> VaultKeys {
        try VaultKeys(keys.filter { !names.contains($0.key) }, current: current)
    }

    /// The set with all keys of another one; the current key stays.
    ///
    /// If both have a key that an operation made, that of the other set is taken. If no operation made it, the own one stays.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the names contradict each other.
    func preferring(_ others: VaultKeys) throws(VaultError) -> VaultKeys {
        let made = others.keys.filter { $0.key.owner != nil }
        let all = keys.merging(made) { _, other in other }.merging(others.keys) { own, _ in own }
        return try VaultKeys(all, current: current)
    }

    /// The first and the current key alone.
    func firstAndCurrent() throws(VaultError) -> VaultKeys {
        try VaultKeys(keys.filter { $0.key == .first || $0.key == current }, current: current)
    }

    /// The set with another current key.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the set does not have the key.
    func choosing(_ name: Name) throws(VaultError) -> VaultKeys { try VaultKeys(keys, current: name) }

    private static func missing(_ epoch: UInt64) -> VaultError {
        VaultError(
            .unknownVersion,
            "a revision is encrypted with a key of epoch \(epoch), which this vault does not have"
        )
    }
}

// MARK: Uses

extension VaultKeys {
    /// Derives a key for one purpose from the current key.
    func derive(_ label: String, salt: [UInt8], context: [UInt8] = []) throws(VaultError) -> SymmetricKey {
        try key(current).derive(label, salt: salt, context: context)
    }

    /// Computes the check value of the current key, which binds a header to these keys.
    ///
    /// AES-GCM alone does not bind it.
    func commitment(_ vault: VaultID) throws(VaultError) -> [UInt8] {
        try derive("ward/v1/commitment", salt: vault.bytes).published
    }

    /// Whether a key has a check value.
    static func fits(_ key: LockedBytes, _ commitment: [UInt8], of vault: VaultID) -> Bool {
        isEqualInConstantTime(Self.commitment(of: key, vault), commitment)
    }

    /// The check value of a key.
    static func commitment(of key: LockedBytes, _ vault: VaultID) -> [UInt8] {
        key.symmetricKey.derive("ward/v1/commitment", salt: vault.bytes, context: []).published
    }

    /// The key that admits devices, until there is a circle of devices.
    ///
    /// Every person who can open the vault can use it.
    func authority(nonce: [UInt8]) throws(VaultError) -> SigningSeed {
        var bytes = try first.derive("ward/v1/authority", salt: nonce, context: []).copy
        return try SigningSeed(wiping: &bytes)
    }
}
