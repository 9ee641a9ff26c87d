import Foundation

/// Whole commands, from their start to their end, beside those of another manager.
extension ManagerFigures {
    /// Lists everything, from states of the agent that grow warmer.
    static func commands(_ world: ManagerWorld) async throws -> [Figure] {
        guard let database = ProcessInfo.processInfo.environment["WARD_BENCH_KDBX"] else {
            throw Command.Failed(
                description: "WARD_BENCH_KDBX names no database for keepassxc-cli: Scripts/bench makes one"
            )
        }
        let rival = Command(
            words: ["keepassxc-cli", "ls", "-q", "-R", "-f", database],
            environment: world.environment,
            input: ManagerWorld.passphrase + "\n"
        )
        let list = Command(
            words: [world.ward, "list", "--passphrase-fd", "0"],
            environment: world.environment,
            input: ManagerWorld.passphrase + "\n"
        )
        let open = Command(words: [world.ward, "list", "--no-prompt"], environment: world.environment)
        var json = open
        json.words += ["--json"]

        try await check(world, list, rival)
        var samples = Rounds()
        for _ in 0..<7 {
            try await samples.rival.measure { try rival.run() }
            try await samples.unstarted.measure { try list.run() }
            try Command(words: [world.ward, "agent", "--stop"], environment: world.environment).run()
            let agent = try await AgentProcess.start(world)
            try await samples.locked.measure { try list.run() }
            try await samples.open.measure { try open.run() }
            try await samples.json.measure { try json.run() }
            try agent.stop()
        }
        let title = "keepassxc-cli ls -R -f, KDBX 4, AES-256, Argon2id with 3 passes over 64 MiB and 1 lane"
        return [
            ("manager-command-locked", "ward list --passphrase-fd, the agent there and locked", samples.locked),
            ("manager-command-no-agent", "the same, which starts the agent too", samples.unstarted),
            ("manager-command-open", "ward list, the vault open", samples.open),
            ("manager-command-open-json", "ward list --json, the vault open", samples.json),
        ].map { name, text, ours in
            Figure(
                name: name,
                title: "\(text): all \(ManagerWorld.itemCount) items, the whole command",
                ours: ours,
                theirs: samples.rival,
                limitTitle: title,
                bound: nil
            )
        }
    }

    private struct Rounds {
        var rival = Samples()
        var unstarted = Samples()
        var locked = Samples()
        var open = Samples()
        var json = Samples()
    }

    /// Both list all there is, or there is nothing to compare.
    private static func check(_ world: ManagerWorld, _ ours: Command, _ theirs: Command) async throws {
        for command in [ours, theirs] {
            let output = world.folder + "/output"
            try command.run(output: output)
            let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
            guard lines.count(where: { $0.contains("Site ") }) >= ManagerWorld.itemCount else {
                throw Command.Failed(description: "\(command.words[0]) lists \(lines.count) lines only")
            }
        }
        try Command(words: [world.ward, "agent", "--stop"], environment: world.environment).run()
    }
}
