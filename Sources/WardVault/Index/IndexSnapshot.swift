internal import WardCBOR
internal import WardLog

/// An index in its form on disk: one block of bytes with tables.
///
/// The tables are read in place, so that ten thousand items cost almost no time until they are used.
///
/// All numbers are little-endian. First come six numbers of 4 bytes: the magic, the numbers of items, site keys and
/// credential keys, and the lengths of the state and the texts. Then the slots, one per item in the order of their IDs;
/// the sorted keys, each 8 bytes of hash and 4 of slot; the state of the log in CBOR; the texts of the slots.
struct IndexSnapshot {
    static let magic: UInt32 = 0x3358_4957
    static let headerLength = 24
    static let slotLength = 72
    static let keyLength = 12
    static let rules = CBORRules(
        maximumDepth: 8,
        maximumItems: 1 << 16,
        maximumLength: Item.maximumSize,
        allowsFloats: true
    )

    private(set) var bytes: [UInt8]
    /// The number of items.
    let count: Int
    /// The state of the log when the index was made.
    var chain: LogChain { state.chain }
    /// The removals of items whose revisions may still be in the file.
    var removals: [Removal] { state.removals }
    /// The positions of the contents of attached files, by their hashes.
    var contents: [[UInt8]: ContentPlace] { state.contents }
    private let state: IndexState
    private let siteCount: Int
    private let credentialCount: Int
    private let arena: Int

    /// Checks that the tables have the right sizes.
    ///
    /// The result is `nil` if they do not.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerLength else { return nil }
        let numbers = (0..<6).map { Int(Self.number(bytes, at: $0 * 4, width: 4)) }
        guard numbers[0] == Int(Self.magic) else { return nil }
        count = numbers[1]
        siteCount = numbers[2]
        credentialCount = numbers[3]
        let tables = count * Self.slotLength + (siteCount + credentialCount) * Self.keyLength
        let state = Self.headerLength + tables
        arena = state + numbers[4]
        guard arena + numbers[5] == bytes.count,
            let value = try? CBORValue.decode(Array(bytes[state..<arena]), rules: Self.rules),
            let log = IndexState(value)
        else { return nil }
        self.state = log
        self.bytes = bytes
    }

    /// The slot of an item.
    func slot(_ id: ItemID) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            switch compare(id.bytes, toIDOf: middle) {
            case 0: return middle
            case ..<0: high = middle
            default: low = middle + 1
            }
        }
        return nil
    }

    /// The slots with a site's key.
    ///
    /// Some slots of other keys with the same hash can be among them.
    func slots(siteHash hash: UInt64) -> [Int] { slots(hash, table: 0, count: siteCount) }

    /// The slots of a credential ID.
    func slots(credentialHash hash: UInt64) -> [Int] { slots(hash, table: siteCount, count: credentialCount) }

    /// The summary in a slot; `nil` if its texts are malformed.
    func summary(_ slot: Int) -> ItemSummary? {
        guard let range = range(slot, field: 56) else { return nil }
        let input = bytes.span
        var reader = CBORReader(at: range.lowerBound, rules: Self.rules)
        return try? ItemSummary(&reader, input)
    }

    /// The range of a slot's search text in ``bytes``.
    func searchRange(_ slot: Int) -> Range<Int> { range(slot, field: 64) ?? 0..<0 }

    func summaryRange(_ slot: Int) -> Range<Int> { range(slot, field: 56) ?? 0..<0 }

    func id(_ slot: Int) -> ItemID? { ItemID(Array(bytes[slotStart(slot)..<slotStart(slot) + 16])) }

    /// The positions of the newest revisions of a slot's item.
    func heads(_ slot: Int, _ id: ItemID) -> [RevisionPlace] {
        if let several = state.several[id] { return several }
        let position = Int64(truncatingIfNeeded: Self.number(bytes, at: slotStart(slot) + 48, width: 8))
        return [RevisionPlace(position: position, hash: Array(bytes[slotStart(slot) + 16..<slotStart(slot) + 48]))]
    }

    /// All keys with their slots: first site keys, then credential keys.
    func keys() -> (sites: [(hash: UInt64, slot: Int)], credentials: [(hash: UInt64, slot: Int)]) {
        let all = (0..<siteCount + credentialCount).map { index in
            let start = keyStart(index)
            return (Self.number(bytes, at: start, width: 8), Int(Self.number(bytes, at: start + 8, width: 4)))
        }
        return (Array(all.prefix(siteCount)), Array(all.dropFirst(siteCount)))
    }

    /// Overwrites all bytes.
    mutating func wipe() { bytes.wipe() }

    private func slotStart(_ slot: Int) -> Int { Self.headerLength + slot * Self.slotLength }

    private func keyStart(_ index: Int) -> Int {
        Self.headerLength + count * Self.slotLength + index * Self.keyLength
    }

    private func range(_ slot: Int, field: Int) -> Range<Int>? {
        guard slot >= 0, slot < count else { return nil }
        let start = slotStart(slot) + field
        let offset = arena + Int(Self.number(bytes, at: start, width: 4))
        let length = Int(Self.number(bytes, at: start + 4, width: 4))
        guard offset + length <= bytes.count else { return nil }
        return offset..<offset + length
    }

    private func compare(_ id: [UInt8], toIDOf slot: Int) -> Int {
        let start = slotStart(slot)
        for (index, byte) in id.enumerated() {
            let other = bytes[start + index]
            if byte != other { return byte < other ? -1 : 1 }
        }
        return 0
    }

    private func slots(_ hash: UInt64, table: Int, count: Int) -> [Int] {
        var (low, high) = (table, table + count)
        while low < high {
            let middle = (low + high) / 2
            if Self.number(bytes, at: keyStart(middle), width: 8) < hash { low = middle + 1 } else { high = middle }
        }
        var found: [Int] = []
        while low < table + count, Self.number(bytes, at: keyStart(low), width: 8) == hash {
            let slot = Int(Self.number(bytes, at: keyStart(low) + 8, width: 4))
            if slot < self.count { found.append(slot) }
            low += 1
        }
        return found
    }

    static func number(_ bytes: [UInt8], at offset: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in stride(from: offset + width - 1, through: offset, by: -1) {
            value = value << 8 | UInt64(bytes[index])
        }
        return value
    }
}
