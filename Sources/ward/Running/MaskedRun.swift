import Foundation
import Glibc
import WardAgentClient
import WardTerminal

/// Runs a program whose output is masked.
enum MaskedRun {
    /// How long to wait for more output after the program ended, because a process that it started may still have the pipe
    /// open.
    private static let patience: CInt = 200

    /// - Returns: The program's exit status.
    static func run(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        hiding secrets: [String]
    ) throws -> Int32 {
        let (output, error) = (try PipeEnds(), try PipeEnds())
        let child = try Foreground(
            program,
            arguments,
            environment: environment,
            output: output.writing,
            error: error.writing
        )
        output.closeWriting()
        error.closeWriting()
        var streams = [
            Stream(from: output.reading, to: STDOUT_FILENO, secrets),
            Stream(from: error.reading, to: STDERR_FILENO, secrets),
        ]
        // Signals that only this process gets are passed to the program.
        let pid = child.pid
        let forwarding = SignalGuard([SIGTERM, SIGHUP], on: .global()) { _ = kill(pid, $0) }
        defer { forwarding.end() }
        var status: Int32?
        while streams.contains(where: \.isOpen) {
            var waiting = streams.map { pollfd(fd: $0.isOpen ? $0.source : -1, events: Int16(POLLIN), revents: 0) }
            let ready = unsafe poll(&waiting, nfds_t(waiting.count), patience)
            if status == nil { status = child.status(waiting: false) }
            if ready == 0, status != nil { break }
            for index in streams.indices where waiting[index].revents != 0 { streams[index].pump() }
        }
        for index in streams.indices { streams[index].end() }
        return status ?? child.status(waiting: true) ?? 1
    }

    private struct Stream {
        let source: CInt
        private let target: CInt
        private var mask: SecretMask
        private(set) var isOpen = true

        init(from source: CInt, to target: CInt, _ secrets: [String]) {
            (self.source, self.target, mask) = (source, target, SecretMask(secrets))
        }

        mutating func pump() {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(source, &piece, piece.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            guard count > 0 else { return isOpen = false }
            write(mask.feed(piece.prefix(count)))
        }

        mutating func end() { write(mask.finish()) }

        private func write(_ bytes: [UInt8]) {
            guard !bytes.isEmpty else { return }
            // If the reader closes the pipe (… | head), that is not an error.
            try? FileHandle(fileDescriptor: target, closeOnDealloc: false).write(contentsOf: Data(bytes))
        }
    }
}
