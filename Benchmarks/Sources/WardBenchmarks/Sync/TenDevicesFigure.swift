import Foundation

/// How soon a change is on all devices of a person who has ten of them.
enum TenDevicesFigure {
    private static let name = "sync-ten"
    private static let (devices, changes) = (10, 100)
    /// Ten agents share the processors of one machine here, so their vaults are small.
    private static let items = 100

    static func run(isWanted: (String) -> Bool, _ report: (Figure) -> Void) async throws {
        guard isWanted(name) else { return }
        let world = try SyncWorld()
        defer { world.remove() }
        var worlds: [ManagerWorld] = []
        defer { for one in worlds { one.remove() } }
        var agents: [AgentProcess] = []
        for number in 0..<devices {
            worlds.append(try await ManagerWorld(named: "-ten-\(number)", items: number == 0 ? items : nil))
            agents.append(try await AgentProcess.start(worlds[number]))
            if number == 0 {
                try agents[0].unlock()
                try agents[0].sync(with: world.address, invitation: world.invitation())
            } else {
                try world.join(agents[0], agents[number])
            }
        }
        let connections = try agents.map { try AgentConnection(to: $0.world.socket) }
        var times: [Double] = []
        for number in 0..<changes {
            let (writer, title) = (number % devices, "change\(number)")
            try agents[writer].add(title, on: connections[writer])
            let start = ContinuousClock.now
            for other in 0..<devices where other != writer { try SyncFigures.shown(title, on: connections[other]) }
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        times.sort()
        let (half, most) = (times[times.count / 2], times[Int(Double(times.count - 1) * 0.99)])
        report(
            Figure(
                name: name,
                title: "a change on one of ten devices is shown on the nine others, after the first has answered",
                value: most,
                text:
                    "p50 \(rounded(half, 1)) ms, p99 \(rounded(most, 1)) ms of \(changes); all ten agents run on this machine",
                unit: "ms",
                limit: 200,
                limitText: "200 ms for the p99"
            )
        )
        for agent in agents { try agent.stop() }
    }
}
