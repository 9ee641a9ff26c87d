import CSQLite
import Dispatch
import Foundation
import Synchronization

/// A sync server in a process of its own, and devices of one person that have agents of their own.
final class SyncWorld {
    let folder: String
    private(set) var server: ServerProcess
    /// The address of the sync server.
    let address: String
    private let programs: String
    private let serverWords: [String]

    /// Starts the server.
    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/ward-bench-sync-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        programs = (own as NSString).deletingLastPathComponent
        let place = "127.0.0.1:\(try ServerProcess.freePort())"
        address = "http://\(place)"
        serverWords = [
            programs + "/ward-server", "serve", "--rp-id", "localhost", "--origin", "http://localhost:PORT",
            "--listen", "127.0.0.1:PORT", "--database", folder + "/ward.sqlite",
            "--sync", "--sync-listen", place, "--sync-host", place,
        ]
        server = try ServerProcess(serverWords, log: folder + "/server.log")
    }

    /// Runs a closure while the server is away.
    func withoutServer(_ body: () throws -> Void) throws {
        try server.stop()
        try body()
        server = try ServerProcess(serverWords, log: folder + "/server.log")
    }

    /// Ends the server and removes its files.
    func remove() {
        try? server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The processor time of the bare framework for one request, in microseconds, at the pace of a person who changes things.
    func bareRequest() throws -> Double {
        let hello = try ServerProcess([programs + "/HelloServer", "PORT"], log: folder + "/hello.log")
        defer { try? hello.stop() }
        let connection = try HTTPConnection(port: hello.port, fields: ["Host: localhost:\(hello.port)"])
        let (count, before) = (200, hello.processorTime)
        for _ in 0..<count {
            _ = try connection.send("GET", "/")
            usleep(5_000)
        }
        return (hello.processorTime - before) / Double(count)
    }

    /// A token that brings one vault.
    func invitation() throws -> String {
        let (output, path) = (folder + "/invitation", ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        let words = [programs + "/ward-server", "sync", "invite", "--database", folder + "/ward.sqlite"]
        try Command(words: words, environment: ["PATH": path]).run(output: output)
        return try String(contentsOfFile: output, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The bytes of the server's database: of its pages, also of those that are in the log of SQLite alone.
    func stored() throws -> Int { try asked("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") }

    /// The bytes of the entries that the server has, and of what they seal, without rows and pages around them.
    func contents() throws -> Int {
        try asked("SELECT coalesce(sum(length(encoded) + coalesce(length(blob), 0)), 0) FROM entry")
    }

    /// The number with which the server's database answers a question.
    private func asked(_ question: String) throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        guard let name = names.first(where: { $0.hasPrefix("sync") && $0.hasSuffix(".sqlite") }) else {
            throw Command.Failed(description: "there is no database of the sync server among \(names)")
        }
        var (database, statement): (OpaquePointer?, OpaquePointer?)
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        guard sqlite3_open(folder + "/" + name, &database) == SQLITE_OK,
            sqlite3_prepare_v2(database, question, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { throw Command.Failed(description: "SQLite does not count what is in \(name)") }
        return Int(sqlite3_column_int64(statement, 0))
    }

    /// What the server handed to `write(2)` and its kin so far, sockets among them.
    func bytesWritten() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(server.process)/io", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar:") }),
            let number = Int(line.dropFirst(6).trimmingCharacters(in: .whitespaces))
        else { throw Command.Failed(description: "/proc does not say what the server wrote") }
        return number
    }

    /// Lets a new device join with a code.
    ///
    /// - Parameters:
    ///   - member: A device that has the vault.
    ///   - new: An agent without a vault.
    ///   - finish: Runs the last call, which reads the vault.
    /// - Returns: When the new device had the code.
    /// - Throws: `Command.Failed` if an agent refuses a call.
    @discardableResult
    func join(
        _ member: AgentProcess,
        _ new: AgentProcess,
        finish: (() throws -> Void) throws -> Void = { try $0() }
    ) throws -> ContinuousClock.Instant {
        guard let code = try member.call("devices.meet", ["authorization": ["mayPrompt": false]])["code"] as? String
        else { throw Command.Failed(description: "there is no code for a new device") }
        let typed = ContinuousClock.now
        try new.call("join.meet", ["server": address, "code": code])
        // Each waits at the server for what the other writes.
        let arrival = Arrival(at: member)
        while try new.call("join.meeting")["hasAsked"] as? Bool != true {}
        try member.call("devices.welcome", ["request": arrival.request(), "passphrase": ManagerWorld.passphrase])
        while try new.call("join.meeting")["isAnswered"] as? Bool != true {}
        try finish { try new.call("join.finishMeeting", ["passphrase": ManagerWorld.passphrase]) }
        return typed
    }
}

/// A new device that comes to a member with its code: the member waits for it in a thread of its own.
private final class Arrival: Sendable {
    private let found = Mutex<Result<String, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(at member: AgentProcess) {
        Thread { [self] in
            let request = Result {
                while true {
                    let request = try member.call("devices.meeting")["request"] as? [String: Any]
                    if let id = request?["id"] as? String { return id }
                }
            }
            found.withLock { $0 = request }
            end.signal()
        }.start()
    }

    /// The ID of its request, as soon as it has come.
    func request() throws -> String {
        end.wait()
        guard let found = found.withLock({ $0 }) else { throw Command.Failed(description: "no new device came") }
        return try found.get()
    }
}

extension AgentProcess {
    /// Switches sync on.
    ///
    /// - Parameters:
    ///   - address: The address of the server.
    ///   - invitation: The token that brings the vault.
    /// - Throws: `Command.Failed` if the agent refuses it, or if the first sync fails.
    func sync(with address: String, invitation: String? = nil) throws {
        var parameters: [String: Any] = ["passphrase": ManagerWorld.passphrase, "server": address]
        // A vault that was on this device alone is on no server yet.
        if let invitation {
            try call("sync.begin", parameters)
            parameters["invitation"] = invitation
        }
        let state = try call("sync.on", parameters)["state"] as? [String: Any]
        guard let state, state["trouble"] == nil else {
            throw Command.Failed(description: "sync does not begin: \(state ?? [:])")
        }
    }

    /// Adds an item, and returns when the agent has answered.
    func add(_ title: String, on connection: AgentConnection) throws {
        let change = ["title": title, "username": "somebody@example.com", "notes": "https://\(title).example/"]
        let parameters: [String: Any] = [
            "authorization": ["mayPrompt": false], "kind": "login", "change": Self.change(change),
        ]
        _ = try connection.call("items.add", parameters)
    }

    /// A change of an item, with nothing else.
    static func change(_ values: [String: String]) -> [String: Any] {
        let lists = ["addSites", "removeSites", "addTags", "removeTags", "addCodes", "removeCodes", "fields"]
        let change = Dictionary(uniqueKeysWithValues: lists.map { ($0, [String]() as Any) })
        return change.merging(values) { $1 }
    }
}
