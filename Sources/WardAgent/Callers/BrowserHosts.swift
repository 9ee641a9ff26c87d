internal import Foundation
internal import WardAgentClient

/// The program `ward-browser`, and the browsers that start it.
///
/// `ward-browser` is the file with this name beside the agent's own executable. It may call only the methods for browsers.
struct BrowserHosts: Sendable {
    /// The agent's own process.
    let own: PeerProcess.Snapshot?

    /// The name of the program.
    static let name = "ward-browser"

    /// Whether a program is `ward-browser`.
    ///
    /// Like the manager's own programs it must be in the agent's mount namespace. In a sandbox, the same path proves nothing.
    func includes(_ program: PeerProcess.Snapshot) -> Bool {
        guard let own, program.mounts == own.mounts else { return false }
        let folder = URL(fileURLWithPath: own.path.withoutDeletedMark).deletingLastPathComponent().path
        return FileIdentity(path: "\(folder)/\(Self.name)") == program.executable
    }

    /// The browser that started a host: its parent process, as the kernel reports it.
    ///
    /// - Throws: `AgentError` with `invalidRequest` for an ID that no extension has, and `appUnknown` if the kernel does not show
    ///   the browser, or if the browser is in a sandbox, is traced or is an interpreter.
    func browser(of host: Peer, _ extensionID: String) throws(AgentError) -> RunningBrowser {
        guard ExtensionID.isValid(extensionID) else {
            throw AgentError(.invalidRequest, "this is not the ID of a browser's extension")
        }
        // The child still has this parent after the folder of the parent was opened, so the number was not used again before.
        guard let own, let child = host.process, let number = child.parent, let parent = PeerProcess(number),
            child.parent == number, let snapshot = parent.snapshot
        else { throw AgentError(.appUnknown, "the kernel does not show which browser started ward-browser") }
        guard snapshot.mounts == own.mounts else {
            throw AgentError(.appUnknown, "the browser is in a sandbox, so its program cannot be identified")
        }
        guard !child.isTraced, !parent.isTraced else {
            throw AgentError(.appUnknown, "the browser is being traced by another program: run it without a debugger")
        }
        let path = Self.path(snapshot)
        guard !Interpreters.include(path) else {
            throw AgentError(
                .appUnknown,
                "\(path) is an interpreter: every script that it runs would count as this browser"
            )
        }
        return RunningBrowser(
            identity: BrowserIdentity(path: path, extensionID: extensionID),
            process: parent,
            snapshot: snapshot
        )
    }

    /// The path of a browser's executable.
    ///
    /// After an update of the browser, the kernel marks the path of the old program as deleted.
    private static func path(_ snapshot: PeerProcess.Snapshot) -> String {
        FileIdentity(path: snapshot.path) == snapshot.executable ? snapshot.path : snapshot.path.withoutDeletedMark
    }
}

/// A browser and one of its extensions.
///
/// The person connects both together.
struct BrowserIdentity: Hashable, Sendable {
    /// The path of the browser's executable.
    var path: String
    var extensionID: String

    /// The name of the browser, by the path of its executable.
    var name: String {
        let words = path.lowercased().split(whereSeparator: { "/-_. ".contains($0) })
        let known: [(word: String, name: String)] = [
            ("chromium", "Chromium"), ("brave", "Brave"), ("msedge", "Microsoft Edge"), ("edge", "Microsoft Edge"),
            ("vivaldi", "Vivaldi"), ("librewolf", "LibreWolf"), ("firefox", "Firefox"), ("chrome", "Google Chrome"),
        ]
        if let found = known.first(where: { known in words.contains { $0 == known.word } }) { return found.name }
        return path.split(separator: "/").last.map(String.init) ?? path
    }
}

/// A running browser, which the agent identified when `ward-browser` connected.
struct RunningBrowser: Sendable {
    let identity: BrowserIdentity
    let process: PeerProcess
    let snapshot: PeerProcess.Snapshot

    /// Checks that a host still belongs to this browser, and that the browser still runs the same program.
    ///
    /// - Throws: `AgentError` with `appUnknown`.
    func verify(_ host: Peer) throws(AgentError) {
        guard host.process?.parent == process.pid, process.snapshot == snapshot, !process.isTraced else {
            throw AgentError(.appUnknown, "the browser that started ward-browser ended, or runs another program now")
        }
    }
}

/// A browser that sends a request through `ward-browser`.
///
/// The agent creates this value from the kernel's data about both processes, once for each request.
struct BrowserProgram: Sendable {
    let identity: BrowserIdentity
    /// The browser's process.
    let process: PeerProcess.Identity
    /// The process of `ward-browser`.
    let peer: Peer
    /// The running requests of the connection.
    let requests: BrowserRequests
}
