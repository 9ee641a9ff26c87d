internal import Logging
internal import WardAgentClient
internal import WardVault

/// Backs the vault up, and restores it.
struct BackupMethods: Sendable {
    let session: VaultSession
    let logger: Logger

    func backUp(_ method: BackUpVault, _ program: ManagerProgram) async throws -> BackUpVault.Result {
        try await session.working {
            if let keep = method.keep, keep < 1 {
                throw AgentError(.invalidValue, "Keep at least one backup in the folder: --keep 1 or more")
            }
            let authorization = method.authorization
            let mayOpen = authorization.mayPrompt || authorization.passphrase != nil
            let vault =
                try mayOpen
                ? await session.opened(authorization, .person(program), to: .backUpVault)
                : await session.file()
            let made = try await vault.backUp(
                BackupRequest(
                    path: method.path,
                    keep: method.keep,
                    includesSecretKey: method.includesSecretKey,
                    isElsewhere: method.isElsewhere
                )
            )
            logger.notice("the vault was backed up", metadata: ["by": "\(program.peer.description)"])
            return BackUpVault.Result(
                path: made.path,
                entries: made.entries,
                areContentsChecked: made.areContentsChecked,
                unreadable: made.unreadable.map(\.text),
                removed: made.removed,
                isElsewhere: made.isElsewhere,
                state: made.areContentsChecked ? try await BackupRecordState(vault.backupState()) : nil
            )
        }
    }

    func confirm(_ method: ConfirmBackupKey, _ program: ManagerProgram) async throws -> ConfirmBackupKey.Result {
        try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .checkRecoveryKey
            )
            let kind = try await vault.confirmKey(method.key)
            return ConfirmBackupKey.Result(kind: kind.rawValue, state: BackupRecordState(try await vault.backupState()))
        }
    }

    func restore(_ method: RestoreVault, _ program: ManagerProgram) async throws -> RestoreVault.Result {
        try await session.working {
            let location = session.location
            guard method.replaces || !location.hasVault else {
                throw AgentError(
                    .init(rawValue: "vault_exists"),
                    "There is already a vault at \(location.database). To replace it, add --replace. The old vault is kept "
                        + "under another name"
                )
            }
            let restoration = try VaultRestoration(
                from: method.path,
                at: location,
                secretKey: try method.secretKey.map { try Self.secretKey($0) },
                needsSecretKey: method.recoveryKey == nil,
                effects: session.effects
            )
            defer { restoration.discard() }
            if let key = method.recoveryKey {
                guard let passphrase = method.authorization.passphrase else {
                    throw AgentError(
                        .invalidValue,
                        "With the recovery key, a new passphrase is needed: add --passphrase-fd"
                    )
                }
                try await restoration.vault.recover(
                    with: try RecoveryKey(given: key),
                    newPassphrase: try Passphrase(passphrase),
                    trusting: .thisFile,
                    acceptingUnproven: method.trustsUnproven
                )
            } else {
                try await session.unlock(
                    restoration.vault,
                    method.authorization,
                    .person(program),
                    to: .restoreBackup,
                    trust: .thisFile
                )
            }
            let lastChange: Int64
            do {
                lastChange = try await restoration.check(takesOlder: method.trustsFile)
            } catch let error as VaultError where error.code == .rolledBack {
                throw AgentError(
                    .init(rawValue: error.code.name),
                    "The backup is older than the vault that this device saw last. To restore it and lose the newer changes, "
                        + "add --trust-this-file"
                )
            }
            let former = await restoration.vault.formerDevice?.text
            await session.close()
            let (placed, replaced) = try await restoration.place(replacing: method.replaces)
            await session.adopt(placed)
            session.asking.attempts.forget()
            logger.notice("a backup was restored", metadata: ["by": "\(program.peer.description)"])
            let status = try await placed.status()
            return RestoreVault.Result(
                source: restoration.source,
                vault: location.database,
                replaced: replaced,
                items: status.items,
                unreadable: status.unreadable.isEmpty ? nil : status.unreadable.map(\.text),
                lastChange: lastChange,
                isNewDevice: former == nil ? nil : true,
                formerDevice: await placed.hasInCircle(former) ? former : nil
            )
        }
    }

    private static func secretKey(_ text: String) throws(AgentError) -> SecretKey {
        do {
            return try SecretKey(text: text)
        } catch {
            throw AgentError(.invalidValue, "\(error)")
        }
    }
}

extension BackupRecordState {
    init(_ state: BackupState) {
        self.init(
            copiedAt: state.copiedAt,
            path: state.path,
            passkeys: state.passkeys,
            copiedPasskeys: state.copiedPasskeys,
            confirmedAt: state.confirmedAt,
            missing: state.missing.map(\.rawValue)
        )
    }
}
