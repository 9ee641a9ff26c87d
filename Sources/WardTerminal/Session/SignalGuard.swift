package import Dispatch
internal import Foundation
internal import Synchronization

/// Calls a closure for signals in place of their usual action.
///
/// The handler writes the number of the signal into a pipe, whichever thread gets the signal: libdispatch's sources for signals miss
/// those that the kernel gives to another thread. No signal is ignored meanwhile, because a program that is started would ignore
/// it too.
///
/// If several values have the same signal, the newest one gets it.
package final class SignalGuard {
    /// The signals that would end the program.
    package static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private let number: Int?
    private let before: [(signal: CInt, action: sigaction)]

    /// Begins to call `report` for each of the signals.
    ///
    /// If the process can open no pipe, the signals keep their action.
    package init(_ signals: [CInt], on queue: DispatchQueue, report: @escaping @Sendable (CInt) -> Void) {
        number = SignalPipe.add(signals, queue, report)
        guard number != nil else {
            before = []
            return
        }
        before = signals.map { signal in
            var handling = sigaction()
            unsafe handling.__sigaction_handler.sa_handler = { SignalPipe.write($0) }
            handling.sa_flags = SA_RESTART
            var old = sigaction()
            unsafe sigaction(signal, &handling, &old)
            return (signal, old)
        }
    }

    /// Restores the actions from before; they get the signals of which nobody was told yet.
    package func end() {
        for entry in before {
            var action = entry.action
            unsafe sigaction(entry.signal, &action, nil)
        }
        guard let number else { return }
        for signal in SignalPipe.remove(number) { kill(getpid(), signal) }
    }
}

/// The pipe between the handler of signals and those who want to hear of them.
private enum SignalPipe {
    private struct Listener {
        let number: Int
        let signals: [CInt]
        let queue: DispatchQueue
        let report: @Sendable (CInt) -> Void
    }

    private static let listeners = Mutex<(next: Int, all: [Listener])>((0, []))

    /// Both ends; -1 twice if there is no pipe.
    private static let ends: (read: CInt, write: CInt) = {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// Whether the pipe is read: from the first listener on, for as long as the process lives.
    private static let isRead: Bool = {
        guard ends.read >= 0 else { return false }
        let queue = DispatchQueue(label: "ward.signals")
        let source = DispatchSource.makeReadSource(fileDescriptor: ends.read, queue: queue)
        // The handler keeps the source.
        source.setEventHandler { withExtendedLifetime(source) { read() } }
        source.activate()
        return true
    }()

    /// - Returns: The number of the listener; `nil` without a pipe.
    static func add(_ signals: [CInt], _ queue: DispatchQueue, _ report: @escaping @Sendable (CInt) -> Void) -> Int? {
        guard isRead else { return nil }
        return listeners.withLock { listeners in
            listeners.next += 1
            listeners.all.append(Listener(number: listeners.next, signals: signals, queue: queue, report: report))
            return listeners.next
        }
    }

    /// - Returns: The signals that the listener would have heard next.
    static func remove(_ number: Int) -> Set<CInt> {
        listeners.withLock { listeners in
            let unheard = next()
            var own: Set<CInt> = []
            for signal in unheard {
                guard let listener = listeners.all.last(where: { $0.signals.contains(signal) }) else { continue }
                if listener.number == number { own.insert(signal) } else { tell(listener, signal) }
            }
            listeners.all.removeAll { $0.number == number }
            return own
        }
    }

    /// Called by the handler, so it does nothing that a handler may not do.
    static func write(_ signal: CInt) {
        let before = errno
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = unsafe Glibc.write(ends.write, &byte, 1)
        errno = before
    }

    private static func read() {
        listeners.withLock { listeners in
            for signal in next() {
                if let listener = listeners.all.last(where: { $0.signals.contains(signal) }) { tell(listener, signal) }
            }
        }
    }

    /// The signals that are in the pipe.
    private static func next() -> [CInt] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe Glibc.read(ends.read, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map { CInt($0) }
    }

    private static func tell(_ listener: Listener, _ signal: CInt) {
        listener.queue.async { listener.report(signal) }
    }
}
