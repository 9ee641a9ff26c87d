import Crypto
import Foundation

/// What sync over a server costs, with the real programs: two agents and the server between them, on loopback.
enum SyncFigures {
    private static let names = [
        "sync-first", "sync-first-bytes", "sync-ready", "sync-change", "sync-change-server", "sync-change-stored",
        "sync-unlock", "sync-unlock-news", "sync-offline", "sync-removal",
    ]
    private static let changes = 200
    private static let offline = 1_000

    static func run(isWanted: (String) -> Bool, _ report: (Figure) -> Void) async throws {
        guard names.contains(where: isWanted) else { return }
        let world = try SyncWorld()
        defer { world.remove() }
        let (desk, phone) = try await (ManagerWorld(named: "-desk"), ManagerWorld(named: "-phone", items: nil))
        defer {
            desk.remove()
            phone.remove()
        }
        let (first, second) = try await (AgentProcess.start(desk), AgentProcess.start(phone))
        try first.unlock()
        let alone = try await unlocking(first)
        try first.sync(with: world.address, invitation: world.invitation())
        let figures =
            try await joining(world, first, second) + visible(world, first, second)
            + [unlocked(first, alone), news(world, first, second), offline(world, first, second), removal(first)]
        for figure in figures where isWanted(figure.name) { report(figure) }
        try first.stop()
        try second.stop()
    }

    // MARK: A new device

    private static func joining(
        _ world: SyncWorld,
        _ member: AgentProcess,
        _ new: AgentProcess
    ) async throws -> [Figure] {
        var (ours, before, client, server) = (Samples(), 0, 0.0, 0.0)
        var ready = Samples()
        let typed = try world.join(member, new) { finish in
            before = try world.bytesWritten()
            (client, server) = (try new.processorTime, world.server.processorTime)
            let start = ContinuousClock.now
            try finish()
            ours.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        ready.append((ContinuousClock.now - typed) / .milliseconds(1))
        let bytes = try world.bytesWritten() - before
        (client, server) = (try new.processorTime - client, world.server.processorTime - server)
        let count = ManagerWorld.itemCount
        var bare = Samples()
        let rows = try BareEntries(count: count, length: bytes / count)
        try await bare.measure { try rows.take(in: world.folder) }
        let stretching = try await ManagerFigures.bareArgon2id().best
        return [
            Figure(
                name: "sync-first",
                title: "a new device has all \(count) items of a server, from the passphrase on",
                ours: ours,
                theirs: bare,
                limitTitle: "as many signatures checked, boxes opened and rows written",
                bound: 2,
                more: [
                    "processor time: \(rounded(client, 0)) ms of the device, Argon2id among it, and "
                        + "\(rounded(server / 1e3, 0)) ms of the server"
                ]
            ),
            Figure(
                name: "sync-first-bytes",
                title: "bytes that the server sends for it",
                value: Double(bytes),
                text: "\(rounded(Double(bytes) / 1e6, 2)) MB, \(bytes / count) an item",
                unit: "bytes",
                limit: 8.4e6,
                limitText: "8.4 MB"
            ).beside(Double(try world.contents()), "the entries alone, and what they seal"),
            Figure(
                name: "sync-ready",
                title:
                    "a new device is ready, from its code on: the meeting, the passphrase at both devices, the first sync",
                value: ready.best,
                text: "\(rounded(ready.best, 0)) ms, without the person",
                unit: "ms",
                limit: 4_000,
                limitText: "4000 ms"
            ).beside(
                2 * stretching + bare.best,
                "Argon2id twice, and as many signatures checked, boxes opened and rows written"
            ),
        ]
    }

    // MARK: A change

    /// The time from the answer to one person's change until the other device shows it.
    private static func visible(
        _ world: SyncWorld,
        _ first: AgentProcess,
        _ second: AgentProcess
    ) async throws -> [Figure] {
        let (one, other) = try (AgentConnection(to: first.world.socket), AgentConnection(to: second.world.socket))
        var (times, commits) = (Samples(), Samples())
        let insert = try BareInsert(in: world.folder)
        let (stored, contents, server) = (try world.stored(), try world.contents(), world.server.processorTime)
        for number in 0..<changes {
            let title = "change\(number)"
            try first.add(title, on: one)
            try await times.measure { try shown(title, on: other) }
            // Two devices and a server keep it, one after the other.
            try await commits.measure { try insert.run(3) }
        }
        let spent = (world.server.processorTime - server) / Double(changes)
        let grown = Double(try world.stored() - stored) / Double(changes)
        let alone = Double(try world.contents() - contents) / Double(changes)
        let sorted = times.values.sorted()
        func part(_ part: Double) -> String { rounded(sorted[Int(Double(sorted.count - 1) * part)], 1) }
        let (check, request, row) = (try await bareCheck(), try world.bareRequest(), try await bareRow(insert))
        return [
            Figure(
                name: "sync-change",
                title: "a change on one device is shown on the other, after the first has answered",
                ours: times,
                theirs: commits,
                limitTitle: "three rows on the disk, one after the other",
                bound: 2.5,
                more: ["p50 \(part(0.5)) ms (wanted: 45), p99 \(part(0.99)) ms (wanted: 120)"]
            ),
            Figure(
                name: "sync-change-server",
                title: "processor time of the server for a change that another device gets",
                value: spent,
                text: "\(rounded(spent, 0)) µs in three requests; one request takes the bare framework "
                    + "\(rounded(request, 0)) µs at this pace, and a bare check of a signature \(rounded(check, 0)) µs",
                unit: "us",
                limit: 250,
                limitText: "250 µs"
            ).beside(
                3 * request + check + row,
                "three requests to the bare framework, one signature checked, one row on the disk"
            ),
            Figure(
                name: "sync-change-stored",
                title: "bytes that the server's database grows by a change",
                value: grown,
                text: "\(rounded(grown, 0)) bytes in pages of the database",
                unit: "bytes",
                limit: 1_250,
                limitText: "1250 bytes"
            ).beside(alone, "the entry alone, and what it seals"),
        ]
    }

    static func shown(_ query: String, on connection: AgentConnection) throws {
        let parameters: [String: Any] = ["authorization": ["mayPrompt": false], "query": query, "inTrash": false]
        for _ in 0..<100_000 {
            let found = try connection.call("items.list", parameters)["items"] as? [[String: Any]] ?? []
            if found.contains(where: { $0["title"] as? String == query }) { return }
            usleep(500)
        }
        throw Command.Failed(description: "\(query) does not reach the other device")
    }

    /// The microseconds of one check of an Ed25519 signature.
    private static func bareCheck() async throws -> Double {
        let key = Curve25519.Signing.PrivateKey()
        let (text, count) = (Data(count: 300), 1_000)
        let signature = try key.signature(for: text)
        var samples = Samples()
        for _ in 0..<3 {
            await samples.measureProcessor {
                for _ in 0..<count { _ = key.publicKey.isValidSignature(signature, for: text) }
            }
        }
        return samples.best * 1e3 / Double(count)
    }

    /// The microseconds of processor time for one row on the disk.
    private static func bareRow(_ insert: BareInsert) async throws -> Double {
        let count = 200
        var samples = Samples()
        for _ in 0..<3 { try await samples.measureProcessor { try insert.run(count) } }
        return samples.best * 1e3 / Double(count)
    }

    // MARK: Unlocking

    private static func unlocking(_ agent: AgentProcess) async throws -> Samples {
        var samples = Samples()
        for _ in 0..<6 {
            try agent.call("vault.lock")
            try await samples.measure { try agent.unlock() }
        }
        samples.dropFirst()
        return samples
    }

    private static func unlocked(_ agent: AgentProcess, _ alone: Samples) async throws -> Figure {
        let ours = try await unlocking(agent)
        return Figure(
            name: "sync-unlock",
            title: "unlocking a vault that is synced",
            ours: ours,
            theirs: alone,
            limitTitle: "the same vault before sync was on",
            bound: 1.05
        )
    }

    /// Unlocking while the server has a hundred changes of another device, until they are shown.
    private static func news(
        _ world: SyncWorld,
        _ agent: AgentProcess,
        _ other: AgentProcess
    ) async throws -> Figure {
        let (reader, writer) = try (AgentConnection(to: agent.world.socket), AgentConnection(to: other.world.socket))
        var (alone, ours, bare) = (Samples(), Samples(), Samples())
        let rows = try BareEntries(count: 100, length: 900)
        for round in 0..<4 {
            // Without news, in turns.
            try agent.call("vault.lock")
            try await alone.measure {
                try agent.unlock()
                try shown("change0", on: reader)
            }
            try agent.call("vault.lock")
            for number in 0..<100 { try other.add("news\(round)x\(number)", on: writer) }
            try other.call("sync.now", ["authorization": ["mayPrompt": false]])
            try await ours.measure {
                try agent.unlock()
                try shown("news\(round)x99", on: reader)
            }
            try await bare.measure { try rows.take(in: world.folder) }
        }
        let extra = ours.median - alone.median
        return Figure(
            name: "sync-unlock-news",
            title: "unlocking while 100 changes of another device wait at the server, until they are shown",
            value: extra,
            text:
                "\(rounded(extra, 1)) ms more than the \(rounded(alone.median, 1)) ms without news; medians of \(ours.values.count)",
            unit: "ms",
            limit: 30,
            limitText: "30 ms"
        ).beside(bare.median, "as many signatures checked, boxes opened and rows written")
    }

    // MARK: Apart

    /// Two devices change a thousand items each without each other, and come to the same.
    private static func offline(
        _ world: SyncWorld,
        _ first: AgentProcess,
        _ second: AgentProcess
    ) async throws -> Figure {
        let agents = [first, second]
        try world.withoutServer {
            for (index, agent) in agents.enumerated() {
                let connection = try AgentConnection(to: agent.world.socket)
                for number in 0..<offline {
                    // Half of them are items that the other device changes too.
                    let item = number < offline / 2 ? number : number + index * offline
                    let change = index == 0 ? ["username": "of \(index)"] : ["notes": "of \(index)"]
                    let parameters: [String: Any] = [
                        "authorization": ["mayPrompt": false], "item": "Site \(item + ManagerWorld.richCount)",
                        "change": AgentProcess.change(change),
                    ]
                    _ = try connection.call("items.edit", parameters)
                }
            }
        }
        var (ours, bare, client) = (Samples(), Samples(), 0.0)
        let before = try agents.reduce(0) { try $0 + $1.processorTime }
        try await ours.measure {
            for agent in agents { try agent.call("sync.now", ["authorization": ["mayPrompt": false]]) }
            // To compare takes time at both devices.
            while try words(first) != words(second) { usleep(20_000) }
            client = try agents.reduce(0) { try $0 + $1.processorTime } - before
        }
        let rows = try BareEntries(count: 3 * offline, length: 900)
        try await bare.measure { try rows.take(in: world.folder) }
        return Figure(
            name: "sync-offline",
            title:
                "\(offline) changes on each of two devices, \(offline / 2) items in common, until both have everything",
            ours: ours,
            theirs: bare,
            limitTitle: "as many signatures checked, boxes opened and rows written",
            bound: 3,
            more: ["processor time: \(rounded(client, 0)) ms of both devices"]
        )
    }

    private static func words(_ agent: AgentProcess) throws -> [String] {
        try agent.call("sync.compare", ["authorization": ["mayPrompt": false]])["words"] as? [String] ?? []
    }

    /// A removal asks for the passphrase, and its header has a salt of its own.
    static let removalLimit = "Argon2id twice: for the passphrase, and for the new header"

    private static func removal(_ agent: AgentProcess) async throws -> Figure {
        let listed = try agent.call("devices.list", ["authorization": ["mayPrompt": false]])
        let devices = (listed["devices"] as? [[String: Any]] ?? []).filter { $0["isThisDevice"] as? Bool != true }
        var samples = Samples()
        let parameters: [String: Any] = [
            "devices": devices.compactMap { $0["id"] as? String }, "passphrase": ManagerWorld.passphrase,
            "keepsSecretKey": false,
        ]
        try await samples.measure { try agent.call("devices.remove", parameters) }
        return Figure(
            name: "sync-removal",
            title: "a device is removed: a new key for the rest, and no item is written again",
            value: samples.best,
            text: samples.text,
            unit: "ms",
            limit: 1_000,
            limitText: "1000 ms"
        ).beside(2 * (try await ManagerFigures.bareArgon2id().best), removalLimit)
    }
}
