internal import Logging
internal import WardAgentClient
internal import WardSync
internal import WardVault

/// Moving the vault to another server.
extension SyncMethods {
    /// Brings the vault to a server, tells the other devices over the place before, and goes there.
    ///
    /// Each step can be made again, so a move that was interrupted is finished by the same call.
    func move(_ method: MoveSync, _ program: ManagerProgram) async throws -> SyncNow.Result {
        try await session.working {
            let address = try Self.address(method.server)
            guard address.text.utf8.count <= VaultMove.maximumLength else {
                throw AgentError(.invalidValue, "The address is too long: at most \(VaultMove.maximumLength) bytes")
            }
            if let invitation = method.invitation { try Self.checkToken(invitation) }
            try await session.asOwner(method.passphrase) { try await $0.verify($1) }
            try await syncer.checkReadable()
            guard let vault = await syncer.adopt(), let setting = await syncer.setting else {
                throw AgentError.syncIsOff
            }
            guard setting.server != address else {
                throw AgentError(.conflict, "This device syncs with this server already")
            }
            let result = try await syncer.changing(vault) {
                // What other devices wrote goes along.
                if !method.isEarlierGone { try await syncBeforeMove(to: address) }
                let brought = try await bring(vault, to: address, method.invitation)
                // The circle has room for a limited number of operations.
                if await !syncer.hasBegunMove(vault, to: address) {
                    try await session.asOwner(method.passphrase) { vault, passphrase in
                        try await vault.move(to: address.text, from: setting.server?.text, passphrase)
                    }
                }
                if !method.isEarlierGone { try await syncBeforeMove(to: address, isMoved: true) }
                try await syncer.switchOn(vault, with: .server(address))
                let report = try await syncer.now()
                return SyncNow.Result(
                    taken: brought.taken + report.taken,
                    items: report.items.count,
                    written: brought.written + report.written,
                    state: await syncer.state()
                )
            }
            logger.notice("the vault moved", metadata: ["by": "\(program.peer.description)"])
            return result
        }
    }

    /// Brings the vault to the new server, and checks that everything is there.
    ///
    /// - Returns: What was done there.
    /// - Throws: `AgentError` with the server's code, in words that name the move; what else the sync throws.
    private func bring(_ vault: Vault, to address: ServerAddress, _ invitation: String?) async throws -> SyncReport {
        do {
            let position = try await vault.position()
            let brought = try await syncer.syncOnce(vault, with: .server(address), invitation: invitation)
            try Self.checkWhole(brought)
            try await checkKept(vault, by: address, since: position + Int64(brought.taken))
            return brought
        } catch let error as ServerError {
            throw AgentError(error, for: .moving)
        }
    }

    /// Syncs with the place that the vault leaves.
    ///
    /// - Parameters:
    ///   - address: The new server.
    ///   - isMoved: Whether the new server has everything, and only the other devices must be told.
    /// - Throws: `AgentError` with `earlier_place` if the place fails; it must not look as if the new server failed.
    private func syncBeforeMove(to address: ServerAddress, isMoved: Bool = false) async throws {
        do {
            _ = try await syncer.now()
        } catch let error as ServerError {
            // From a folder nobody follows, and this device does not either.
            throw Self.earlierPlace(error.detail(for: .leaving), address, isMoved: isMoved, goesOn: true)
        } catch let error as FolderError {
            throw Self.earlierPlace(error.detail, address, isMoved: isMoved, goesOn: false)
        }
    }

    private static func earlierPlace(
        _ problem: String,
        _ address: ServerAddress,
        isMoved: Bool,
        goesOn: Bool
    ) -> AgentError {
        let move = "ward sync move \(address.text)"
        let problem = problem.hasSuffix(".") ? String(problem.dropLast()) : problem
        let again =
            goesOn ? "Ward tries again, and goes to the new server then. To try now: \(move)" : "To try again: \(move)"
        let failed =
            isMoved
            ? "The vault is on the new server. Your other devices learn of that over the place that Ward used until now, and that "
                + "failed. \(problem). \(again)"
            : "Before a move, Ward syncs with the place that it used until now, and that failed. \(problem)"
        return AgentError(
            .init(rawValue: "earlier_place"),
            "\(failed). If this place is gone for good: \(move) --old-server-gone"
        )
    }

    /// How often a server is read again because it lacks something.
    private static let checks = 3

    /// Reads everything again from a server that has just got the vault: it can say that it took what it threw away.
    ///
    /// - Parameters:
    ///   - vault: The open vault.
    ///   - address: The server.
    ///   - position: The last position of the vault before the server got it. What came since may be missing there.
    /// - Throws: What the sync throws; `ServerError` with `server_hides_entries` if the server lacks what it was sent.
    private func checkKept(_ vault: Vault, by address: ServerAddress, since position: Int64) async throws {
        var before = position
        for _ in 0..<Self.checks {
            let start = try await vault.position()
            let report = try await syncer.syncOnce(vault, with: .server(address), invitation: nil)
            try Self.checkWhole(report)
            // What the server itself showed is there.
            let added = try await vault.position() - before - Int64(report.taken)
            if report.brought == 0 || report.brought <= added { return }
            before = start + Int64(report.taken)
        }
        throw ServerError(.hides)
    }

    /// Refuses to leave a server for one that does not have everything.
    ///
    /// A server that finds two entries with one number has stored both, and only says so.
    private static func checkWhole(_ report: SyncReport) throws {
        if let trouble = report.serverTroubles.first(where: { $0.code != .equivocation }) { throw trouble }
        guard !report.troubles.contains(.hasOwnEntries) else { throw AgentError(.copiedThere) }
        guard report.missing.isEmpty else { throw ServerError(.hides) }
    }
}
