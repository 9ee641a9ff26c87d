import Testing
import WardCBOR

@testable import WardSync

@Suite struct `Room on a server` {
    private struct Case: CustomTestStringConvertible {
        let testDescription: String
        let numbers: [UInt64]
        let percent: Int?

        init(_ description: String, _ numbers: [UInt64], _ percent: Int?) {
            (testDescription, self.numbers, self.percent) = (description, numbers, percent)
        }
    }

    private static let cases = [
        Case("nothing said", [], nil), Case("no pair", [5], nil), Case("a limit of none", [5, 0], nil),
        Case("empty", [0, 100, 0, 10], 0), Case("the fullest of all counts", [10, 100, 3, 10, 50, 60, 1, 9], 83),
        Case("rounded down", [799, 1_000, 0, 10], 79), Case("more than there is", [300, 100], 100),
        Case("the largest numbers", [.max, .max, 0, .max], 100), Case("a pair that makes no sense", [5, 0, 8, 10], 80),
    ]

    @Test(arguments: cases) private func `is the fullest of what a server says`(one: Case) {
        let room = ServerRoom(one.numbers)
        #expect(room?.percent == one.percent)
        #expect(room?.almostFull == one.percent.flatMap { $0 >= 80 ? $0 : nil })
    }

    @Test func `is read from the answer to a session, as far as it goes`() {
        #expect(ServerRoom([1: "token", 2: 3_600]) == nil)
        #expect(ServerRoom([1: "token", 2: 3_600, 3: 90, 4: 100, 5: 1, 6: 10])?.percent == 90)
        #expect(ServerRoom([3: 10, 4: 100, 5: 1, 6: 10, 7: 45, 8: 50, 9: 1, 10: 5])?.percent == 90)
        #expect(ServerRoom([3: "x", 4: 100, 5: 10, 6: 10]) == nil)
    }
}
