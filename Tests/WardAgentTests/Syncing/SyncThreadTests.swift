import Dispatch
import Foundation
import Synchronization
import Testing

@testable import WardAgent
@testable import WardSync

/// A sync that hangs holds no other task up.
@Suite(.timeLimit(.minutes(2))) struct `The thread of a sync` {
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let hanging = Mutex(0)

        var count: Int { hanging.withLock { $0 } }

        /// Hangs as a system call does.
        func hang() {
            hanging.withLock { $0 += 1 }
            semaphore.wait()
        }

        func open() { for _ in 0..<count { semaphore.signal() } }
    }

    /// What runs without the threads of tasks: it may be that these are what is missing.
    private static func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: body()) }.start()
        }
    }

    @Test func `leaves the threads of all other tasks free, however many syncs hang`() async {
        let gate = Gate()
        let wanted = ProcessInfo.processInfo.activeProcessorCount + 4
        let runs = (0..<wanted).map { _ in
            Task.detached {
                await Syncer.perform(
                    {
                        gate.hang()
                        return SyncReport()
                    },
                    on: SyncThread()
                )
            }
        }
        let (all, ran) = await Self.onThread {
            let end = DispatchTime.now() + .seconds(30)
            while gate.count < wanted, DispatchTime.now() < end { Thread.sleep(forTimeInterval: 0.01) }
            let count = gate.count
            let answer = DispatchSemaphore(value: 0)
            Task.detached { _ = answer.signal() }
            let ran = answer.wait(timeout: .now() + .seconds(30)) == .success
            gate.open()
            return (count, ran)
        }
        // Whoever could not begin before finds the gate open now.
        Thread {
            for _ in 0..<6_000 {
                gate.open()
                Thread.sleep(forTimeInterval: 0.01)
            }
        }.start()
        for run in runs { _ = await run.value }
        #expect(all == wanted)
        #expect(ran, "no other task ran for 30 s")
    }

    @Test func `runs a sync that goes on after a pause on it too`() async throws {
        let gate = Gate()
        let thread = SyncThread()
        let run = Task.detached {
            await Syncer.perform(
                {
                    try await Task.sleep(for: .milliseconds(1))
                    await Self.later(gate)
                    return SyncReport()
                },
                on: thread
            )
        }
        while gate.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let probe = DispatchSemaphore(value: 0)
        let other = Task(executorPreference: thread) { _ = probe.signal() }
        // The thread hangs, so what comes after it there waits.
        let waits = await Self.onThread { probe.wait(timeout: .now() + .milliseconds(100)) == .timedOut }
        gate.open()
        await other.value
        #expect(waits)
        let outcome = await run.value
        #expect(throws: Never.self) { _ = try outcome.get() }
    }

    @concurrent private static func later(_ gate: Gate) async { gate.hang() }

    @Test func `ends with the task that waits for it`() async {
        let run = Task.detached {
            await Syncer.perform(
                {
                    try await Task.sleep(for: .seconds(600))
                    return SyncReport()
                },
                on: SyncThread()
            )
        }
        run.cancel()
        let outcome = await run.value
        #expect(throws: CancellationError.self) { _ = try outcome.get() }
    }
}
