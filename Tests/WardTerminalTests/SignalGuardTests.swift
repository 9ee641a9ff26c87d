import Dispatch
import Foundation
import Synchronization
import Testing

@testable import WardTerminal

@Suite(.serialized) struct `Signals are heard` {
    private final class Heard: Sendable {
        private let all = Mutex<[CInt]>([])
        var signals: [CInt] { all.withLock { $0 } }
        func note(_ signal: CInt) { all.withLock { $0.append(signal) } }

        func wait(for count: Int) async throws {
            for _ in 0..<1_000 where signals.count < count { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    private let queue = DispatchQueue(label: "ward.tests")

    @Test func `each time, whichever thread gets them`() async throws {
        let heard = Heard()
        let listening = SignalGuard([SIGUSR1], on: queue) { heard.note($0) }
        for count in 1...200 {
            kill(getpid(), SIGUSR1)
            // Signals that wait are one for the kernel.
            try await heard.wait(for: count)
        }
        listening.end()
        #expect(heard.signals == [CInt](repeating: SIGUSR1, count: 200))
    }

    @Test func `by the newest one, and then by the one before`() async throws {
        let (first, second) = (Heard(), Heard())
        let outer = SignalGuard([SIGUSR1, SIGUSR2], on: queue) { first.note($0) }
        let inner = SignalGuard([SIGUSR2], on: queue) { second.note($0) }
        kill(getpid(), SIGUSR1)
        kill(getpid(), SIGUSR2)
        try await first.wait(for: 1)
        try await second.wait(for: 1)
        #expect(first.signals == [SIGUSR1] && second.signals == [SIGUSR2])
        inner.end()
        kill(getpid(), SIGUSR2)
        try await first.wait(for: 2)
        #expect(first.signals == [SIGUSR1, SIGUSR2] && second.signals == [SIGUSR2])
        outer.end()
    }

    @Test func `and have their earlier action afterwards`() {
        var before = sigaction()
        unsafe sigaction(SIGUSR1, nil, &before)
        SignalGuard([SIGUSR1], on: queue) { _ in }.end()
        var after = sigaction()
        unsafe sigaction(SIGUSR1, nil, &after)
        let (old, new) = unsafe (before.__sigaction_handler.sa_handler, after.__sigaction_handler.sa_handler)
        #expect(unsafe unsafeBitCast(old, to: Int.self) == unsafeBitCast(new, to: Int.self))
    }
}
