package import Logging
import ServiceLifecycle
package import WardWebAuthn

/// Looks once an hour whether the file with the BLOB changed, and warns once a day that it is out of date.
///
/// So a program that downloads the BLOB needs no restart of the service, and a model that is revoked stops counting within an hour.
package struct MetadataKeeper: Service {
    private let metadata: AuthenticatorMetadata
    private let effects: Effects
    private let logger: Logger

    package init(_ metadata: AuthenticatorMetadata, effects: Effects, logger: Logger) {
        self.metadata = metadata
        self.effects = effects
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var warnedAt: Int64?
            while !Task.isCancelled {
                turn(&warnedAt)
                try? await Task.sleep(for: .seconds(3_600))
            }
        }
    }

    /// Looks once.
    ///
    /// - Parameter warnedAt: When the log was last told that the BLOB is out of date.
    package func turn(_ warnedAt: inout Int64?) {
        let now = effects.now()
        do {
            if case .replaced(let number) = try metadata.refresh(at: now) {
                logger.notice("new metadata of authenticators", metadata: ["number": .stringConvertible(number)])
            }
        } catch {
            logger.error("metadata of authenticators not replaced", metadata: ["error": .string(error.description)])
        }
        guard let day = metadata.outdatedSince(at: now) else {
            warnedAt = nil
            return
        }
        // A time in the future was read from another clock.
        if let last = warnedAt, last <= now, now - last < 86_400 { return }
        warnedAt = now
        logger.warning("\(Self.warning)", metadata: ["since": .string(day)])
    }

    /// The warning of the log and of `ward-server check`.
    package static let warning =
        "the metadata of authenticators (--metadata) is out of date, so new reports about them are missing: download "
        + MetadataFile.source
}
