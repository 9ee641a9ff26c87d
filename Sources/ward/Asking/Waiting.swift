import Foundation
import WardAgentClient

extension AgentError {
    /// Whether a server, or the way to it, may be better in a moment.
    var mayPass: Bool {
        ["server_unreachable", "server_too_slow", "too_many_requests", Code.busy.rawValue].contains(code.rawValue)
    }
}

/// A wait for something that happens on another device, with a line that says so.
struct Waiting {
    private static let step = Duration.seconds(2)

    private let end: ContinuousClock.Instant
    private let progress: ProgressLine

    /// - Parameters:
    ///   - seconds: How long to wait at most.
    ///   - isQuiet: Whether no line is shown.
    init(seconds: Int, isQuiet: Bool) {
        end = .now + .seconds(seconds)
        progress = ProgressLine(isShown: isatty(STDERR_FILENO) == 1 && !isQuiet)
    }

    /// Looks again and again until something is found.
    ///
    /// - Parameters:
    ///   - text: What is awaited.
    ///   - look: Returns `nil` if it is not there yet.
    /// - Returns: What was found; `nil` if the time is over.
    /// - Throws: What `look` throws; `CancellationError`.
    func until<T>(_ text: String, _ look: () async throws -> T?) async throws -> T? {
        defer { progress.end() }
        while true {
            if let found = try await look() { return found }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return nil }
            let seconds = left.components.seconds
            progress.say("\(text) (\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) left)")
            try await Task.sleep(for: min(left, Self.step))
        }
    }
}
