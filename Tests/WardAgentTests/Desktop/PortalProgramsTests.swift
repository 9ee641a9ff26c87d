import Foundation
import Testing

@testable import WardAgent
import WardAgentClient

/// Which running programs are portals. Real lies of programs on a bus are in `Tests/Interop/test_desktop_callers.py`.
@Suite(.timeLimit(.minutes(15))) struct `A portal of the desktop` {
    private let folder = NSTemporaryDirectory() + "wap-\(UUID().uuidString.prefix(8))"

    /// Runs a program and decides about it.
    private func decide(
        _ path: String,
        usual: [String] = [],
        named: String? = nil,
        own: PeerProcess.Snapshot? = PeerProcess.own?.snapshot,
        becoming change: () throws -> Void = {}
    ) throws -> Bool {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: path)
        let input = Pipe()
        child.standardInput = input
        child.standardOutput = FileHandle.nullDevice
        try child.run()
        defer {
            try? input.fileHandleForWriting.close()
            child.waitUntilExit()
        }
        let peer = Peer(PeerProcess(child.processIdentifier), pid: child.processIdentifier)
        try change()
        let environment = named.map { ["WARD_PORTALS": $0] } ?? [:]
        return try PortalPrograms(environment: environment, own: own, usual: usual).includes(peer)
    }

    /// A copy of a program with a mode.
    private func copy(mode: Int, owner: uid_t? = nil) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/xdg-desktop-portal"
        try FileManager.default.copyItem(atPath: "/bin/cat", toPath: path)
        if let owner { #expect(unsafe chown(path, owner, owner) == 0) }
        #expect(unsafe chmod(path, mode_t(mode)) == 0)
        return path
    }

    private func remove() { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `is a file of root's in a usual place`() throws {
        #expect(try decide("/bin/cat", usual: ["/nowhere", "/bin/cat"]))
        #expect(try !decide("/bin/cat", usual: []))
        #expect(try !decide("/bin/cat", usual: ["/bin/ls"]))
    }

    @Test(arguments: [0o775, 0o757, 0o777]) func `is no file in a usual place that others can write`(mode: Int) throws {
        defer { remove() }
        let path = try copy(mode: mode)
        #expect(try !decide(path, usual: [path]))
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `is no file of another user in a usual place`() throws {
        defer { remove() }
        let path = try copy(mode: 0o755, owner: 65_534)
        #expect(try !decide(path, usual: [path]))
    }

    @Test func `may be named by the person who starts the agent`() throws {
        defer { remove() }
        let path = try copy(mode: 0o700)
        #expect(try decide(path, named: "/bin/ls:\(path)"))
        #expect(try !decide(path, named: "xdg-desktop-portal:/bin/cat"))
    }

    @Test func `is nothing in another view of the machine`() throws {
        let own = try #require(PeerProcess.own?.snapshot)
        let other = PeerProcess.Snapshot(executable: own.executable, path: own.path, mounts: own.executable)
        #expect(try !decide("/bin/cat", usual: ["/bin/cat"], own: other))
        #expect(try !decide("/bin/cat", usual: ["/bin/cat"], own: nil))
    }

    @Test func `is no portal any more when its file was replaced`() throws {
        defer { remove() }
        let path = try copy(mode: 0o755)
        #expect(throws: AgentError(.appUnknown, "")) {
            try decide(path, named: path) {
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.copyItem(atPath: "/bin/cat", toPath: path)
            }
        }
    }
}
