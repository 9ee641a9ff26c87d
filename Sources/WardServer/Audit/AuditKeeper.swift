package import Crypto
import Foundation
package import Logging
import ServiceLifecycle
package import WardAccounts
import WardText
package import WardWebAuthn

/// Signs the end of the audit log, and deletes old rows.
///
/// It does so at the start of the service, once an hour, and at the end. Each new head is written to the log and to a file, so
/// that a person who can write the database cannot change it.
package struct AuditKeeper<Store: AccountStore>: Service {
    /// The places for the heads, and the retention time of rows.
    package struct Settings: Sendable {
        /// The file to which heads are added, one per line.
        ///
        /// With `nil` they are only in the log.
        package var heads: String?
        /// The retention time of rows, in seconds.
        package var retention: Int64

        package init(heads: String?, retention: Int64) {
            self.heads = heads
            self.retention = retention
        }
    }

    private let store: Store
    private let key: Curve25519.Signing.PrivateKey
    private let settings: Settings
    private let effects: Effects
    private let uptime: @Sendable () -> Duration
    private let logger: Logger

    package init(
        _ store: Store,
        key: Curve25519.Signing.PrivateKey,
        _ settings: Settings,
        effects: Effects,
        uptime: (@Sendable () -> Duration)? = nil,
        logger: Logger
    ) {
        self.store = store
        self.key = key
        self.settings = settings
        self.effects = effects
        let start = ContinuousClock.now
        self.uptime = uptime ?? { ContinuousClock.now - start }
        self.logger = logger
    }

    package func run() async throws {
        let (last, seen) = await cancelWhenGracefulShutdown { () -> (AuditPoint?, AuditClock) in
            var last: AuditPoint?
            var clock = AuditClock()
            while !Task.isCancelled {
                last = await turn(after: last, &clock)
                try? await Task.sleep(for: .seconds(3_600))
            }
            return (last, clock)
        }
        var clock = seen
        _ = await turn(after: last, &clock)
    }

    /// Signs and deletes once.
    ///
    /// It returns the last head that was written outside the database.
    package func turn(after last: AuditPoint?, _ clock: inout AuditClock) async -> AuditPoint? {
        do {
            if try await isTrusted(&clock) { try await deleteOldRows() }
            return try await sign(after: last)
        } catch {
            let reason = (error as? StoreError)?.description ?? String(reflecting: type(of: error))
            logger.error("audit head not signed", metadata: ["error": .string(reason)])
            return last
        }
    }

    /// Whether the clock may delete rows.
    private func isTrusted(_ clock: inout AuditClock) async throws -> Bool {
        let newest = try await store.read { tx in
            let end = try await tx.auditEnd().number
            return end > 0 ? try await tx.auditEntries(after: end - 1, limit: 1).first?.event.time : nil
        }
        switch clock.look(effects.now(), uptime: uptime(), newest: newest) {
        case .trusted: return true
        case .paused: return false
        case .ahead(let seconds):
            logger.warning(
                "the clock went ahead: no rows of the audit log are deleted for a day",
                metadata: ["days": .stringConvertible(seconds / 86_400)]
            )
            return false
        }
    }

    /// Signs the end of the log, unless it is already signed.
    ///
    /// - Returns: The end; `last` if the file could not be written, so that the next turn tries again.
    package func sign(after last: AuditPoint?) async throws -> AuditPoint? {
        let end = try await store.read { try await $0.auditEnd() }
        guard end != last, end.number > 0 else { return end }
        let line = try AuditSeal(.head, end, at: effects.now(), by: key).json.text
        logger.notice("audit head", metadata: ["head": .string(line)])
        if let path = settings.heads, !Self.append(line, to: path) {
            logger.error("audit head not written: the file cannot be written", metadata: ["path": .string(path)])
            return last
        }
        return end
    }

    /// Deletes rows that are older than the retention time, some at a time.
    ///
    /// A signed checkpoint replaces them.
    ///
    /// If a row was changed, no rows are deleted, because the checkpoint would hide the change. Rows from which webhooks will be
    /// made stay too.
    package func deleteOldRows() async throws {
        let now = effects.now()
        let (limit, overflows) = now.subtractingReportingOverflow(settings.retention)
        guard !overflows else { return }
        while true {
            let (start, page, last) = try await store.read { tx in
                let start = try await tx.auditCheckpoint()?.point ?? .start
                let page = try await tx.auditEntries(after: start.number, limit: Sweeping.slice)
                return (start, page, try await tx.webhookPosition() ?? .max)
            }
            let old = page.prefix { $0.event.time < limit && $0.number <= last }
            var point = start
            for entry in old {
                guard point.next(entry.event) == entry else {
                    logger.error(
                        "audit log changed: no rows are deleted; see ward-server audit --verify",
                        metadata: ["row": .stringConvertible(entry.number)]
                    )
                    return
                }
                point = entry.point
            }
            guard !old.isEmpty else { return }
            let checkpoint = try AuditSeal(.checkpoint, point, at: now, by: key)
            try await store.write { _ = try await $0.deleteAuditEntries(through: checkpoint) }
            guard old.count == Sweeping.slice else { return }
        }
    }

    /// Adds a line to a file.
    ///
    /// A new file can be read only by its owner. The result says whether the line is on the disk.
    private static func append(_ line: String, to path: String) -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data("\(line)\n".utf8))
            try file.synchronize()
            return true
        } catch { return false }
    }
}
