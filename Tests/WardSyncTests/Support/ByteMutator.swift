/// Changes bytes at random places: the same changes each time.
struct ByteMutator {
    private var generator: SplitMix
    private let original: [UInt8]

    /// Heads of CBOR at which readers stumble.
    private static let tokens: [[UInt8]] = [
        [0x00], [0x20], [0x40], [0x60], [0x80], [0xa0], [0xf4], [0xf6], [0xf7], [0xff], [0x5f], [0x7f], [0x9f], [0xbf],
        [0x18, 0x18], [0x18, 0x17], [0x1b] + [UInt8](repeating: 0xff, count: 8),
        [0x3b] + [UInt8](repeating: 0xff, count: 8), [0x5b] + [UInt8](repeating: 0xff, count: 8),
        [0x9b, 0x7f] + [UInt8](repeating: 0xff, count: 7), [0xc0, 0x00], [0xf9, 0x7e, 0x00],
        [UInt8](repeating: 0x81, count: 20), [0x62, 0xc3, 0x28], [0x61, 0x1b],
    ]

    init(seed: UInt64, _ original: [UInt8]) {
        generator = SplitMix(state: seed)
        self.original = original
    }

    private mutating func number(below limit: Int) -> Int { Int(generator.next() % UInt64(max(limit, 1))) }

    /// A range of at most so many bytes.
    private mutating func range(_ bytes: [UInt8], _ length: Int) -> Range<Int> {
        let start = number(below: bytes.count)
        return start..<min(bytes.count, start + 1 + number(below: length))
    }

    mutating func next() -> [UInt8] {
        var bytes = original
        for _ in 0...number(below: 3) where !bytes.isEmpty {
            let place = number(below: bytes.count)
            switch number(below: 8) {
            case 0, 1: bytes[place] ^= 1 << UInt8(number(below: 8))
            case 2: bytes[place] = UInt8(number(below: 256))
            case 3: bytes.removeSubrange(range(bytes, 16))
            case 4: bytes.insert(contentsOf: bytes[range(bytes, 64)], at: place)
            case 5: bytes.insert(contentsOf: Self.tokens[number(below: Self.tokens.count)], at: place)
            case 6: bytes.replaceSubrange(range(bytes, 8), with: Self.tokens[number(below: Self.tokens.count)])
            default: bytes.removeLast(min(bytes.count, number(below: 32)))
            }
        }
        return bytes
    }
}
