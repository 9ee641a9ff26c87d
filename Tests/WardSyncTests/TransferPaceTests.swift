import Testing

@testable import WardSync

/// How large pages and uploads become over lines of different kinds.
@Suite struct `The pace of a transfer` {
    /// The sizes of transfers over a line, as parts of the largest one.
    private func sizes(_ count: Int, isFull: Bool = true, time: (Double) -> Duration) -> [Int] {
        var pace = TransferPace()
        return (0..<count).map { _ in
            pace.note(time(1 / Double(pace.shares)), isFull: isFull)
            return pace.shares
        }
    }

    @Test func `grows over a fast line`() {
        #expect(sizes(4) { .milliseconds(100 * $0) } == [4, 2, 1, 1])
    }

    @Test func `makes each take about a second`() {
        // The largest one takes 8, 40 and 400 seconds.
        #expect(sizes(3) { .seconds(8 * $0) } == [8, 8, 8])
        #expect(sizes(4) { .seconds(40 * $0) } == [16, 32, 32, 32])
        #expect(sizes(4) { .seconds(400 * $0) } == [16, 32, 32, 32])
    }

    @Test func `stays large if it is the way that takes long`() {
        let found = sizes(40) { .seconds(3) + .milliseconds(100 * $0) }
        #expect(found.first == 16 && found.dropFirst(6).allSatisfy { $0 <= 2 })
        #expect(found.count { $0 == 1 } > 20)
    }

    @Test func `learns nothing from what is not full`() {
        #expect(sizes(3, isFull: false) { _ in .milliseconds(1) } == [8, 8, 8])
        #expect(sizes(3, isFull: false) { _ in .seconds(60) } == [8, 8, 8])
    }

    @Test func `has at least one entry, and no more than what passed before`() {
        let pace = TransferPace()
        #expect(pace.limit().entries == 62 && pace.limit().bytes == 1_048_576)
        #expect(pace.limit(parts: 32).entries == 15 && pace.limit(parts: 1_024).entries == 1)
    }
}
