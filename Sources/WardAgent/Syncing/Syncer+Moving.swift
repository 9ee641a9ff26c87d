internal import Logging
internal import WardAgentClient
internal import WardSync
internal import WardVault

/// Moves of the vault to another server, which the owner signed on one device.
extension Syncer {
    /// A move that this device has not followed, and about which the person has not decided.
    struct Move: Hashable, Sendable {
        var address: ServerAddress
        /// Whether this device syncs with the server that the vault left.
        ///
        /// If not, the person put this device somewhere else, and decides.
        var isFollowed: Bool
        /// The entries with which this device itself moved the vault there; none if another device did too.
        ///
        /// Such a move is finished once it is in the place that the vault left: other devices learn of it only there.
        var own: [[UInt8]] = []

        /// The moves that are open, each address once.
        static func open(_ moves: [VaultMove], _ setting: SyncSetting) -> [Move] {
            var found: [Move] = []
            for move in moves where !setting.knownMoves.contains(move.entry) {
                guard let address = ServerAddress(move.address), address != setting.server else { continue }
                if let index = found.firstIndex(where: { $0.address == address }) {
                    let isOwn = move.isOwnAct && !found[index].own.isEmpty
                    found[index].own = isOwn ? found[index].own + [move.entry] : []
                    continue
                }
                let isFollowed = setting.server.map { $0.text == move.earlier } ?? false
                found.append(Move(address: address, isFollowed: isFollowed, own: move.isOwnAct ? [move.entry] : []))
            }
            return found
        }
    }

    /// The newest moves of the vault; none if the vault is locked.
    func moves(_ vault: Vault) async -> [VaultMove] { (try? await vault.circle())?.moves ?? [] }

    /// Goes to the server to which the vault moved, and tells the person.
    ///
    /// Only the owner can sign a move, and the server learns no more than the one before: so nobody is asked.
    ///
    /// A device does not follow its own move before the server before has it: the other devices would stay there.
    ///
    /// - Parameters:
    ///   - vault: The open vault.
    ///   - brought: Up to which position the last sync brought everything; `nil` if it failed.
    func follow(_ vault: Vault, broughtUpTo brought: Int64?) async {
        let moves = await moves(vault)
        guard await adopt() === vault, let setting else { return }
        mayHaveMoved = false
        let open = Move.open(moves, setting)
        guard open.count == 1, let move = open.first, move.isFollowed else { return }
        let number = switchCount
        guard await Self.isFinished(move, vault, broughtUpTo: brought) else {
            mayHaveMoved = true
            return
        }
        // If it cannot be written now, the next start looks again.
        let place = SyncSetting.Place.server(move.address)
        guard (try? await switchOn(vault, with: place, unlessSwitchedSince: number)) == true else { return }
        logger.notice("the vault moved, and this device followed")
        await tell(.moved(host: move.address.host))
    }

    private static func isFinished(_ move: Move, _ vault: Vault, broughtUpTo brought: Int64?) async -> Bool {
        guard !move.own.isEmpty else { return true }
        guard let brought, let positions = try? await vault.positions(of: Set(move.own)) else { return false }
        return positions.allSatisfy { $0 <= brought }
    }

    /// Whether this device has moved the vault to a server, and the move must only be finished.
    ///
    /// It is not if the person has decided otherwise since, or if another device moved the vault at the same time.
    func hasBegunMove(_ vault: Vault, to address: ServerAddress) async -> Bool {
        let moves = await moves(vault)
        guard moves.count == 1, let setting else { return false }
        return Move.open(moves, setting).contains { $0.address == address && !$0.own.isEmpty }
    }

    /// Goes to another place, after a sync with it has worked: a place that works is not left for one that does not.
    ///
    /// Until then nothing is different, also on the disk.
    ///
    /// - Parameters:
    ///   - vault: The open vault.
    ///   - place: The folder or the server.
    ///   - invitation: What brings the vault, if a server may not have it.
    /// - Returns: What was done there; `nil` if the vault has no other place, and nothing was done.
    /// - Throws: What the sync throws; `AgentError` with `conflict` if sync was switched meanwhile; `VaultError`.
    func change(_ vault: Vault, to place: SyncSetting.Place, invitation: String?) async throws -> SyncReport? {
        guard await adopt() === vault, let setting, setting.place != place else { return nil }
        // Of a move that comes with that sync the person has not decided.
        let (moves, number) = (await moves(vault), switchCount)
        let report = try await syncOnce(vault, with: place, invitation: invitation)
        try Task.checkCancellation()
        guard !report.troubles.contains(.hasOwnEntries) else { throw AgentError(.copiedThere) }
        guard try await switchOn(vault, with: place, knowing: moves, unlessSwitchedSince: number) else {
            throw Self.switchedMeanwhile
        }
        return report
    }

    private static let switchedMeanwhile = AgentError(
        .conflict,
        "Sync was switched in another way meanwhile. Look at it: ward sync"
    )

    /// Syncs the vault once with a place that is not the one of the setting.
    ///
    /// Over a connection that is slow or breaks it is tried in smaller and smaller parts, as long as something passes.
    ///
    /// - Parameters:
    ///   - vault: The open vault.
    ///   - place: The folder or the server.
    ///   - invitation: What brings the vault, if the server may not have it.
    /// - Returns: What was done.
    /// - Throws: What the sync throws; `AgentError` with `locked` or `conflict`, or `CancellationError`, without waiting for a folder that
    ///   hangs.
    func syncOnce(_ vault: Vault, with place: SyncSetting.Place, invitation: String?) async throws -> SyncReport {
        let beginning = ServerBeginning(invitation: invitation, isOnce: true)
        let run = makeRun(vault, place, beginning, { [progress] in progress.note($0) })
        let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
        let trial = beginTrial(continuation)
        let work = Task {
            // A sync with the other place may hang in its folder.
            let thread = SyncThread()
            var outcome = await Self.timed { await Self.perform(run.sync, on: thread) }
            for _ in 0..<Self.smallerTries where !Task.isCancelled {
                guard await Self.maySucceedInParts(outcome, run) else { break }
                outcome = await Self.timed { await Self.perform(run.sync, on: thread) }
            }
            await run.end?()
            continuation.yield(outcome.result)
            continuation.finish()
        }
        defer {
            work.cancel()
            endTrial(trial)
        }
        for await outcome in outcomes {
            // The vault stays with the place that it has, and nothing tries the other one again.
            do { return try outcome.get() } catch let error as ServerError {
                throw error.endingCommand
            }
        }
        try Task.checkCancellation()
        guard await !vault.isLocked else { throw Self.lockedMeanwhile }
        throw Self.switchedMeanwhile
    }

    /// How often a sync that a person waits for is tried in smaller and smaller parts.
    private static let smallerTries = 5
    /// A connection that does not come about is given up earlier.
    private static let transferring = Duration.seconds(60)

    private static func timed(_ body: () async -> Outcome) async -> (result: Outcome, time: Duration) {
        let start = ContinuousClock.now
        return (await body(), start.duration(to: .now))
    }

    /// Whether a sync got somewhere over a connection that was too slow, or broke: the next one uses smaller parts.
    private static func maySucceedInParts(_ outcome: (result: Outcome, time: Duration), _ run: SyncRun) async -> Bool {
        guard case .failure(let error as ServerError) = outcome.result,
            error.code == .tooSlow || error.code == .unreachable
        else { return false }
        if error.code == .tooSlow, outcome.time > transferring { return true }
        return await run.hasPassed?() ?? false
    }
}
