package import Logging
import WardAccounts
import WardText

/// Counts what leaves an outbox and what does not, and writes it to the log, without addresses.
package struct OutboxReport: Sendable {
    private let outbox: Outbox
    private let metrics: ServiceMetrics?
    private let logger: Logger

    package init(_ outbox: Outbox, _ metrics: ServiceMetrics?, _ logger: Logger) {
        self.outbox = outbox
        self.metrics = metrics
        self.logger = logger
    }

    /// A row left.
    func sent(_ kind: String) {
        metrics?.count(outbox, wasSent: true)
        logger.info("\(outbox.rawValue) sent", metadata: ["kind": .string(kind)])
    }

    /// A row did not leave, and is tried again.
    func postponed(_ kind: String, _ reason: String, attempts: Int64, pause: Int64) {
        logger.warning(
            "\(outbox.rawValue) not sent yet",
            metadata: [
                "kind": .string(kind), "reason": .string(reason), "attempts": .string("\(attempts)"),
                "next-try-seconds": .string("\(pause)"),
            ]
        )
    }

    /// A row did not leave, and is not tried again.
    func failed(_ kind: String, _ reason: String) {
        metrics?.count(outbox, wasSent: false)
        logger.error(
            "\(outbox.rawValue) not sent, and not tried again",
            metadata: ["kind": .string(kind), "reason": .string(reason)]
        )
    }

    /// Nothing leaves any more, until the service is started again.
    func ended(_ reason: String) {
        logger.error(
            "no \(outbox.rawValue) is sent until the service is started again",
            metadata: ["reason": .string(reason)]
        )
    }

    /// The number of rows that wait, for the metrics.
    ///
    /// - Parameter count: Reads the number from the store. It is not called without metrics.
    /// - Throws: The store's errors.
    func waiting(_ count: () async throws -> Int) async throws {
        if let metrics { metrics.setWaiting(try await count(), in: outbox) }
    }

    /// The store failed.
    func storeFailed(_ error: any Error) {
        let reason = (error as? StoreError)?.description ?? String(reflecting: type(of: error))
        logger.warning(
            "the outbox cannot be read or written",
            metadata: ["outbox": .string(outbox.rawValue), "error": .string(reason)]
        )
    }
}
