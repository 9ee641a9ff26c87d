/// A set of small numbers.
struct Bits: Hashable {
    private var words: [UInt64] = []

    mutating func insert(_ number: Int) {
        let word = number / 64
        if words.count <= word { words += repeatElement(0, count: word + 1 - words.count) }
        words[word] |= 1 << UInt64(number % 64)
    }

    mutating func remove(_ number: Int) {
        guard number / 64 < words.count else { return }
        words[number / 64] &= ~(1 << UInt64(number % 64))
        trim()
    }

    var isEmpty: Bool { words.isEmpty }

    /// How many words of memory the set takes.
    var wordCount: Int { words.count }

    mutating func formUnion(_ other: Bits) {
        if words.count < other.words.count { words += repeatElement(0, count: other.words.count - words.count) }
        for (index, word) in other.words.enumerated() { words[index] |= word }
    }

    mutating func formIntersection(_ other: Bits) {
        if words.count > other.words.count { words.removeLast(words.count - other.words.count) }
        for index in words.indices { words[index] &= other.words[index] }
        trim()
    }

    mutating func subtract(_ other: Bits) {
        for index in 0..<min(words.count, other.words.count) { words[index] &= ~other.words[index] }
        trim()
    }

    /// Equal sets have equal words.
    private mutating func trim() { while words.last == 0 { words.removeLast() } }

    func contains(_ number: Int) -> Bool {
        number / 64 < words.count && words[number / 64] & (1 << UInt64(number % 64)) != 0
    }

    /// Whether a member is in two other sets and not in a third one.
    func contains(anyOf one: Bits, and other: Bits, butNotOf third: Bits) -> Bool {
        for index in 0..<min(words.count, one.words.count, other.words.count) {
            let word = words[index] & one.words[index] & other.words[index]
            if word & ~(index < third.words.count ? third.words[index] : 0) != 0 { return true }
        }
        return false
    }

    /// The largest member.
    var last: Int? {
        for (index, word) in words.enumerated().reversed() where word != 0 {
            return index * 64 + 63 - word.leadingZeroBitCount
        }
        return nil
    }

    /// The members, the smallest first.
    var members: [Int] {
        var found: [Int] = []
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                found.append(index * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return found
    }
}
