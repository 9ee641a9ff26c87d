internal import Logging
internal import WardAgentClient
internal import WardSync
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// Joining the devices of a vault, on a device without that vault.
struct NewDeviceMethods: Sendable {
    let session: VaultSession
    let syncer: Syncer
    let meetings: Meetings
    let logger: Logger

    func begin(_ method: BeginJoin) async throws -> BeginJoin.Result {
        try await session.working {
            try refuseVault()
            let folder = PairingFolder(folder: try SyncMethods.checked(method.folder))
            let (pending, isEarlier) = try request(named: method.deviceName)
            if !isEarlier { try keep(pending) }
            let request = pending.request
            // Also an earlier request, because its file may be gone.
            try await onThread { () throws(FolderError) in try folder.post(request) }
            return BeginJoin.Result(
                request: Hex.encode(request.id),
                deviceName: request.name,
                words: request.words,
                isEarlier: isEarlier
            )
        }
    }

    func status(_ method: JoinStatus) async throws -> JoinStatus.Result {
        try await session.working {
            let folder = PairingFolder(folder: try SyncMethods.checked(method.folder))
            let pending = try pending()
            let reply = try await reply(in: folder, to: pending)
            return JoinStatus.Result(isAnswered: reply != nil)
        }
    }

    func finish(_ method: FinishJoin, _ program: ManagerProgram) async throws -> FinishJoin.Result {
        try await session.working {
            try refuseVault()
            let path = try SyncMethods.checked(method.folder)
            let (folder, pending) = (PairingFolder(folder: path), try pending())
            let (request, passphrase) = (pending.request, try Passphrase(method.passphrase))
            guard let reply = try await reply(in: folder, to: pending) else {
                throw AgentError(
                    .init(rawValue: "not_answered"),
                    "There is no answer in the folder yet. On a device that has the vault: ward devices add"
                )
            }
            let remote = FolderRemote(folder: path, vault: reply.vault)
            let (devices, now) = (reply.devices, session.effects.now())
            let (records, _) = try await onThread { () throws(FolderError) in
                try remote.allRecords(first: devices) { Vault.needingData($0, toJoinWith: reply, now: now) }
            }
            let environment = VaultEnvironment(effects: session.effects)
            let location = session.location
            let vault = try await session.asking.attempts.trying(.program) {
                try await Vault.join(
                    pending,
                    reply,
                    passphrase,
                    records: records,
                    at: location,
                    environment: environment
                )
            }
            return await joined(vault, by: program) {
                await onThread { folder.remove(request) }
                try await syncer.switchOn(vault, with: .folder(path))
            }
        }
    }

    /// Reads and opens the answer to the request of this device.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: `AgentError` with `wrong_answer` if the one in the folder does not open; `FolderError`.
    private func reply(in folder: PairingFolder, to pending: PendingDevice) async throws -> PairingReply? {
        let request = pending.request
        let bytes = try await onThread { () throws(FolderError) in try folder.reply(to: request) }
        guard let bytes else { return nil }
        do {
            return try PairingReply(bytes, for: pending)
        } catch {
            // Without the ID it is not offered there, because it looks answered.
            throw AgentError(
                .init(rawValue: "wrong_answer"),
                "The answer in the folder is not for this device, or was changed. On a device that has the vault, answer again: "
                    + "ward devices add --request \(Hex.encode(request.id).prefix(8)). Then here: ward join FOLDER"
            )
        }
    }

    /// Takes over the vault that this device has joined, and switches sync on.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - program: Who asked.
    ///   - switchOn: Switches sync on.
    /// - Returns: What there is now.
    func joined(
        _ vault: Vault,
        by program: ManagerProgram,
        switchOn: () async throws -> Void
    ) async -> FinishJoin.Result {
        await session.adopt(vault)
        logger.notice("this device joined", metadata: ["by": "\(program.peer.description)"])
        // The vault is here. Whatever fails from now on is said in the state of the sync.
        PendingDevice.remove(at: session.location)
        // The screen can lock during the first sync. Then it is said what was there before.
        var content = try? await Content(vault)
        var problem: SyncState.Notice?
        do {
            try await switchOn()
            _ = try await syncer.now()
        } catch {
            problem = SyncState.Notice(error)
        }
        var state = await syncer.state()
        state.trouble = state.trouble ?? problem
        if let now = try? await Content(vault) { content = now }
        return FinishJoin.Result(
            vault: session.location.database,
            secretKey: session.location.secretKey,
            items: content?.items ?? 0,
            passkeys: content?.passkeys ?? 0,
            device: content?.device,
            state: state
        )
    }

    /// What is in a vault that this device joined.
    private struct Content {
        let items: Int
        let passkeys: Int
        let device: DeviceRecord?

        init(_ vault: Vault) async throws {
            items = try await vault.status().items
            passkeys = try await vault.summaries().reduce(0) { $0 + $1.passkeys.count }
            device = try await vault.circle()?.devices.first(where: \.isThisDevice).map { DeviceRecord($0) }
        }
    }

    /// The keys and the request of this device: those from before, or new ones, which nothing keeps yet.
    ///
    /// - Parameter given: The name of this device; `nil` for the host name, or for the name in the earlier request.
    /// - Returns: The keys, and whether they are from before.
    /// - Throws: `AgentError` with `conflict` for another name than before; `VaultError`.
    func request(named given: String?) throws -> (pending: PendingDevice, isEarlier: Bool) {
        let name = try given.map { (text) throws(AgentError) in try DeviceName.checked(text) }
        if let earlier = try earlier(), !earlier.request.isOld(session.effects.now()) {
            guard name == nil || name == earlier.request.name else {
                throw AgentError(
                    .conflict,
                    "This device has asked to join as \(earlier.request.name.pathForPrompt). Go on without --name, or begin "
                        + "again: ward join PLACE --abandon"
                )
            }
            return (earlier, true)
        }
        let pending = try PendingDevice(
            name: name ?? DeviceName.ofThisMachine,
            system: DeviceName.ofThisSystem,
            VaultEnvironment(effects: session.effects)
        )
        return (pending, false)
    }

    /// Keeps the keys of this device until it has joined.
    ///
    /// - Throws: `VaultError` with `diskFull` or `unavailable`.
    func keep(_ pending: PendingDevice) throws(VaultError) {
        try pending.write(at: session.location, VaultEnvironment(effects: session.effects))
    }

    /// The same, unless this device has got a vault or has asked in another way since.
    ///
    /// - Throws: `AgentError` with `vault_exists` or `conflict`; `VaultError`.
    func keepAlone(_ pending: PendingDevice) throws {
        try refuseVault()
        if let kept = try earlier(), kept.request.id != pending.request.id, !kept.request.isOld(session.effects.now()) {
            throw AgentError(
                .conflict,
                "This device has asked to join in another way meanwhile. Go on there, or begin again: ward join PLACE --abandon"
            )
        }
        try keep(pending)
    }

    func abandon(_ method: AbandonJoin) async throws -> AbandonJoin.Result {
        try await session.working {
            let path = try method.folder.map { (path) throws(AgentError) in try SyncMethods.checked(path) }
            // A file that cannot be read is deleted all the same.
            let pending = try? PendingDevice(at: session.location)
            var (wasAnswered, mayBeAnswered) = (await meetings.leaveNewDevice(), false)
            if let pending, let path {
                let folder = PairingFolder(folder: path)
                do {
                    if try await reply(in: folder, to: pending) != nil { wasAnswered = true }
                } catch {
                    mayBeAnswered = true
                }
                await onThread { folder.remove(pending.request) }
            }
            PendingDevice.remove(at: session.location)
            return AbandonJoin.Result(
                wasThere: pending != nil,
                wasAnswered: wasAnswered,
                mayBeAnswered: mayBeAnswered && !wasAnswered ? true : nil
            )
        }
    }

    /// - Throws: `AgentError` with `vault_exists` if this device has the vault.
    func refuseVault() throws(AgentError) {
        guard !session.hasVault else {
            throw AgentError(
                .init(rawValue: VaultError.Code.vaultExists.name),
                "There is a vault at \(session.location.database). If this device has just joined with it: ward sync on PLACE. To join "
                    + "with another vault beside it: ward join PLACE --vault NAME"
            )
        }
    }

    /// What this device keeps until it has joined.
    ///
    /// - Throws: `AgentError` with `item_missing`; `VaultError`.
    private func pending() throws -> PendingDevice {
        guard let pending = try earlier() else {
            throw AgentError(.itemMissing, "This device has not asked to join. Ask: ward join FOLDER")
        }
        return pending
    }

    /// The same; `nil` if this device has not asked.
    private func earlier() throws -> PendingDevice? {
        do {
            return try PendingDevice(at: session.location)
        } catch  where error.code == .damaged {
            throw AgentError(
                .init(rawValue: error.code.name),
                "The keys with which this device asked to join are damaged. Begin again: ward join FOLDER --abandon"
            )
        }
    }
}
