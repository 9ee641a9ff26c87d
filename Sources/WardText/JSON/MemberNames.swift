/// The names of members that a reader knows, in one block of bytes.
package struct MemberNames: Sendable {
    private let bytes: [UInt8]
    /// Where each name ends in the block.
    private let ends: [Int]

    package init(_ names: [String]) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for name in names {
            bytes.append(contentsOf: name.utf8)
            ends.append(bytes.count)
        }
        self.bytes = bytes
        self.ends = ends
    }

    /// The index of the name that equals the bytes of a range, or `nil`.
    package func index(of range: Range<Int>, _ input: Span<UInt8>) -> Int? {
        let (names, ends) = (bytes.span, ends.span)
        var start = 0
        for index in 0..<ends.count {
            let end = ends[index]
            if end &- start == range.count, Self.isEqual(names, start..<end, input, range.lowerBound) { return index }
            start = end
        }
        return nil
    }

    private static func isEqual(_ names: Span<UInt8>, _ range: Range<Int>, _ input: Span<UInt8>, _ start: Int) -> Bool {
        var position = start
        for index in range {
            if names[index] != input[position] { return false }
            position &+= 1
        }
        return true
    }
}
