internal import Logging
internal import WardAgentClient
internal import WardSync
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// The devices in the circle of the vault.
struct DeviceMethods: Sendable {
    let session: VaultSession
    let syncer: Syncer
    let meetings: Meetings
    let logger: Logger

    /// How long a removal waits for what others wrote.
    private static let patience = Duration.seconds(10)
    /// How long a removal waits until the others can hear of it.
    ///
    /// It is written, and the sync goes on.
    private static let patienceAfterwards = Duration.seconds(60)

    func list(_ method: ListDevices, _ program: ManagerProgram) async throws -> DeviceList {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .listDevices)
            return DeviceList(try await circle(vault))
        }
    }

    func requests(_ method: ListDeviceRequests, _ program: ManagerProgram) async throws -> ListDeviceRequests.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .listDevices)
            let now = session.effects.now()
            var (requests, troubles, answered) = try await read(now)
            // Anybody can put something in place of an answer. A member that answers adds the device first.
            let writers = try await vault.writers()
            for request in requests where !writers.contains(request.deviceID) { answered.remove(request.id) }
            return ListDeviceRequests.Result(
                requests: requests.map { request in
                    ListDeviceRequests.Request(
                        id: Hex.encode(request.id),
                        name: request.name,
                        system: request.system,
                        time: request.time,
                        age: max(0, now - request.time),
                        words: request.words,
                        isAnswered: answered.contains(request.id)
                    )
                },
                warnings: troubles.map(\.description)
            )
        }
    }

    func add(_ method: AddDevice, _ program: ManagerProgram) async throws -> AddDevice.Result {
        try await session.working {
            let vault = try await session.file()
            // The folder is known only while the vault is open.
            if await vault.isLocked { try await session.asOwner(method.passphrase) { _, _ in } }
            let pairing = try await pairingFolder()
            let (requests, _, _) = try await read(session.effects.now())
            guard let request = requests.first(where: { Hex.encode($0.id) == method.request.lowercased() }) else {
                throw AgentError(
                    .itemMissing,
                    "The request is not in the folder, or it is older than 7 days. On the new device: ward join FOLDER"
                )
            }
            let reply = try await syncer.changing(vault) {
                try await session.asOwner(method.passphrase) { try await $0.admit(request, $1) }
            }
            // The addition is in the folder before the answer that names it. If that fails, the next sync brings it.
            _ = try? await syncer.now()
            logger.notice("a device was added", metadata: ["by": "\(program.peer.description)"])
            try await post(reply, to: request, in: pairing)
            return try await added(request, to: vault)
        }
    }

    /// Writes the answer to a request whose device is in the circle already.
    ///
    /// - Throws: `AgentError` that says so, and how the answer is written again.
    private func post(
        _ reply: [UInt8],
        to request: PairingRequest,
        in pairing: PairingFolder
    ) async throws(AgentError) {
        do throws(FolderError) {
            try await onThread { () throws(FolderError) in try pairing.post(reply: reply, to: request) }
        } catch {
            let problem = AgentError(reporting: error)
            let step = error.code == .missing ? "Connect the drive, then: " : "\(problem.message) Then: "
            throw AgentError(
                problem.code,
                "The device was added, but the answer is not in the folder. \(step)"
                    + "ward devices add --request \(Hex.encode(request.id).prefix(8))"
            )
        }
    }

    /// The device of a request that was admitted.
    func added(_ request: PairingRequest, to vault: Vault) async throws -> AddDevice.Result {
        let devices = DeviceList(try await circle(vault)).devices
        guard let device = devices.first(where: { $0.id == request.deviceID.text }) else {
            throw AgentError(.failed, "The device was added and is not in the circle. See: ward devices")
        }
        return AddDevice.Result(device: device, state: await syncer.state())
    }

    func remove(_ method: RemoveDevices, _ program: ManagerProgram) async throws -> RemoveDevices.Result {
        try await session.working {
            guard !method.devices.isEmpty else { throw AgentError(.invalidValue, "Name the devices to remove") }
            let recoveryKey = try method.recoveryKey.map { (text) throws(AgentError) in try RecoveryKey(given: text) }
            let vault = try await session.file()
            let wanted = Set(method.devices.map { $0.lowercased() })
            // Of a removed device only that counts which its removal knows. The place is known only while the vault is open.
            if await vault.isLocked { try await session.asOwner(method.passphrase) { _, _ in } }
            await syncer.tryNow(within: Self.patience)
            let readable = try await syncer.changing(vault) {
                try await session.asOwner(method.passphrase) { vault, passphrase in
                    // The devices can read what is there now, and nothing that comes later.
                    let found = try await vault.summaries().filter { $0.deletedAt == nil }
                    let devices = try await circle(vault).devices.map(\.id).filter { wanted.contains($0.text) }
                    guard devices.count == wanted.count else {
                        throw AgentError(.itemMissing, "There is no device with this ID. See the IDs: ward devices")
                    }
                    try await vault.removeDevices(
                        Set(devices),
                        passphrase,
                        recoveryKey: recoveryKey,
                        keepsSecretKey: method.keepsSecretKey
                    )
                    return found
                }
            }
            await syncer.tryNow(within: Self.patienceAfterwards)
            logger.notice("devices were removed", metadata: ["by": "\(program.peer.description)"])
            let list = DeviceList(try await circle(vault))
            return RemoveDevices.Result(
                removed: list.devices.filter { wanted.contains($0.id) },
                secretKey: method.keepsSecretKey ? nil : session.location.secretKey,
                readable: readable.map { SummaryRecord($0) },
                state: await syncer.state()
            )
        }
    }

    func rekey(_ method: RekeyDevices, _ program: ManagerProgram) async throws -> DeviceList {
        try await session.working {
            let vault = try await session.file()
            let key = try method.recoveryKey.map { (text) throws(AgentError) in try RecoveryKey(given: text) }
            try await syncer.changing(vault) {
                try await session.asOwner(method.passphrase) { try await $0.rekeyCircle($1, recoveryKey: key) }
            }
            _ = try? await syncer.now()
            logger.notice("the vault has a new key", metadata: ["by": "\(program.peer.description)"])
            var list = DeviceList(try await circle(vault))
            list.state = await syncer.state()
            return list
        }
    }

    func rename(_ method: RenameDevice, _ program: ManagerProgram) async throws -> DeviceList {
        try await session.working {
            let name = try DeviceName.checked(method.deviceName)
            let vault = try await session.opened(method.authorization, .person(program), to: .nameDevice)
            _ = try await circle(vault)
            try await vault.renameDevice(name)
            return DeviceList(try await circle(vault))
        }
    }

    // MARK: Parts

    /// - Throws: `AgentError` with `no_circle`; `VaultError`.
    private func circle(_ vault: Vault) async throws -> CircleOverview {
        guard let circle = try await vault.circle() else { throw AgentError.hasNoCircle }
        return circle
    }

    /// - Throws: `AgentError` with `sync_off`, `no_folder` or `locked`.
    private func pairingFolder() async throws -> PairingFolder {
        try await syncer.checkReadable()
        guard await syncer.adopt() != nil else {
            throw AgentError(.locked, "The vault is locked. Open it: ward unlock")
        }
        guard let setting = await syncer.setting else { throw AgentError.syncIsOff }
        guard let folder = setting.folder else { throw AgentError.hasNoFolder }
        return PairingFolder(folder: folder)
    }

    /// The requests in the folder, what could not be read, and the IDs of those that are answered.
    private func read(
        _ now: Int64
    ) async throws -> (requests: [PairingRequest], troubles: [FolderTrouble], answered: Set<[UInt8]>) {
        let pairing = try await pairingFolder()
        return try await onThread { () throws(FolderError) in
            let (requests, troubles) = try pairing.requests(now: now)
            // What is deleted was said once.
            pairing.removeOld(now: now)
            var answered: Set<[UInt8]> = []
            for request in requests where (try? pairing.reply(to: request)) ?? nil != nil {
                answered.insert(request.id)
            }
            return (requests, troubles, answered)
        }
    }
}

extension DeviceList {
    init(_ circle: CircleOverview) {
        self.init(
            devices: circle.devices.map { DeviceRecord($0) },
            isMember: circle.isMember,
            isFrozen: circle.isFrozen,
            isKeyClean: circle.isKeyClean,
            needsPassphraseAgain: circle.needsPassphraseAgain,
            droppedRemovals: circle.droppedRemovals
        )
    }
}

extension DeviceRecord {
    init(_ device: CircleOverview.Device) {
        let status =
            switch device.status {
            case .member: "member"
            case .disputed: "disputed"
            case .removed: "removed"
            case .waiting: "waiting"
            }
        self.init(
            id: device.id.text,
            name: device.name,
            isThisDevice: device.isThisDevice,
            status: status,
            hasBrokenRules: device.hasBrokenRules,
            proof: device.proof.map { .init(number: $0.sequence, entries: $0.entries.map { Hex.encode($0) }) },
            lacksKey: device.lacksKey,
            lastHeard: device.lastHeard,
            clockAhead: device.clockAhead,
            admittedAt: device.admittedAt,
            removedAt: device.removedAt,
            lateChanges: device.lateRevisions > 0 ? device.lateRevisions : nil
        )
    }
}
