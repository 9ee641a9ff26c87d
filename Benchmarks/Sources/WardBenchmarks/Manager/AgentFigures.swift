import Foundation

/// What is measured over the agent's socket.
extension ManagerFigures {
    /// Lists from an open agent, until the last byte arrived; programs that start are not counted.
    static func listing(_ world: ManagerWorld) async throws -> [Figure] {
        let agent = try await AgentProcess.start(world)
        var first = Samples()
        for _ in 0..<5 {
            try agent.unlock()
            first.append(try await listed(agent, "", times: 1).best)
            try agent.call("vault.lock")
        }
        try agent.unlock()
        let all = try await listed(agent, "", times: 21)
        let some = try await listed(agent, "user12", times: 21)
        try agent.stop()
        return [
            list("manager-list-all", "all \(ManagerWorld.itemCount) items from an open agent, received", all),
            list("manager-list-all-first", "the same for the first time after unlocking", first),
            list("manager-list-query", "the 111 items that fit a word, from an open agent", some),
        ]
    }

    private static func list(_ name: String, _ title: String, _ samples: Samples) -> Figure {
        Figure(
            name: name,
            title: title,
            value: samples.median,
            text: samples.text,
            unit: "ms",
            limit: 50,
            limitText: "50 ms"
        )
    }

    private static func listed(_ agent: AgentProcess, _ query: String, times: Int) async throws -> Samples {
        let expected = query.isEmpty ? ManagerWorld.itemCount : 111
        let connection = try AgentConnection(to: agent.world.socket)
        let parameters: [String: Any] = ["authorization": ["mayPrompt": false], "query": query, "inTrash": false]
        var samples = Samples()
        for _ in 0..<times {
            let answer = try await samples.measure { try connection.exchange("items.list", parameters) }
            let items = try AgentConnection.result(answer, of: "items.list")["items"] as? [Any]
            guard items?.count == expected else {
                throw Command.Failed(description: "\(items?.count ?? 0) items are listed, not \(expected)")
            }
        }
        return samples
    }

    /// The memory of an agent that has just unlocked and listed everything.
    static func memory(_ world: ManagerWorld) async throws -> [Figure] {
        let agent = try await AgentProcess.start(world)
        let start = try agent.memory("VmRSS")
        try agent.unlock()
        let unlocked = try agent.memory("VmRSS")
        _ = try await listed(agent, "", times: 1)
        let resident = try agent.memory("VmRSS")
        _ = try await listed(agent, "", times: 20)
        let later = try agent.memory("VmRSS")
        let highest = try agent.memory("VmHWM")
        try agent.stop()
        return [
            Figure(
                name: "manager-agent-memory",
                title: "memory of an agent with \(ManagerWorld.itemCount) items, unlocked and listed",
                value: max(resident, later),
                text: "\(rounded(resident, 1)) MB resident, \(rounded(later, 1)) MB after 20 lists more; "
                    + "\(rounded(start, 1)) MB at its start, \(rounded(unlocked, 1)) MB unlocked",
                unit: "MB",
                limit: 120,
                limitText: "120 MB",
                more: [
                    "the most it ever had: \(rounded(highest, 1)) MB, 64 MiB of which Argon2id takes while unlocking"
                ]
            )
        ]
    }
}
