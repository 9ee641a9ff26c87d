import Foundation
import WardTerminal

/// The handling of Ctrl-C while the agent works for this command.
///
/// A prompt of the agent may use the terminal at that time: pinentry-curses draws on it. The process ends only after the
/// terminal was restored.
enum Interruption {
    private struct Interrupted: Error {}

    /// The time limit for a prompt to close.
    private static let patience = Duration.seconds(3)

    /// Runs a closure.
    ///
    /// At Ctrl-C it cancels the closure, waits until the terminal was restored, and ends the process.
    static func guarding<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return try await body() }
        defer { close(terminal) }
        var before = termios()
        guard unsafe tcgetattr(terminal, &before) == 0 else { return try await body() }
        let (signals, report) = AsyncStream.makeStream(of: Void.self)
        let interrupting = SignalGuard([SIGINT], on: .global()) { _ in report.yield() }
        defer { interrupting.end() }
        do {
            return try await race(body, signals)
        } catch is Interrupted {
            await putBack(terminal, before)
            exit(130)
        }
    }

    private static func race<T: Sendable>(
        _ body: @escaping @Sendable () async throws -> T,
        _ signals: AsyncStream<Void>
    ) async throws -> T {
        try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals { break }
                throw Interrupted()
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw Interrupted() }
            return result
        }
    }

    /// The code that changed the terminal gets some time to restore it.
    ///
    /// After that, the terminal is restored here.
    private static func putBack(_ terminal: CInt, _ before: termios) async {
        var before = before
        var now = termios()
        let end = ContinuousClock.now + patience
        while unsafe tcgetattr(terminal, &now) == 0, now.c_lflag != before.c_lflag || now.c_iflag != before.c_iflag {
            guard ContinuousClock.now < end else {
                unsafe tcsetattr(terminal, TCSANOW, &before)
                // A prompt that was killed leaves the alternate screen and a hidden cursor.
                let sequence = Array("\u{1b}[?1049l\u{1b}[?25h\r\n".utf8)
                _ = unsafe write(terminal, sequence, sequence.count)
                return
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}
