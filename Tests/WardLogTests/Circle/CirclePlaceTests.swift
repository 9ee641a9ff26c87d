import Testing
import WardLog

private let (a, b, c, stranger) = (0, 1, 2, 5)

/// Operation 12 with a place.
@Suite struct `A move of the vault` {
    private typealias History = CircleHistory<StandardCircleRules>

    private func hashes(_ history: History, _ places: Int...) -> Set<[UInt8]> {
        Set(places.map { history.entries[$0].hash })
    }

    @Test func `is of a member and of the owner`() {
        var history = History(devices: 3)
        #expect(history.state.places.isEmpty)
        let entry = history.draft(.init(author: a, view: 1, kind: .place))
        #expect(history.mayWrite(entry))
        var unsigned = entry
        unsigned.approvals = []
        #expect(!history.mayWrite(unsigned))
        var foreign = entry
        foreign.device = History.device(stranger)
        #expect(!history.mayWrite(foreign))
        let move = history.write(a, .place)
        #expect(history.state.places == hashes(history, move))
        #expect(history.state.minimumReader == 0)
    }

    @Test func `gives way to the next one`() {
        var history = History(devices: 3)
        let first = history.write(a, .place)
        let second = history.write(b, .place, knowing: [first])
        #expect(history.state.places == hashes(history, second))
        history.write(c, .rules, knowing: [second])
        history.write(c, .rekey, knowing: [second])
        #expect(history.state.places == hashes(history, second), "other operations change nothing")
    }

    @Test func `stands beside one of the same time, until another one knows both`() {
        var history = History(devices: 3)
        let moves = (history.write(a, .place), history.write(b, .place))
        #expect(history.state.places == hashes(history, moves.0, moves.1))
        let last = history.write(c, .place, knowing: [moves.0, moves.1])
        #expect(history.state.places == hashes(history, last))
    }

    @Test func `does not count if its device was removed and nobody knew it`() {
        var history = History(devices: 3)
        let known = history.write(b, .place)
        let removal = history.write(a, .remove(1 << UInt32(b)), knowing: [known])
        history.write(b, .place, knowing: [known])
        #expect(history.state.places == hashes(history, known))
        let late = history.draft(.init(author: b, view: history.pasts[removal] | 1 << UInt32(removal), kind: .place))
        #expect(!history.mayWrite(late))
    }
}
