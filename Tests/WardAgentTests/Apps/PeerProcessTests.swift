import Foundation
import Testing

@testable import WardAgent
import WardAgentClient

@Suite(.timeLimit(.minutes(15))) struct `A process as the kernel shows it` {
    @Test func `is what it runs, where, and in which view of the files`() throws {
        let own = try #require(PeerProcess.own)
        let snapshot = try #require(own.snapshot)
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #expect(snapshot.path == path)
        #expect(snapshot.executable == FileIdentity(path: snapshot.path))
        #expect(snapshot.mounts == FileIdentity(path: "/proc/self/ns/mnt"))
        #expect(snapshot == own.snapshot)
    }

    @Test func `is nothing once it ended, also when another process has its number`() throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/cat")
        let input = Pipe()
        child.standardInput = input
        try child.run()
        let process = try #require(PeerProcess(child.processIdentifier))
        let peer = Peer(process, pid: child.processIdentifier)
        #expect(!process.isTraced)
        #expect(try peer.verified().executable == FileIdentity(path: "/bin/cat"))
        try input.fileHandleForWriting.close()
        child.waitUntilExit()
        #expect(process.snapshot == nil)
        #expect(process.isTraced, "what cannot be told counts as traced")
        #expect(throws: AgentError(.appUnknown, "")) { try peer.verified() }
    }

    @Test func `is not taken when the one that is meant is gone`() {
        #expect(PeerProcess(getpid()) { false } == nil)
        #expect(PeerProcess(0) == nil)
        #expect(PeerProcess(-1) == nil)
    }

    @Test func `is somebody else once it runs another program`() throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", "echo ready; read line; exec cat"]
        let (input, output) = (Pipe(), Pipe())
        child.standardInput = input
        child.standardOutput = output
        try child.run()
        #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
        let process = try #require(PeerProcess(child.processIdentifier))
        let peer = Peer(process, pid: child.processIdentifier)
        #expect(throws: Never.self) { try peer.verified() }
        try input.fileHandleForWriting.write(contentsOf: Data("go\necho\n".utf8))
        // What cat answers is answered by cat.
        #expect(output.fileHandleForReading.availableData == Data("echo\n".utf8))
        let error = #expect(throws: AgentError.self) { try peer.verified() }
        #expect(error?.message.contains("another program") == true)
        try input.fileHandleForWriting.close()
        child.waitUntilExit()
    }
}

@Suite struct `Digests of executables` {
    @Test func `are those of others, and read once as long as the file stays the same`() async throws {
        let path = NSTemporaryDirectory() + "wad-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let digests = ExecutableDigests()
        func digest() async throws -> String? {
            let file = try Self.open(path)
            return await digests.digest(of: file)
        }
        try Data("abc".utf8).write(to: URL(fileURLWithPath: path))
        // FIPS 180-2, appendix B.1.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(try await digest() == known)
        #expect(try await digest() == known)
        try Data("abd".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try await digest() != known)
    }

    private static func open(_ path: String) throws -> Descriptor {
        guard let file = Descriptor.open(path) else { throw CocoaError(.fileNoSuchFile) }
        return file
    }

    @Test func `are of files alone`() async throws {
        let folder = try Self.open("/tmp")
        #expect(await ExecutableDigests().digest(of: folder) == nil)
        let device = try Self.open("/dev/zero")
        #expect(await ExecutableDigests().digest(of: device) == nil)
        // It reads like an empty file.
        let empty = try Self.open("/dev/null")
        #expect(await ExecutableDigests().digest(of: empty) == nil)
    }

    @Test func `are not taken of a file that is larger than any program`() async throws {
        let path = NSTemporaryDirectory() + "wad-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        // A file without contents on the disk.
        #expect(unsafe truncate(path, (2 << 30) + 1) == 0)
        let file = try Self.open(path)
        #expect(await ExecutableDigests().digest(of: file) == nil)
    }

    /// A process shows files of the kernel that say of themselves that they are empty.
    @Test func `are not taken of a file with other contents than it says`() async throws {
        let file = try Self.open("/proc/self/status")
        #expect(await ExecutableDigests().digest(of: file) == nil)
    }

    @Test func `are not taken for a task that was cancelled`() async throws {
        let digests = ExecutableDigests()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            let file = try Self.open("/proc/self/exe")
            return await digests.digest(of: file)
        }
        task.cancel()
        #expect(try await task.value == nil)
    }
}

@Suite struct `Key files` {
    @Test func `are read as Flatpak writes them`() {
        let file = KeyFile(
            "# x\n[Application]\nname = org.example.App\nruntime=a=b\n\n[Instance]\ninstance-id=42\nname=x\n"
        )
        #expect(file["Application", "name"] == "org.example.App")
        #expect(file["Application", "runtime"] == "a=b")
        #expect(file["Instance", "instance-id"] == "42")
        #expect(file["Instance", "runtime"] == nil)
        #expect(file["Nothing", "name"] == nil)
        #expect(KeyFile("name=x")["Application", "name"] == nil)
    }
}
