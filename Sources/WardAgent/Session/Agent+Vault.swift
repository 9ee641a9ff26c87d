internal import Logging
internal import WardAgentClient
internal import WardVault

extension Agent {
    /// How things stand; no secret, and no question.
    func status(_ caller: AgentCaller) async -> Status.Result {
        let location = configuration.location
        let place = await person.place(for: caller.place)
        let pinentry: Result<String, AgentError> = Result { () throws(AgentError) in try prompting.program(for: place) }
        var result = Status.Result(
            vault: location.database,
            exists: location.hasVault,
            isLocked: true,
            pid: processID,
            idleLock: configuration.idleLock,
            pinentry: try? pinentry.get(),
            pinentryProblem: pinentry.problem,
            version: configuration.version
        )
        result.startsAtLogin = LoginStart.isEnabled()
        if providerSettings.arePasskeysOff { result.passkeysAreOff = true }
        guard location.hasVault else { return result }
        do {
            let vault = try file()
            result.isLocked = await vault.isLocked
            result.isProven = await vault.isProven
            guard !result.isLocked else { return result }
            let status = try await vault.status()
            result.items = status.items
            result.trashed = status.trashed
            result.passkeys = try await vault.summaries().reduce(0) { $0 + $1.passkeys.count }
            result.unreadable = status.unreadable.map(\.text)
            result.entries = status.entries
            result.device = status.device.description
            result.devices = status.devices.count
            result.locksIn = idleLock.secondsLeft
            result.locksLatestIn = idleLock.secondsToLimit
            result.backup = BackupRecordState(try await vault.backupState())
        } catch {
            let error = AgentError(reporting: error)
            if error.code != .locked { result.problem = error.message }
        }
        return result
    }

    func create(_ method: CreateVault, _ caller: AgentCaller) async throws -> CreateVault.Result {
        try await working {
            let (made, recoveryKey) = try await Vault.create(
                at: configuration.location,
                passphrase: try Passphrase(method.passphrase),
                effects: configuration.effects
            )
            adopt(made)
            attempts.forget()
            logger.notice("a vault was made", metadata: ["by": "\(caller.peer.description)"])
            return CreateVault.Result(
                recoveryKey: recoveryKey.text,
                vault: configuration.location.database,
                secretKey: configuration.location.secretKey
            )
        }
    }

    func unlock(_ method: Unlock, _ caller: AgentCaller) async throws -> Done {
        try await working {
            let vault = try file()
            let trust: Vault.Trust = method.trustsFile ? .thisFile : .known
            guard await vault.isLocked else { return Done() }
            try await unlock(vault, method.authorization, caller, purpose: "unlock your vault", trust: trust)
            return Done()
        }
    }

    func check(_ method: CheckPassphrase, _ caller: AgentCaller) async throws -> Done {
        try await working {
            let (vault, passphrase) = (try file(), try Passphrase(method.passphrase))
            try await attempts.trying(.program) {
                if await vault.isLocked {
                    try await vault.unlock(with: passphrase)
                } else {
                    try await vault.verify(passphrase)
                }
            }
            return Done()
        }
    }

    func change(_ method: ChangePassphrase, _ caller: AgentCaller) async throws -> Done {
        try await working {
            let (vault, old, new) = (try file(), try Passphrase(method.old), try Passphrase(method.new))
            try await attempts.trying(.program) {
                if await vault.isLocked { try await vault.unlock(with: old) }
                try await vault.changePassphrase(from: old, to: new)
            }
            return Done()
        }
    }

    func lock() async -> Done {
        await lockIfOpen()
        return Done()
    }

    func verifyLog(_ method: VerifyLog, _ caller: AgentCaller) async throws -> VerifyLog.Result {
        try await working {
            let report = try await opened(method.authorization, caller, purpose: "check your vault").verifyLog()
            return VerifyLog.Result(
                entries: report.entries,
                revisions: report.revisions,
                cleared: report.cleared,
                purged: report.purged,
                devices: report.devices.map(\.description)
            )
        }
    }
}

extension Result where Success == String, Failure == AgentError {
    /// What is wrong, in one sentence.
    fileprivate var problem: String? { if case .failure(let error) = self { error.message } else { nil } }
}
