import Crypto
import Foundation
import Testing

@testable import WardAgent
import WardAgentClient
import WardText

/// Who a running program is. In sandboxes, `Tests/Interop/test_manager_apps.py` asks the same.
@Suite(.timeLimit(.minutes(15))) struct `A registered app` {
    /// What happens between the registration of a program and its question.
    enum Change: CaseIterable { case none, content, replacement }

    private let folder = NSTemporaryDirectory() + "wai-\(UUID().uuidString.prefix(8))"
    private var path: String { folder + "/shiny" }

    /// Registers a copy of a program, changes it, and asks who the running copy is.
    private func identify(_ change: Change) async throws -> AppIdentity.Result {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "/bin/cat", toPath: path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let registered = RegisteredApp(
            identifier: "com.example.shiny",
            name: "Shiny",
            path: path,
            digest: Hex.encode(SHA256.hash(data: bytes)),
            domains: []
        )
        let registry = AppRegistry(folder: folder + "/etc", file: folder + "/own/apps.json")
        try registry.add(registered)
        if change == .content {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data([0]))
            try file.close()
        }
        let child = Process()
        child.executableURL = URL(fileURLWithPath: path)
        let input = Pipe()
        child.standardInput = input
        try child.run()
        defer {
            try? input.fileHandleForWriting.close()
            child.waitUntilExit()
        }
        if change == .replacement {
            try FileManager.default.copyItem(atPath: path, toPath: folder + "/new")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: folder + "/new", toPath: path)
        }
        let identification = AppIdentification(
            registry: registry,
            flatpak: FlatpakSandbox(instances: nil),
            digests: ExecutableDigests(),
            own: PeerProcess.own?.snapshot
        )
        let peer = Peer(PeerProcess(child.processIdentifier), pid: child.processIdentifier)
        return try await identification.identity(of: peer)
    }

    @Test func `is known by its file`() async throws {
        let app = try await identify(.none)
        #expect(app.kind == .registered && app.identifier == "com.example.shiny" && app.executable == path)
    }

    @Test(arguments: [(Change.content, "is not the program"), (.replacement, "was replaced")])
    func `is nobody once its file is another one`(change: Change, words: String) async throws {
        let error = await #expect(throws: AgentError.self) { _ = try await identify(change) }
        #expect(error?.code == .appUnknown && error?.message.contains(words) == true)
    }
}

@Suite struct `The sockets of the agent` {
    private let own = Peer(PeerProcess(getpid()), pid: getpid())

    @Test func `are for the manager's own programs, or for apps, and never for both`() async throws {
        let policy = AppPolicy(environment: [:])
        #expect(await Door.manager.isManagers(own, policy))
        #expect(await !Door.apps.isManagers(own, policy))
        let manager = MethodTable.Entry.manager { _, _ in [] }
        try await Door.manager.check("unlock", manager, from: own, policy)
        for entry in [manager, nil] {
            await #expect(throws: AgentError(.appUnknown, "")) {
                try await Door.apps.check("unlock", entry, from: own, policy)
            }
        }
        try await Door.apps.check("app.identity", .app { _, _ in [] }, from: own, policy)
    }

    @Test func `answer a stranger nothing of the manager's`() async throws {
        var policy = AppPolicy(environment: [:])
        policy.isManager = { _ in false }
        #expect(await !Door.manager.isManagers(own, policy))
        let strangers = policy
        for method in ["unlock", "app.identity"] {
            let error = await #expect(throws: AgentError.self) {
                try await Door.manager.check(method, nil, from: own, strangers)
            }
            #expect(error?.code == .appUnknown && error?.message.contains("is not a program of the") == true)
        }
    }
}
