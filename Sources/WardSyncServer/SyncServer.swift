package import Hummingbird
package import Logging
package import ServiceLifecycle
package import WardLog
package import WardSyncRecords
import WardText
package import WardWebAuthn

/// Keeps the logs of vaults, and hands them to their devices.
///
/// It has no keys and opens nothing. It checks everything that can be checked without them, so that devices need not ask: signatures,
/// chains, and who is in the circle. `Documentation/formats/sync.md`, "Server".
package struct SyncServer: Sendable {
    let desk: SyncDesk
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: The settings.
    ///   - store: Where vaults are kept.
    ///   - effects: Time and randomness.
    ///   - clock: The clock for waiting.
    ///   - scheme: How signatures are checked.
    ///   - logger: Logs requests and failures, never IDs, tokens or bodies.
    package init(
        configuration: SyncServerConfiguration,
        store: any SyncStore,
        effects: Effects = .live,
        clock: any Clock<Duration> = ContinuousClock(),
        scheme: SignatureScheme = .ed25519,
        logger: Logger = Logger(label: "ward.sync")
    ) {
        desk = SyncDesk(configuration, store, effects, clock, scheme)
        self.logger = logger
    }

    /// All routes.
    package func router() -> Router<SyncRequestContext> {
        let router = Router(context: SyncRequestContext.self)
        router.get("/healthz") { _, _ in Response(status: .ok) }
        let readiness = Readiness(now: desk.effects.now) { [desk] in try await desk.store.probe() }
        router.get("/readyz") { _, _ in
            try await readiness.check()
            return Response(status: .ok)
        }
        VaultRoutes(desk: desk).add(to: router)
        SignInRoutes(desk: desk).add(to: router)
        SessionRoutes(desk: desk).add(to: router)
        EntryRoutes(desk: desk).add(to: router)
        EventRoutes(desk: desk).add(to: router)
        MeetingRoutes(desk: desk).add(to: router)
        return router
    }

    /// Answers requests.
    package func responder() -> SyncEdge { SyncEdge(router()) }

    /// What runs beside the routes: it shows those who wait that the server is there, ends their requests when the service stops, and
    /// deletes what has expired.
    package var upkeep: any Service { SyncUpkeep(desk: desk, logger: logger) }

    /// Deletes a vault for the owner of its account; its devices keep their copies.
    ///
    /// - Parameters:
    ///   - name: The ID of the vault, in 64 hexadecimal digits.
    ///   - account: The account of the owner.
    /// - Returns: Whether the account had the vault. A vault of another account is not touched.
    /// - Throws: ``SyncStoreError``.
    package func delete(_ name: String, of account: String) async throws -> Bool {
        guard let vault = VaultID(name: name), try await desk.store.vault(vault)?.account == account else {
            return false
        }
        return try await desk.delete(vault)
    }

    /// Clears the contents that no device needs any more, once a day for each vault.
    ///
    /// - Returns: How many contents were cleared.
    package func clearOldBlobs() async throws -> Int { try await BlobSweep(desk: desk, logger: logger).run() }

    /// The number of requests that wait for news.
    package var waiting: Int { desk.news.count }

    /// The number of requests that wait for a message of a meeting.
    package var waitingInMeetings: Int { desk.meetings.waiting }

    /// The number of uploads that are in memory.
    package var uploads: Int { desk.uploads.count + desk.bringing.count }

    /// The number of answers that clients are reading, beside short ones.
    package var answers: Int { desk.answers.count }

    /// How much memory the logs take, as a number of entries.
    package var cachedEntries: Int { get async { await desk.logs.count } }
}

/// Shows those who wait that the server is there, ends their requests when the service stops, and deletes what has expired.
struct SyncUpkeep: Service {
    /// The time between two passes.
    static let interval = Duration.seconds(600)
    /// How much one pass deletes at once.
    private static let step = 500
    /// Into how many parts streams of events are divided, so that not all of them are written to at once.
    private static let parts: UInt64 = 25

    let desk: SyncDesk
    let logger: Logger

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup { group in
                group.addTask { await sweep() }
                group.addTask { await beat() }
                group.addTask { try? await gracefulShutdown() }
                await group.next()
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            desk.news.close()
            desk.meetings.close()
        }
    }

    private func beat() async {
        var part: UInt64 = 0
        while !Task.isCancelled {
            do { try await desk.clock.sleep(for: SyncLimits.heartbeat / Int(Self.parts)) } catch { return }
            desk.news.beat(part, of: Self.parts)
            part = (part + 1) % Self.parts
        }
    }

    private func sweep() async {
        while !Task.isCancelled {
            do {
                while try await desk.store.sweep(at: desk.effects.now(), limit: Self.step) == Self.step {}
                let count = try await BlobSweep(desk: desk, logger: logger).run()
                if count > 0 { logger.debug("cleared old contents", metadata: ["count": "\(count)"]) }
                try await desk.deleteVaultsOfDeletedAccounts()
            } catch {
                logger.error("sweeping failed", metadata: ["reason": .string("\(error)")])
            }
            try? await desk.clock.sleep(for: Self.interval)
        }
    }
}
