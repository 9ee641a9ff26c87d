import Foundation
import Logging
import Synchronization
import Testing
import WardAgentClient
import WardWebAuthn

@testable import WardAgent

@Suite(.timeLimit(.minutes(5))) struct `Turns at the prompt` {
    /// What happened, in order.
    private final class Record: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Somebody who comes to the queue and waits there.
    private func join(_ queue: Turns, _ record: Record, _ name: String, goesFirst: Bool) async -> Task<
        Void, Never
    > {
        let before = queue.waiting
        let task = Task {
            do {
                try await queue.next(goesFirst: goesFirst) { record.add(name) }
            } catch { record.add("\(name) left") }
        }
        while queue.waiting == before { await Task.yield() }
        return task
    }

    @Test func `the manager's own programs go before apps, and one that leaves is passed over`() async throws {
        let (queue, record) = (Turns(), Record())
        let (opened, begin) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await queue.next(goesFirst: false) {
                begin.finish()
                for await _ in gate {}
                record.add("first")
            }
        }
        for await _ in opened {}
        var tasks: [Task<Void, Never>] = []
        for (name, goesFirst) in [("app 1", false), ("app 2", false), ("ward 1", true), ("ward 2", true)] {
            tasks.append(await join(queue, record, name, goesFirst: goesFirst))
        }
        tasks[0].cancel()
        await tasks[0].value
        open.finish()
        try await first.value
        for task in tasks { await task.value }
        #expect(record.all == ["app 1 left", "first", "ward 1", "ward 2", "app 2"])
        // The queue is free again.
        try await queue.next(goesFirst: false) { record.add("last") }
        #expect(record.all.last == "last")
    }

    @Test func `many that leave at the same moment leave the queue free`() async throws {
        let queue = Turns()
        for _ in 0..<200 {
            let tasks = (0..<32).map { _ in
                Task { try? await queue.next(goesFirst: true) { try await Task.sleep(for: .seconds(600)) } }
            }
            // On a thread of its own, as if a connection ended, while the turn goes from one to the next.
            Thread { for task in tasks { task.cancel() } }.start()
            try await queue.next {}
            for task in tasks { _ = await task.value }
            #expect(queue.waiting == 0)
        }
    }

    @Test func `a no is followed by a wait that grows, and a yes ends it`() throws {
        let clock = ManualClock()
        let declines = Declines { clock.now }
        let app = Declines.Asker(AppFixture.registered())
        try declines.check(app)
        for wait in [2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            declines.note(.declined, to: app)
            #expect(throws: AgentError(.denied, "")) { try declines.check(app) }
            clock.advance(.seconds(wait) - .milliseconds(1))
            #expect(throws: AgentError(.denied, "")) { try declines.check(app) }
            clock.advance(.milliseconds(1))
            try declines.check(app)
        }
        // Another button is neither.
        declines.note(.other, to: app)
        declines.note(.agreed, to: app)
        declines.note(.timedOut, to: app)
        clock.advance(.seconds(2))
        try declines.check(app)
    }

    @Test func `programs that nobody vouches for wait together, and others do not wait for them`() throws {
        let declines = Declines { .now }
        declines.note(.declined, to: Declines.Asker(AppFixture.unknown))
        #expect(throws: AgentError(.denied, "")) { try declines.check(Declines.Asker(nil)) }
        try declines.check(Declines.Asker(AppFixture.registered()))
    }
}

@Suite struct `A turn at the prompt` {
    /// Puts questions of the manager's own program to somebody who gives these answers.
    private func ask<T: Sendable>(
        _ answers: [PromptAnswer],
        _ body: (PromptTurn) async throws -> T
    ) async throws -> T {
        let person = ScriptedPerson()
        for answer in answers { person.will(answer) }
        let effects = Effects(now: { 0 }, randomBytes: { [UInt8](repeating: 0, count: $0) })
        let asking = Asking(
            prompting: person,
            notifier: Notes(),
            person: PersonSession(environment: [:]),
            attempts: AttemptLimiter(path: "", effects: effects),
            declines: Declines { .now },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let peer = Peer(PeerProcess(getpid()), pid: getpid())
        let program = ManagerProgram(peer: peer, place: PromptPlace(), imports: ImportStage(), exports: ExportStage())
        return try await asking.inTurn(.person(program), body)
    }

    private static let question = Question([], agree: .yes)

    @Test(arguments: [PromptAnswer.other, .secret([]), .declined])
    func `takes nothing but a yes for a yes`(answer: PromptAnswer) async throws {
        try await ask([.agreed]) { try await $0.confirm(Self.question) }
        await #expect(throws: PromptRefusal.declined) {
            try await ask([answer]) { try await $0.confirm(Self.question) }
        }
    }

    @Test func `picks nothing where there is nothing`() async throws {
        let picked = try await ask([.other, .other, .other, .agreed]) {
            try await $0.pick([Self.question, Self.question])
        }
        #expect(picked == 1)
        await #expect(throws: PromptRefusal.declined) { try await ask([.agreed]) { try await $0.pick([]) } }
    }
}
