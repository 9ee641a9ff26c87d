import Foundation
import Testing

@testable import WardAgent

/// A software TPM in a folder of its own, which can be started anew.
final class TPMFixture {
    let folder = NSTemporaryDirectory() + "tpm-\(UUID().uuidString.prefix(8))"
    private var process: Process?
    var name: String { "swtpm:path=\(folder)/socket" }

    static let isThere = ["swtpm", "tpm2_pcrextend"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    init() throws {
        // As the agent does: the TPM's library writes to a socket whose other end may be gone.
        _ = signal(SIGPIPE, SIG_IGN)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try start()
    }

    private func start() throws {
        process = try Self.run(
            "swtpm",
            "socket",
            "--tpm2",
            "--tpmstate",
            "dir=\(folder)",
            "--server",
            "type=unixio,path=\(folder)/socket",
            "--ctrl",
            "type=unixio,path=\(folder)/socket.ctrl",
            "--flags",
            "not-need-init,startup-clear"
        )
        // The socket is there before anybody listens at it.
        while process?.isRunning == true, (try? TPM(name)) == nil { usleep(5_000) }
    }

    /// What a reboot is to the TPM.
    func reset() throws {
        stop()
        try start()
    }

    private func stop() {
        if let process, process.isRunning {
            // A child of a thread that blocks SIGTERM blocks it as well.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        process = nil
        for name in ["/socket", "/socket.ctrl"] { try? FileManager.default.removeItem(atPath: folder + name) }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Extends the PCR that objects are bound to, as another boot loader would.
    func measureSomethingElse() throws {
        let process = try Self.run(
            "tpm2_pcrextend",
            "-T",
            name,
            "7:sha256=" + String(repeating: "ab", count: 32)
        )
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private static func run(_ program: String, _ words: String...) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/" + program)
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }
}
