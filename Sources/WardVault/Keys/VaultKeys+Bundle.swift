internal import WardCBOR

extension VaultKeys {
    /// The content of an envelope, which the caller must wipe: a CBOR map from epochs to keys.
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
            if names[start].owner != nil { writer.writeArray(count: end - start) }
            for name in names[start..<end] { write(name, to: &writer) }
            start = end
        }
        return writer.bytes
    }

    private func write(_ name: Name, to writer: inout CBORWriter) {
        var key = locked(name)?.copy ?? []
        defer { key.wipe() }
        if let owner = name.owner {
            writer.writeArray(count: 2)
            writer.write(bytes: owner)
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
                    let owner = CBORReader.copy(try reader.readBytes(input), of: input)
                    // In order, so that a set of keys has one form, and no key is there twice.
                    guard previous.lexicographicallyPrecedes(owner) else { throw Self.malformed }
                    previous = owner
                    _ = try reader.nextElement(&pair, input)
                    keys[Name(epoch: epoch, owner: owner)] = try LockedBytes(bundle[reader.readBytes(input)])
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
