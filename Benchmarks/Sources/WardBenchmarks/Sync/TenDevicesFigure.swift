import Foundation

/// How soon a change is on all devices of a person who has ten of them, and what it takes to remove one.
enum TenDevicesFigure {
    private static let (name, removalName) = ("sync-ten", "sync-ten-removal")
    private static let (devices, changes) = (10, 100)
    /// Ten agents share the processors of one machine here, so their vaults are small.
    private static let items = 100

    static func run(isWanted: (String) -> Bool, _ report: (Figure) -> Void) async throws {
        guard isWanted(name) || isWanted(removalName) else { return }
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
        if isWanted(name) { report(try await changed(agents, in: world.folder)) }
        if isWanted(removalName) { report(try await removal(of: agents[devices - 1], by: agents[0])) }
        for agent in agents { try agent.stop() }
    }

    private static func changed(_ agents: [AgentProcess], in folder: String) async throws -> Figure {
        let connections = try agents.map { try AgentConnection(to: $0.world.socket) }
        var times: [Double] = []
        let insert = try BareInsert(in: folder)
        var commits = Samples()
        for number in 0..<changes {
            let (writer, title) = (number % devices, "change\(number)")
            try agents[writer].add(title, on: connections[writer])
            let start = ContinuousClock.now
            for other in 0..<devices where other != writer { try SyncFigures.shown(title, on: connections[other]) }
            times.append((ContinuousClock.now - start) / .milliseconds(1))
            // All devices and the server keep it.
            try await commits.measure { try insert.run(devices + 1) }
        }
        func part(_ part: Double, of values: [Double]) -> Double {
            values.sorted()[Int(Double(values.count - 1) * part)]
        }
        let (half, most) = (part(0.5, of: times), part(0.99, of: times))
        return Figure(
            name: name,
            title: "a change on one of ten devices is shown on the nine others, after the first has answered",
            value: most,
            text:
                "p50 \(rounded(half, 1)) ms, p99 \(rounded(most, 1)) ms of \(changes); all ten agents run on this machine",
            unit: "ms",
            limit: 200,
            limitText: "200 ms for the p99"
        ).beside(part(0.99, of: commits.values), "the p99 of \(devices + 1) rows on the disk, one after the other")
    }

    private static func removal(of removed: AgentProcess, by agent: AgentProcess) async throws -> Figure {
        let listed = try removed.call("devices.list", ["authorization": ["mayPrompt": false]])
        let own = (listed["devices"] as? [[String: Any]] ?? []).filter { $0["isThisDevice"] as? Bool == true }
        let parameters: [String: Any] = [
            "devices": own.compactMap { $0["id"] as? String }, "passphrase": ManagerWorld.passphrase,
            "keepsSecretKey": false,
        ]
        var samples = Samples()
        try await samples.measure { try agent.call("devices.remove", parameters) }
        return Figure(
            name: removalName,
            title: "one of ten devices is removed: a new key, sealed for the nine others",
            value: samples.best,
            text: "\(samples.text), all others hear of it meanwhile",
            unit: "ms",
            limit: 1_000,
            limitText: "1000 ms"
        ).beside(2 * (try await ManagerFigures.bareArgon2id().best), SyncFigures.removalLimit)
    }
}
