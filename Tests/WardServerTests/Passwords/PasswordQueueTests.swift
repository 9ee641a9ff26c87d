import Foundation
import HTTPTypes
import Logging
import ServiceLifecycle
import Synchronization
import Testing
import WardServer
import WardText

/// What many threads note.
private final class Noted<Value: Sendable>: Sendable {
    private let kept: Mutex<Value>

    init(_ value: Value) { kept = Mutex(value) }

    var value: Value { kept.withLock { $0 } }
    func change(_ body: (inout Value) -> Void) { kept.withLock { body(&$0) } }
}

extension PasswordQueue {
    /// Until so many are in it.
    fileprivate func fills(to count: Int) async {
        while self.count < count { await Task.yield() }
    }
}

@Suite struct `The queue of passwords` {
    /// A queue whose threads end with the test.
    private func withQueue(
        threads: Int = 1,
        waiting: Int,
        _ body: @escaping @Sendable (PasswordQueue) async throws -> Void
    ) async throws {
        let queue = PasswordQueue(threads: threads, waiting: waiting)
        let group = ServiceGroup(services: [queue], logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await body(queue)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test func `works in order, and turns requests away when it is full`() async throws {
        try await withQueue(waiting: 2) { queue in
            let blockade = Gate()
            let order = Noted<[Int]>([])
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for number in 0..<3 {
                    tasks.addTask {
                        try await queue.perform(for: .address(nil)) {
                            if number == 0 { blockade.wait() }
                            order.change { $0.append(number) }
                        }
                    }
                    await queue.fills(to: number + 1)
                }
                let refusal = await #expect(throws: APIError.self) { try await queue.perform(for: .address(nil)) {} }
                #expect(refusal?.code == .passwordsBusy)
                #expect((refusal?.retryAfter ?? 0) > 0)
                #expect(queue.count == 3)
                blockade.open()
                try await tasks.waitForAll()
            }
            #expect(order.value.sorted() == [0, 1, 2])
            #expect(order.value.first == 0)
            #expect(queue.count == 0)
            #expect(try await queue.perform(for: .address(nil)) { 7 } == 7)
        }
    }

    /// A client of its own.
    private static func client(_ number: UInt8) -> PasswordQueue.Client {
        .address(ClientAddress(packed: [192, 0, 2, number]))
    }

    @Test func `gives each client its turn, however many checks another one brought before`() async throws {
        try await withQueue(waiting: 12) { queue in
            let blockade = Gate()
            let order = Noted<[UInt8]>([])
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await queue.perform(for: Self.client(0)) { blockade.wait() } }
                await queue.fills(to: 1)
                for number: UInt8 in [1, 1, 1, 1, 1, 1, 2, 3, 2] {
                    let before = queue.count
                    tasks.addTask {
                        try await queue.perform(for: Self.client(number)) { order.change { $0.append(number) } }
                    }
                    await queue.fills(to: before + 1)
                }
                blockade.open()
                try await tasks.waitForAll()
            }
            #expect(order.value == [1, 2, 3, 1, 2, 1, 1, 1, 1])
        }
    }

    @Test func `when full, makes room at the cost of the client that has the most, and of no other`() async throws {
        try await withQueue(waiting: 4) { queue in
            let blockade = Gate()
            let done = Noted<[UInt8]>([])
            let busy = Noted<[UInt8]>([])
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await queue.perform(for: Self.client(0)) { blockade.wait() } }
                await queue.fills(to: 1)
                func add(_ number: UInt8) {
                    tasks.addTask {
                        do {
                            try await queue.perform(for: Self.client(number)) { done.change { $0.append(number) } }
                        } catch let error as APIError where error.code == .passwordsBusy {
                            busy.change { $0.append(number) }
                        }
                    }
                }
                for count in 2...5 {
                    add(1)
                    await queue.fills(to: count)
                }
                // The flood finds no place; two others take places of the flood, and a third one of each.
                for (number, refused): (UInt8, [UInt8]) in [
                    (1, [1]), (2, [1, 1]), (3, [1, 1, 1]), (2, [1, 1, 1, 2]), (4, [1, 1, 1, 2, 1]),
                ] {
                    add(number)
                    while busy.value.count < refused.count { await Task.yield() }
                    #expect(busy.value == refused)
                    #expect(queue.count == 5)
                }
                blockade.open()
                try await tasks.waitForAll()
            }
            #expect(done.value.sorted() == [1, 2, 3, 4])
        }
    }

    @Test func `forgets who does not wait any more`() async throws {
        try await withQueue(waiting: 4) { queue in
            let blockade = Gate()
            async let first: Void = queue.perform(for: Self.client(0)) { blockade.wait() }
            await queue.fills(to: 1)
            let task = Task { try await queue.perform(for: Self.client(1)) {} }
            await queue.fills(to: 2)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(queue.count == 1)
            blockade.open()
            try await first
            #expect(queue.count == 0)
        }
    }

    @Test func `does nothing for a check that gets no turn`() async throws {
        try await withQueue(waiting: 0) { queue in
            let blockade = Gate()
            let begun = Noted(0)
            async let first: Void = queue.perform(for: Self.client(0)) { blockade.wait() }
            await queue.fills(to: 1)
            await #expect(throws: APIError(.passwordsBusy, "")) {
                try await queue.perform(for: Self.client(1), first: { begun.change { $0 += 1 } }) {}
            }
            #expect(begun.value == 0)
            blockade.open()
            try await first
            struct Refused: Error {}
            await #expect(throws: Refused.self) {
                try await queue.perform(for: Self.client(1), first: { throw Refused() }) { begun.change { $0 += 1 } }
            }
            #expect(begun.value == 0 && queue.count == 0)
        }
    }

    @Test func `has threads of its own, and no more than it was given`() async throws {
        try await withQueue(threads: 2, waiting: 100) { queue in
            let inside = Noted(0)
            let most = Noted(0)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<40 {
                    tasks.addTask {
                        try await queue.perform(for: .address(nil)) {
                            inside.change { $0 += 1 }
                            most.change { $0 = max($0, inside.value) }
                            Thread.sleep(forTimeInterval: 0.001)
                            inside.change { $0 -= 1 }
                        }
                    }
                }
                try await tasks.waitForAll()
            }
            #expect((1...2).contains(most.value))
        }
    }

    @Test func `a failure comes out, and leaves the place to the next`() async throws {
        struct Broken: Error {}
        try await withQueue(waiting: 0) { queue in
            for _ in 0..<5 {
                await #expect(throws: Broken.self) { try await queue.perform(for: .address(nil)) { throw Broken() } }
            }
            #expect(queue.count == 0)
        }
    }

    @Test func `takes nobody any more when the service has stopped`() async throws {
        let kept = Noted<PasswordQueue?>(nil)
        try await withQueue(waiting: 1) { queue in
            try await queue.perform(for: .address(nil)) {}
            kept.change { $0 = queue }
        }
        let queue = try #require(kept.value)
        await #expect(throws: APIError(.unavailable, "")) { try await queue.perform(for: .address(nil)) {} }
    }

    @Test func `when it is full, passwords are told to come again, and everything else goes on`() async throws {
        let queue = PasswordQueue(threads: 1, waiting: 1)
        try await withService(passwordQueue: queue) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            let blockade = Gate()
            async let blocked: Void = queue.perform(for: .address(nil)) { blockade.wait() }
            await queue.fills(to: 1)
            async let waiting = world.visitor().signIn("ada", password: Visitor.password).status
            await queue.fills(to: 2)

            for _ in 0..<20 {
                let busy = try await world.visitor().signIn("ada", password: "whatever it is")
                #expect(busy.refusal == "503 passwords_busy")
                #expect((busy.headers[.retryAfter].flatMap { Int($0) } ?? 0) > 0)
            }
            #expect(try await world.visitor().create("bob").refusal == "503 passwords_busy")
            #expect(try await world.visitor().get("/healthz").status == .ok)
            let elsewhere = ada.elsewhere()
            #expect(try await elsewhere.signIn().status == .ok)
            #expect(try await world.visitor().register("carol").status == .created)
            #expect(
                try await elsewhere.put("account/password", ["password": "something else entirely"]).code
                    == "passwords_busy"
            )

            blockade.open()
            try await blocked
            #expect(try await waiting == .ok, "who was turned away did not count as a wrong password")
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
        }
    }
}
