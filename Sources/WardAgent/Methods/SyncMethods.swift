internal import Logging
internal import WardAgentClient
internal import WardSync
internal import WardVault

/// Sync through a folder or a server.
struct SyncMethods: Sendable {
    let session: VaultSession
    let syncer: Syncer
    let logger: Logger

    func begin(_ method: BeginCircle, _ program: ManagerProgram) async throws -> BeginCircle.Result {
        try await session.working {
            let place = try Self.place(folder: method.folder, server: method.server)
            let name = try method.deviceName.map { (text) throws(AgentError) in try DeviceName.checked(text) }
            let recoveryKey = try method.recoveryKey.map { (text) throws(AgentError) in try RecoveryKey(given: text) }
            let vault = try await session.file()
            // Nothing is written if the folder cannot be used.
            if case .folder(let folder) = place { try await Self.look(into: folder) }
            let made = try await syncer.changing(vault) {
                try await session.asOwner(method.passphrase) { vault, passphrase in
                    guard try await vault.circle() == nil else { return nil as RecoveryKey? }
                    return try await vault.beginCircle(
                        passphrase,
                        recoveryKey: recoveryKey,
                        deviceName: name ?? DeviceName.ofThisMachine
                    )
                }
            }
            logger.notice("the circle of devices began", metadata: ["by": "\(program.peer.description)"])
            return BeginCircle.Result(recoveryKey: made?.text)
        }
    }

    func on(_ method: SwitchSyncOn, _ program: ManagerProgram) async throws -> SwitchSyncOn.Result {
        try await session.working {
            let place = try Self.place(folder: method.folder, server: method.server, invitation: method.invitation)
            let name = try method.deviceName.map { (text) throws(AgentError) in try DeviceName.checked(text) }
            let vault = try await session.file()
            if case .folder(let folder) = place { try await Self.look(into: folder) }
            try await syncer.changing(vault) {
                try await session.asOwner(method.passphrase) { vault, passphrase in
                    guard try await vault.circle() != nil else { throw AgentError.hasNoCircle }
                    try await vault.verify(passphrase)
                    if let name { try await vault.renameDevice(name) }
                }
            }
            // Now the vault is open. What cannot be read would be written over.
            try await syncer.checkReadable()
            let first = try await syncer.change(vault, to: place, invitation: method.invitation)
            // From here on nothing is thrown: sync is on, and tries again by itself.
            var report = SyncReport()
            var problem: SyncState.Notice?
            do {
                if first == nil {
                    let beginning = ServerBeginning(invitation: method.invitation)
                    try await syncer.switchOn(vault, with: place, beginning: beginning)
                }
                report = try await syncer.now()
            } catch {
                problem = SyncState.Notice(error)
            }
            var state = await syncer.state()
            state.trouble = state.trouble ?? problem
            logger.notice("sync is on", metadata: ["by": "\(program.peer.description)"])
            return SwitchSyncOn.Result(
                state: state,
                written: report.written + (first?.written ?? 0),
                taken: report.taken + (first?.taken ?? 0)
            )
        }
    }

    func off(_ method: SwitchSyncOff, _ program: ManagerProgram) async throws -> SyncState {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .switchSyncOff)
            try await syncer.switchOff(vault)
            logger.notice("sync is off", metadata: ["by": "\(program.peer.description)"])
            return await syncer.state()
        }
    }

    func repair(_ method: RepairSync, _ program: ManagerProgram) async throws -> SyncState {
        try await session.working {
            try await session.asOwner(method.passphrase) { try await $0.acceptRestored($1) }
            logger.notice("a restored vault is accepted", metadata: ["by": "\(program.peer.description)"])
            return await syncer.state()
        }
    }

    func status() async throws -> SyncState {
        // A device that joins has no vault yet, and its person waits.
        if syncer.joining.state == nil { _ = try await session.file() }
        return await syncer.state()
    }

    func now(_ method: SyncNow, _ program: ManagerProgram) async throws -> SyncNow.Result {
        try await session.working {
            _ = try await session.opened(method.authorization, .person(program), to: .syncVault)
            let report = try await syncer.now()
            guard !report.troubles.contains(.hasOwnEntries) else { throw AgentError(.copied) }
            return SyncNow.Result(
                taken: report.taken,
                items: report.items.count,
                written: report.written,
                broughtBack: report.broughtBack > 0 ? report.broughtBack : nil,
                state: await syncer.state()
            )
        }
    }

    func compare(_ method: CompareSync, _ program: ManagerProgram) async throws -> CompareSync.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .syncVault)
            let found = try await vault.comparison()
            return CompareSync.Result(words: found.words, entries: Int(clamping: found.entries), newest: found.newest)
        }
    }

    /// What a vault is to be synced with.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    private static func place(
        folder: String?,
        server: String?,
        invitation: String? = nil
    ) throws(AgentError) -> SyncSetting.Place {
        switch (folder, server) {
        case (let folder?, nil):
            guard invitation == nil else {
                throw AgentError(.invalidValue, "An invitation is for a server, not for a folder")
            }
            return .folder(try checked(folder))
        case (nil, let text?):
            if let invitation { try checkToken(invitation) }
            return .server(try address(text))
        default: throw AgentError(.invalidValue, "Name either a folder or a server")
        }
    }

    /// Reads the address of a server.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    static func address(_ text: String) throws(AgentError) -> ServerAddress {
        guard let address = ServerAddress(text) else {
            throw AgentError(
                .invalidValue,
                "The address of a sync server begins with https:// and has no user name and no question mark. Only this "
                    + "machine and onion services can have http://"
            )
        }
        return address
    }

    /// Refuses what cannot be an invitation.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    static func checkToken(_ text: String) throws(AgentError) {
        guard (1...512).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw AgentError(.invalidValue, "This is no invitation. Copy it as the operator sent it")
        }
        // Who is asked for two things types the wrong one. A key that has a mistake in it is worth as much to a server.
        guard !RecoveryKey.looksLikeKey(text), !SecretKey.looksLikeKey(text) else {
            throw AgentError(
                .invalidValue,
                "This is a key of your vault, and no invitation. It was not sent. Copy the invitation as the operator sent it"
            )
        }
    }

    /// Checks the path of a folder, which the agent's own working folder must not change.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    static func checked(_ folder: String) throws(AgentError) -> String {
        guard folder.hasPrefix("/"), !folder.utf8.contains(0), folder.utf8.count < 4096 else {
            throw AgentError(.invalidValue, "The folder must be an absolute path")
        }
        return folder
    }

    /// Opens a folder, as a sync does.
    ///
    /// - Throws: `FolderError`.
    private static func look(into folder: String) async throws {
        _ = try await onThread { () throws(FolderError) in try PairingFolder(folder: folder).requests(now: 0) }
    }
}
