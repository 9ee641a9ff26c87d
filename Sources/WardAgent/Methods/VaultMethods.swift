internal import Logging
internal import WardAgentClient
internal import WardVault

/// Creates, opens and locks the vault, and reports its state.
struct VaultMethods: Sendable {
    let session: VaultSession
    let syncer: Syncer
    let providers: Providers
    let desktop: DesktopPortal
    let version: String
    let processID: Int32
    let logger: Logger

    /// The state of the vault.
    ///
    /// It contains no secret, and no prompt appears.
    func status(_ program: ManagerProgram) async -> Status.Result {
        let location = session.location
        let asking = session.asking
        let place = await asking.person.place(for: program.place)
        let pinentry: Result<String, AgentError> = Result { () throws(AgentError) in
            try asking.prompting.program(for: place)
        }
        var result = Status.Result(
            vault: location.database,
            exists: location.hasVault,
            isLocked: true,
            pid: processID,
            idleLock: session.idleLock.idle,
            pinentry: try? pinentry.get(),
            pinentryProblem: pinentry.problem,
            version: version
        )
        result.name = location.name.description
        // systemd starts only the agent of the default vault.
        result.startsAtLogin = location.name.isStandard && LoginStart.isEnabled()
        if providers.settings.arePasskeysOff { result.passkeysAreOff = true }
        if location.name.isStandard { result.desktop = await desktop.status() }
        guard location.hasVault else {
            result.joinsAs = (try? PendingDevice(at: location))?.request.name
            return result
        }
        do {
            let vault = try await session.file()
            result.isLocked = await vault.isLocked
            result.isProven = await vault.isProven
            result.verification = await session.verification
            result.quickUnlock = QuickUnlockStatus.Result(
                isOn: session.quickUnlock.isOn(vault),
                isReady: session.quickUnlock.isReady(vault)
            )
            guard !result.isLocked else { return result }
            let status = try await vault.status()
            result.items = status.items
            result.trashed = status.trashed
            result.passkeys = try await vault.summaries().reduce(0) { $0 + $1.passkeys.count }
            result.unreadable = status.unreadable.map(\.text)
            result.entries = status.entries
            result.device = "\(status.device)"
            result.devices = status.devices.count
            result.locksIn = session.idleLock.secondsLeft
            result.locksLatestIn = session.idleLock.secondsToLimit
            result.backup = BackupRecordState(try await vault.backupState())
            result.sync = await syncer.state()
        } catch {
            let error = AgentError(reporting: error)
            if error.code != .locked { result.problem = error.message }
        }
        return result
    }

    func create(_ method: CreateVault, _ program: ManagerProgram) async throws -> CreateVault.Result {
        try await session.working {
            let (made, recoveryKey) = try await Vault.create(
                at: session.location,
                passphrase: try Passphrase(method.passphrase),
                effects: session.effects
            )
            await session.adopt(made)
            session.asking.attempts.forget()
            logger.notice("a vault was made", metadata: ["by": "\(program.peer.description)"])
            return CreateVault.Result(
                recoveryKey: recoveryKey.text,
                vault: session.location.database,
                secretKey: session.location.secretKey
            )
        }
    }

    func unlock(_ method: Unlock, _ program: ManagerProgram) async throws -> Done {
        try await session.working {
            let vault = try await session.file()
            let trust: Vault.Trust = method.trustsFile ? .thisFile : .known
            guard await vault.isLocked else {
                // If the request has a passphrase, the passphrase is checked even if the vault is open.
                guard let text = method.authorization.passphrase else { return Done() }
                let passphrase = try Passphrase(text)
                try await session.asking.attempts.trying(.program) { try await vault.verify(passphrase) }
                return Done()
            }
            try await session.unlock(
                vault,
                method.authorization,
                .person(program),
                to: nil,
                trust: trust
            )
            return Done()
        }
    }

    func check(_ method: CheckPassphrase) async throws -> Done {
        try await session.working {
            let (vault, passphrase) = (try await session.file(), try Passphrase(method.passphrase))
            try await session.asking.attempts.trying(.program) {
                if await vault.isLocked {
                    try await vault.unlock(with: passphrase)
                } else {
                    try await vault.verify(passphrase)
                }
            }
            return Done()
        }
    }

    func change(_ method: ChangePassphrase) async throws -> Done {
        try await session.working {
            let (vault, old, new) = (try await session.file(), try Passphrase(method.old), try Passphrase(method.new))
            try await session.asking.attempts.trying(.program) {
                if await vault.isLocked { try await vault.unlock(with: old) }
                try await session.onceMore { try await vault.changePassphrase(from: old, to: new) }
            }
            return Done()
        }
    }

    func lock() async -> Done {
        await session.lockIfOpen()
        return Done()
    }

    func verifyLog(_ method: VerifyLog, _ program: ManagerProgram) async throws -> VerifyLog.Result {
        try await session.working {
            let report = try await session.opened(method.authorization, .person(program), to: .checkVault)
                .verifyLog()
            let void = report.firstVoidEntries.map { ("\($0)", $1) }
            return VerifyLog.Result(
                entries: report.entries,
                revisions: report.revisions,
                cleared: report.cleared,
                withoutKey: report.withoutKey == 0 ? nil : report.withoutKey,
                unreadable: report.unreadable == 0 ? nil : report.unreadable,
                purged: report.purged,
                devices: report.devices.map { "\($0)" },
                firstVoidEntries: void.isEmpty ? nil : Dictionary(void, uniquingKeysWith: min)
            )
        }
    }
}

extension Result where Success == String, Failure == AgentError {
    /// The problem, in one sentence.
    fileprivate var problem: String? { if case .failure(let error) = self { error.message } else { nil } }
}
