import Foundation
import Testing

@testable import WardAgent

/// With real terminals, and a shell that has one of them.
@Suite(.timeLimit(.minutes(15))) struct `The terminal of a program` {
    /// One end of a terminal; a program has the other. `ioctl_tty(2)`: TIOCSPTLCK and TIOCGPTN.
    private struct Terminal {
        let number = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        let path: String

        init() {
            var lock: CInt = 0
            #expect(unsafe ioctl(number, 0x4004_5431, &lock) == 0)
            var name: CInt = -1
            #expect(unsafe ioctl(number, 0x8004_5430, &name) == 0)
            path = "/dev/pts/\(name)"
        }
    }

    @Test func `is the one that it controls, under its own name, while this user owns it`() throws {
        let (terminal, other) = (Terminal(), Terminal())
        defer {
            close(terminal.number)
            close(other.number)
        }
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        shell.arguments = ["--ctty", "sh", "-c", "echo $$ >&2; read line"]
        let end = unsafe open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        shell.standardInput = FileHandle(fileDescriptor: end, closeOnDealloc: true)
        shell.standardOutput = FileHandle.nullDevice
        let said = Pipe()
        shell.standardError = said
        try shell.run()
        let number = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self).filter(\.isNumber)
        let process = try #require(Int32(number).flatMap { PeerProcess($0) })
        let known = try #require(ControllingTerminal(terminal.path, of: process))
        #expect(known.isThere && known.path == terminal.path)
        #expect(ControllingTerminal(other.path, of: process) == nil)
        #expect(ControllingTerminal("/dev/../" + terminal.path.dropFirst(), of: process) == nil)
        if getuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: terminal.path)
            #expect(ControllingTerminal(terminal.path, of: process) == nil)
            #expect(!known.isThere)
        }
        let line: [UInt8] = [0x0a]
        #expect(unsafe write(terminal.number, line, 1) == 1)
        shell.waitUntilExit()
    }
}
