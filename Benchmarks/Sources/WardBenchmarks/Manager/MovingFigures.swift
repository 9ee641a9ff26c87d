import Foundation
import WardVault

/// What is measured with many items at once: moving in, and the audit.
extension ManagerFigures {
    /// Imports a table of another manager beside a vault that writes the same items without reading, asking or comparing.
    static func importing(_ world: ManagerWorld) async throws -> [Figure] {
        let items = try (0..<ManagerWorld.itemCount).map { index in
            var item = try ManagerWorld.item(index)
            (item.passkeys, item.codes) = ([], [])
            return item
        }
        var table = "name,url,username,password,note\n"
        for item in items {
            table += "\(item.title),\(item.sites[0].text),\(item.username),\(item.password?.value.revealed ?? ""),\n"
        }
        let file = world.folder + "/passwords.csv"
        try Data(table.utf8).write(to: URL(fileURLWithPath: file))
        var (ours, theirs) = (Samples(), Samples())
        for round in 0..<5 {
            let place = try await Place(world, "import-\(round)")
            try place.run(["unlock", "--passphrase-fd", "0"])
            try await ours.measure { try place.run(["import", file, "--apply", "--no-prompt"]) }
            try place.run(["agent", "--stop"])

            let bare = world.location(named: "bare-\(round)")
            try await ManagerWorld.makeVault(at: bare, items: 0)
            let vault = try await ManagerWorld.openVault(at: bare)
            try await theirs.measure {
                try await vault.write { transaction in
                    for item in items { try transaction.add(item) }
                }
            }
            try await vault.close()
        }
        return [
            Figure(
                name: "manager-import",
                title: "ward import --apply of a table with \(ManagerWorld.itemCount) logins, the whole command",
                ours: ours,
                theirs: theirs,
                limitTitle: "the vault alone writes the same items in one transaction",
                bound: nil
            )
        ]
    }

    /// The audit without a network beside reading the items that it must see.
    static func auditing(_ world: ManagerWorld) async throws -> [Figure] {
        let agent = try await AgentProcess.start(world)
        try agent.unlock()
        let audit = Command(words: [world.ward, "audit", "--json", "--no-prompt"], environment: world.environment)
        var ours = Samples()
        for _ in 0..<6 { try await ours.measure { try audit.run() } }
        try agent.stop()

        var theirs = Samples()
        for _ in 0..<6 {
            let vault = try await ManagerWorld.openVault(at: world.location)
            try await theirs.measure {
                for summary in try await vault.summaries() { _ = try await vault.item(summary.id) }
            }
            try await vault.close()
        }
        return [
            Figure(
                name: "manager-audit",
                title: "ward audit of \(ManagerWorld.itemCount) items, the vault open, the whole command",
                ours: ours,
                theirs: theirs,
                limitTitle: "the vault alone decrypts each item once",
                bound: nil
            )
        ]
    }

    /// An empty vault of its own, with its own agent.
    private struct Place {
        private let ward: String
        private let environment: [String: String]

        init(_ world: ManagerWorld, _ name: String) async throws {
            ward = world.ward
            let folder = world.folder + "/" + name
            environment = world.environment.merging(
                [
                    "HOME": folder, "XDG_DATA_HOME": folder + "/data", "XDG_STATE_HOME": folder + "/state",
                    "XDG_RUNTIME_DIR": folder + "/run", "XDG_CONFIG_HOME": folder + "/config",
                    "XDG_CACHE_HOME": folder + "/cache",
                ]
            ) { $1 }
            for path in [folder, folder + "/data", folder + "/state", folder + "/run"] {
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            try await ManagerWorld.makeVault(at: world.location(named: name), items: 0)
        }

        /// Runs `ward` and waits for its end.
        func run(_ words: [String]) throws {
            let input = words.contains("--passphrase-fd") ? ManagerWorld.passphrase + "\n" : ""
            try Command(words: [ward] + words, environment: environment, input: input).run()
        }
    }
}
