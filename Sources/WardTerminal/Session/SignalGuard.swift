internal import Dispatch
internal import Foundation

/// The handling of signals while the terminal is in raw mode.
final class SignalGuard {
    /// The signals that would end the program while the terminal is in raw mode.
    static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private let sources: [any DispatchSourceSignal]
    private let before: [(signal: CInt, action: sigaction)]

    /// Calls `report` for each of the signals instead of their usual action.
    init(_ signals: [CInt], on queue: DispatchQueue, report: @escaping @Sendable (CInt) -> Void) {
        var before: [(signal: CInt, action: sigaction)] = []
        for signal in signals {
            var ignoring = sigaction()
            unsafe ignoring.__sigaction_handler.sa_handler = SIG_IGN
            var old = sigaction()
            unsafe sigaction(signal, &ignoring, &old)
            before.append((signal, old))
        }
        self.before = before
        sources = signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { report(signal) }
            source.activate()
            return source
        }
    }

    /// Restores the usual actions of the signals.
    func end() {
        sources.forEach { $0.cancel() }
        for entry in before {
            var action = entry.action
            unsafe sigaction(entry.signal, &action, nil)
        }
    }
}
