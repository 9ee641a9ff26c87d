import Testing
import WardTesting

@testable import WardVault

/// A clock that is wrong decides which of two values is shown, so a person hears which one it is.
@Suite struct `A device whose clock is ahead` {
    @Test(arguments: [(0, false), (80_000, false), (3 * 86_400, true), (10 * 365 * 86_400, true)])
    func `is named if it is more than a day, and nobody else is`(seconds: Int64, isNamed: Bool) async throws {
        let world = try await CircleWorld(devices: 3)
        world.fixtures[1].world.advance(by: seconds)
        try await world.add(1, "from the future")
        try await world.meet()
        // Who takes it does not take its time over.
        for number in [0, 2] { try await world.add(number, "from \(number)") }
        try await world.meet()
        for number in 0..<3 {
            let ahead = try await world.overview(number).devices.filter { $0.clockAhead != nil }
            let wanted = isNamed && number != 1 ? [try await world.id(1)] : []
            #expect(ahead.map(\.id) == wanted, "seen by \(number)")
            if let first = ahead.first?.clockAhead { #expect(abs(first - seconds) < 3_600) }
        }
        #expect(try await world.titles(0) == world.titles(1))
        try await world.close()
    }
}

extension CircleWorld {
    fileprivate func add(_ number: Int, _ title: String) async throws {
        _ = try await self[number].write { try $0.add(Item(title: title)) }
    }
}
