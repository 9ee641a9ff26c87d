import Testing
import WardTesting

/// Runs each test of a suite over a store that has its keys in memory, and over one whose keys are in a device.
struct BothStores: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @TaskLocal static var keys = MemoryPasskeyStore.Keys.software

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        for keys in MemoryPasskeyStore.Keys.allCases {
            try await Self.$keys.withValue(keys) { try await function() }
        }
    }
}

extension Trait where Self == BothStores {
    /// The whole suite runs twice; ``BothStores/keys`` says over which store.
    static var overBothStores: Self { BothStores() }
}
