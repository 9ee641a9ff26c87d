internal import Synchronization
internal import WardAgentClient

/// The running requests of one browser, which it can withdraw.
final class BrowserRequests: Sendable {
    /// The maximum number of ceremonies that one tab, and one browser, can have at the same time.
    ///
    /// So pages leave room for the requests of the extension itself.
    static let mostInTab = 2
    static let mostCeremonies = 8

    private struct State {
        var running: [Envelope.ID: Task<[UInt8], any Error>] = [:]
        /// The tabs of the running ceremonies.
        var tabs: [Int] = []
    }

    private let state = Mutex(State())

    /// Answers a request in a way that ``cancel(_:)`` can end.
    ///
    /// - Throws: What the body throws; `AgentError` with `invalidRequest` if a running request has the same ID.
    func run(_ id: Envelope.ID?, _ body: @escaping @Sendable () async throws -> [UInt8]) async throws -> [UInt8] {
        guard let id else { return try await body() }
        let task: Task<[UInt8], any Error>? = state.withLock { state in
            guard state.running[id] == nil else { return nil }
            let task = Task { try await body() }
            state.running[id] = task
            return task
        }
        guard let task else { throw AgentError(.invalidRequest, "a running request already has this ID") }
        defer { state.withLock { $0.running[id] = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Withdraws a running request.
    func cancel(_ id: Envelope.ID) { state.withLock { $0.running[id] }?.cancel() }

    /// Runs a ceremony of a tab.
    ///
    /// - Throws: What the body throws; `AgentError` with `busy` if the tab or the browser has too many.
    func ceremony<T: Sendable>(in tab: Int, _ body: () async throws -> T) async throws -> T {
        let isAdmitted = state.withLock { state in
            guard state.tabs.count < Self.mostCeremonies, state.tabs.count(where: { $0 == tab }) < Self.mostInTab else {
                return false
            }
            state.tabs.append(tab)
            return true
        }
        guard isAdmitted else {
            throw AgentError(.busy, "other requests of this page or browser are running: try again after they end")
        }
        defer {
            state.withLock { state in
                if let index = state.tabs.firstIndex(of: tab) { state.tabs.remove(at: index) }
            }
        }
        return try await body()
    }
}
