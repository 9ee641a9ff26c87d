internal import Crypto
internal import WardCBOR
internal import WardLog

/// The vault keys of an open vault by their names, in locked memory.
///
/// Two devices can make a key with the same epoch. So a key is named by its epoch and by the entry that made it.
/// `Documentation/formats/sync.md`, "Keys and headers".
struct CircleKeySet: Sendable {
    /// The name of a vault key.
    struct Name: Hashable, Comparable, Sendable {
        var epoch: UInt64
        /// The hash of the entry that made the key, 32 bytes.
        ///
        /// It is `nil` if no entry made the key, as for epoch 0.
        var entry: [UInt8]?

        /// The key of a new vault.
        static let first = Self(epoch: 0, entry: nil)

        /// Orders by epoch, then by hash.
        static func < (lhs: Self, rhs: Self) -> Bool {
            guard lhs.epoch == rhs.epoch else { return lhs.epoch < rhs.epoch }
            return (lhs.entry ?? []).lexicographicallyPrecedes(rhs.entry ?? [])
        }
    }

    private let keys: [Name: LockedBytes]
    /// The name of the key for what is sealed next.
    let current: Name

    /// The names of all keys, in order.
    var names: [Name] { keys.keys.sorted() }

    /// The key with a name.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion` if the set does not have it.
    func key(_ name: Name) throws(VaultError) -> SymmetricKey {
        guard let key = keys[name] else {
            throw VaultError(
                .unknownVersion,
                "a revision is encrypted with a key of epoch \(name.epoch), which this vault does not have"
            )
        }
        return key.symmetricKey
    }

    /// The set with one more key; the current key stays.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the key or the hash does not have 32 bytes, if another key has this
    ///   name, or if the epoch has a key without an entry.
    func adding(_ key: LockedBytes, named name: Name) throws(VaultError) -> CircleKeySet {
        if let present = keys[name], !present.isEqual(to: key) { throw Self.malformed }
        return try CircleKeySet(keys.merging([name: key]) { old, _ in old }, current: current)
    }

    /// The set with another current key.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the set does not have the key.
    func choosing(_ name: Name) throws(VaultError) -> CircleKeySet { try CircleKeySet(keys, current: name) }

    private init(_ keys: [Name: LockedBytes], current: Name) throws(VaultError) {
        guard keys[Name.first] != nil, keys[current] != nil else {
            throw VaultError(.damaged, "the encrypted keys of the vault are incomplete")
        }
        for (name, key) in keys {
            guard key.count == VaultKeys.keyLength else { throw Self.malformed }
            guard let entry = name.entry else { continue }
            // The first key is older than every entry, and the bundle has room for one key without an entry.
            guard entry.count == LogEntry.hashLength, name.epoch > 0, keys[Name(epoch: name.epoch)] == nil else {
                throw Self.malformed
            }
        }
        self.keys = keys
        self.current = current
    }

    private static var malformed: VaultError { VaultError(.damaged, "an envelope contains malformed keys") }
}

// MARK: Vaults without a circle

extension CircleKeySet {
    /// Takes the keys of a vault without a circle.
    ///
    /// - Throws: ``VaultError`` with `damaged`.
    init(_ keys: VaultKeys) throws(VaultError) {
        var named: [Name: LockedBytes] = [:]
        for (epoch, key) in keys.byEpoch { named[Name(epoch: epoch)] = key }
        try self.init(named, current: Name(epoch: keys.current))
    }

    /// The keys by their epochs alone.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion` if two keys have the same epoch.
    func vaultKeys() throws(VaultError) -> VaultKeys {
        var byEpoch: [UInt64: LockedBytes] = [:]
        for (name, key) in keys {
            guard byEpoch.updateValue(key, forKey: name.epoch) == nil else {
                throw VaultError(.unknownVersion, "two devices made a key of epoch \(name.epoch): update Ward")
            }
        }
        return try VaultKeys(byEpoch, current: current.epoch)
    }
}

// MARK: The bundle

extension CircleKeySet {
    /// The content of an envelope, which the caller must wipe.
    ///
    /// It is that of ``VaultKeys/bundle()`` if no entry made a key.
    func bundle() -> [UInt8] {
        let names = names
        var writer = CBORWriter()
        // With the room from the start, no copy stays behind where the bytes would have moved from.
        writer.bytes.reserveCapacity((names.count + 1) * Self.lengthOfKey)
        writer.writeMap(count: Set(names.map(\.epoch)).count)
        var start = names.startIndex
        while start < names.endIndex {
            let epoch = names[start].epoch
            let end = names[start...].firstIndex { $0.epoch != epoch } ?? names.endIndex
            writer.write(unsigned: epoch)
            if names[start].entry != nil { writer.writeArray(count: end - start) }
            for name in names[start..<end] { write(name, to: &writer) }
            start = end
        }
        return writer.bytes
    }

    private func write(_ name: Name, to writer: inout CBORWriter) {
        var key = keys[name]?.copy ?? []
        defer { key.wipe() }
        if let entry = name.entry {
            writer.writeArray(count: 2)
            writer.write(bytes: entry)
        }
        writer.write(bytes: key)
    }

    /// Reads the content of an envelope.
    ///
    /// - Parameters:
    ///   - bundle: The bytes; the caller must wipe them.
    ///   - current: The name of the current key.
    /// - Throws: ``VaultError`` with `damaged` for another form, or if the first or the current key is missing.
    init(bundle: [UInt8], current: Name) throws(VaultError) {
        let input = bundle.span
        var reader = CBORReader(rules: Self.rules)
        var keys: [Name: LockedBytes] = [:]
        do {
            var map = try reader.readMap(input)
            while let key = try reader.nextKey(&map, input) {
                guard case .integer(let number) = key, let epoch = UInt64(exactly: number) else {
                    throw Self.malformed
                }
                if try reader.peekType(input) == .bytes {
                    keys[Name(epoch: epoch)] = try LockedBytes(bundle[reader.readBytes(input)])
                    continue
                }
                var list = try reader.readArray(input)
                guard list.count > 0 else { throw Self.malformed }
                var previous: [UInt8] = []
                while try reader.nextElement(&list, input) {
                    var pair = try reader.readArray(input)
                    guard pair.count == 2 else { throw Self.malformed }
                    _ = try reader.nextElement(&pair, input)
                    let entry = CBORReader.copy(try reader.readBytes(input), of: input)
                    // In order, so that a set of keys has one form, and no key is there twice.
                    guard previous.lexicographicallyPrecedes(entry) else { throw Self.malformed }
                    previous = entry
                    _ = try reader.nextElement(&pair, input)
                    keys[Name(epoch: epoch, entry: entry)] = try LockedBytes(bundle[reader.readBytes(input)])
                    _ = try reader.nextElement(&pair, input)
                }
            }
            try reader.finish(input)
        } catch let error as VaultError {
            throw error
        } catch {
            throw Self.malformed
        }
        try self.init(keys, current: current)
    }

    /// The length of an element of the bundle, at most, in bytes.
    private static let lengthOfKey = 96
    private static let rules = CBORRules(maximumDepth: 4, maximumItems: 8192, maximumLength: 64)
}
