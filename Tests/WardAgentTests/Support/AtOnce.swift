import Testing

/// At most 32 tests at once: each has an agent with files and sockets of its own, and a process may open only so many.
struct AtOnce: TestTrait, SuiteTrait, TestScoping {
    private static let places = Places(32)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        await Self.places.take()
        do { try await function() } catch {
            await Self.places.giveBack()
            throw error
        }
        await Self.places.giveBack()
    }
}

extension Trait where Self == AtOnce {
    /// For suites whose tests run agents.
    static var agents: Self { Self() }
}

private actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        free += 1
    }
}
