import Foundation
import Synchronization

/// Clients that ask a server at the same time, each on its own connection and thread.
struct ServiceLoad: Sendable {
    /// The number of connections.
    static let connections = 32

    let server: ServerProcess

    struct Result {
        /// Microseconds of the server's processor time for one operation.
        let processorTime: Double
        /// How long each operation took, in milliseconds.
        let latencies: [Double]
        /// Operations in each second.
        let perSecond: Double
    }

    /// Runs operations on all connections.
    ///
    /// - Parameters:
    ///   - count: The number of operations of each connection.
    ///   - fields: The header fields that the requests of a connection have.
    ///   - prepare: Makes what one connection runs, again and again. Its time does not count.
    /// - Returns: What it cost.
    /// - Throws: `Command.Failed` if an operation fails.
    func run(
        _ count: Int,
        fields: @escaping @Sendable (Int) -> [String],
        _ prepare: @escaping @Sendable (Int, HTTPConnection) throws -> (() throws -> Void)
    ) throws -> Result {
        let outcome = Mutex((latencies: [Double](), failure: String?.none))
        let (ready, begin, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        for index in 0..<Self.connections {
            let thread = Thread { [server] in
                var latencies: [Double] = []
                var failure: String?
                do {
                    let connection = try HTTPConnection(port: server.port, fields: fields(index))
                    let operation = try prepare(index, connection)
                    ready.signal()
                    begin.wait()
                    for _ in 0..<count {
                        let before = ContinuousClock.now
                        try operation()
                        latencies.append((ContinuousClock.now - before) / .milliseconds(1))
                    }
                } catch {
                    failure = "\(error)"
                    ready.signal()
                }
                outcome.withLock {
                    $0.latencies += latencies
                    $0.failure = $0.failure ?? failure
                }
                done.signal()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        for _ in 0..<Self.connections { ready.wait() }
        let (time, start) = (server.processorTime, ContinuousClock.now)
        for _ in 0..<Self.connections { begin.signal() }
        for _ in 0..<Self.connections { done.wait() }
        let (used, took) = (server.processorTime - time, (ContinuousClock.now - start) / .seconds(1))
        let (latencies, failure) = outcome.withLock { $0 }
        if let failure { throw Command.Failed(description: "under load: \(failure)") }
        let operations = Double(count * Self.connections)
        return Result(processorTime: used / operations, latencies: latencies, perSecond: operations / took)
    }
}
