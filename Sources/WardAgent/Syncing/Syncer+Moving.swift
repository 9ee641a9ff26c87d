internal import Logging
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

        /// The moves that are open, each address once.
        static func open(_ moves: [VaultMove], _ setting: SyncSetting) -> [Move] {
            var found: [Move] = []
            for move in moves where !setting.knownMoves.contains(move.entry) {
                guard let address = ServerAddress(move.address), address != setting.server,
                    !found.contains(where: { $0.address == address })
                else { continue }
                let isFollowed = setting.server.map { $0.text == move.earlier } ?? false
                found.append(Move(address: address, isFollowed: isFollowed))
            }
            return found
        }
    }

    /// The newest moves of the vault; none if the vault is locked.
    func moves(_ vault: Vault) async -> [VaultMove] { (try? await vault.circle())?.moves ?? [] }

    /// Goes to the server to which the vault moved, and tells the person.
    ///
    /// Only the owner can sign a move, and the server learns no more than the one before: so nobody is asked.
    func follow(_ vault: Vault) async {
        let moves = await moves(vault)
        guard await adopt() === vault, let setting else { return }
        mayHaveMoved = false
        let open = Move.open(moves, setting)
        guard open.count == 1, let move = open.first, move.isFollowed else { return }
        // If it cannot be written now, the next start looks again.
        guard (try? await switchOn(vault, with: .server(move.address))) != nil else { return }
        logger.notice("the vault moved, and this device followed")
        await tell(.moved(host: move.address.host))
    }

    /// Syncs the vault once with a place that is not the one of the setting.
    ///
    /// - Parameters:
    ///   - vault: The open vault.
    ///   - place: The folder or the server.
    ///   - invitation: What brings the vault, if the server may not have it.
    /// - Returns: What was done.
    /// - Throws: What the sync throws.
    func syncOnce(_ vault: Vault, with place: SyncSetting.Place, invitation: String?) async throws -> SyncReport {
        let beginning = ServerBeginning(invitation: invitation, isOnce: true)
        let run = makeRun(vault, place, beginning, { [progress] in progress.note($0) })
        // A sync with the other place may hang in its folder.
        let thread = SyncThread()
        var outcome = await Self.perform(run.sync, on: thread)
        for _ in 0..<Self.smallerTries where await Self.maySucceedInParts(outcome, run) {
            outcome = await Self.perform(run.sync, on: thread)
        }
        progress.clear()
        await run.end?()
        tookElsewhere()
        return try outcome.get()
    }

    /// How often a sync that a person waits for is tried in smaller and smaller parts.
    private static let smallerTries = 5

    /// Whether a sync got somewhere over a connection that was too slow, or broke: the next one uses smaller parts.
    private static func maySucceedInParts(_ outcome: Outcome, _ run: SyncRun) async -> Bool {
        guard case .failure(let error as ServerError) = outcome, error.code == .tooSlow || error.code == .unreachable
        else {
            return false
        }
        return await run.hasPassed?() ?? false
    }

    /// Syncs, and tries again in smaller parts over a connection that is slow or breaks.
    ///
    /// - Throws: As ``now()``.
    func nowInParts() async throws -> SyncReport {
        for _ in 0..<Self.smallerTries {
            do { return try await now() } catch let error as ServerError {
                try Task.checkCancellation()
                guard let run, await Self.maySucceedInParts(.failure(error), run) else { throw error }
            }
        }
        return try await now()
    }
}
