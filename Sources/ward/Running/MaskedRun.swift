import Foundation
import Glibc
import Synchronization
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
        // Signals that only this process gets are passed to the program, also those that come before it runs.
        let receiver = Receiver()
        let signals = [SIGTERM, SIGHUP].filter { !Foreground.isIgnored($0) }
        let forwarding = SignalGuard(signals, on: .global()) { receiver.get($0) }
        defer { forwarding.end() }
        let child = try Foreground(
            program,
            arguments,
            environment: environment,
            output: output.writing,
            error: error.writing,
            ignoring: [SIGINT, SIGQUIT]
        )
        output.closeWriting()
        error.closeWriting()
        var streams = [
            Stream(from: output.reading, to: STDOUT_FILENO, secrets),
            Stream(from: error.reading, to: STDERR_FILENO, secrets),
        ]
        receiver.begin(child.pid)
        var status: Int32?
        while streams.contains(where: \.isOpen) {
            var waiting = streams.map { pollfd(fd: $0.isOpen ? $0.source : -1, events: Int16(POLLIN), revents: 0) }
            let ready = unsafe poll(&waiting, nfds_t(waiting.count), patience)
            if status == nil { status = receiver.reaping { child.status(waiting: false) } }
            if ready == 0, status != nil { break }
            for index in streams.indices where waiting[index].revents != 0 { streams[index].pump() }
        }
        for index in streams.indices { streams[index].end() }
        return status ?? child.status(waiting: true) ?? 1
    }

    /// The program that gets the signals of this process.
    private final class Receiver: Sendable {
        private struct State {
            var pid: pid_t?
            var isOver = false
            /// What came before the program ran.
            var early: [CInt] = []
        }

        private let state = Mutex(State())

        func begin(_ pid: pid_t) {
            state.withLock { state in
                state.pid = pid
                for signal in state.early { kill(pid, signal) }
            }
        }

        func get(_ signal: CInt) {
            state.withLock { state in
                guard let pid = state.pid else {
                    if state.isOver { Self.end(signal) } else { state.early.append(signal) }
                    return
                }
                kill(pid, signal)
            }
        }

        /// The program has ended, and only what it left behind keeps this process.
        private static func end(_ number: CInt) {
            _ = signal(number, SIG_DFL)
            kill(getpid(), number)
        }

        /// Asks whether the program has ended; then its number may be that of another one.
        func reaping(_ body: () -> Int32?) -> Int32? {
            state.withLock { state in
                let status = body()
                if status != nil { (state.pid, state.isOver) = (nil, true) }
                return status
            }
        }
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
