/// Returns the status of vault and agent, without a prompt.
package struct Status: AgentMethod {
    package static let name = "status"
    package init() {}

    /// The status.
    package struct Result: Codable, Sendable {
        /// The vault's file.
        package var vault: String
        /// The vault's name.
        ///
        /// It is `default` for the default vault.
        package var name: String?
        /// Whether the vault exists.
        package var exists: Bool
        /// The name with which this device has asked to join another one's vault; absent if it has not, or has a vault.
        package var joinsAs: String?
        /// Whether the vault is locked.
        package var isLocked: Bool
        /// The number of items outside the trash; `nil` while locked.
        package var items: Int?
        /// The number of items in the trash.
        package var trashed: Int?
        /// The number of passkeys.
        package var passkeys: Int?
        /// Whether the person switched passkeys off on this device.
        package var passkeysAreOff: Bool?
        /// Whether the agent serves the portal of the desktop; only for the default vault.
        package var desktop: DesktopStatus.Result?
        /// Items that cannot be read.
        package var unreadable: [String]?
        /// The number of log entries.
        package var entries: Int?
        /// This device's ID in the log.
        package var device: String?
        /// The number of devices that wrote to the log.
        package var devices: Int?
        /// Whether the vault has a proof that a holder of the recovery key created it; `nil` if there is no vault.
        package var isProven: Bool?
        /// Whether services see passkeys as backed up; absent while the vault is locked.
        package var backup: BackupRecordState?
        /// The reason why the vault cannot be opened.
        package var problem: String?
        /// The agent's process.
        package var pid: Int32
        /// The number of seconds without use after which the vault locks; 0 for never.
        package var idleLock: Int
        /// The number of seconds until the vault locks if it is not used; `nil` while it is locked.
        package var locksIn: Int?
        /// The number of seconds until the vault locks even if it is used; `nil` while it is locked, or without such a limit.
        package var locksLatestIn: Int?
        /// The program for prompts; `nil` if there is none.
        package var pinentry: String?
        /// The reason why prompts are not possible, or `nil` if they are possible.
        package var pinentryProblem: String?
        /// The agent's version.
        package var version: String
        /// Whether systemd starts the agent on demand, from login on.
        package var startsAtLogin: Bool?
        /// The ways to verify the person without the passphrase.
        ///
        /// The fingerprint reader is not asked.
        package var verification: VerificationStatus.Result?
        /// Whether a PIN opens the vault.
        ///
        /// The TPM is not asked.
        package var quickUnlock: QuickUnlockStatus.Result?
        /// The state of the sync; absent while the vault is locked.
        package var sync: SyncState?

        package init(
            vault: String,
            exists: Bool,
            isLocked: Bool,
            items: Int? = nil,
            trashed: Int? = nil,
            passkeys: Int? = nil,
            unreadable: [String]? = nil,
            entries: Int? = nil,
            device: String? = nil,
            devices: Int? = nil,
            isProven: Bool? = nil,
            problem: String? = nil,
            pid: Int32,
            idleLock: Int,
            locksIn: Int? = nil,
            locksLatestIn: Int? = nil,
            pinentry: String? = nil,
            pinentryProblem: String? = nil,
            version: String
        ) {
            self.vault = vault
            self.exists = exists
            self.isLocked = isLocked
            self.items = items
            self.trashed = trashed
            self.passkeys = passkeys
            self.unreadable = unreadable
            self.entries = entries
            self.device = device
            self.devices = devices
            self.isProven = isProven
            self.problem = problem
            self.pid = pid
            self.idleLock = idleLock
            self.locksIn = locksIn
            self.locksLatestIn = locksLatestIn
            self.pinentry = pinentry
            self.pinentryProblem = pinentryProblem
            self.version = version
        }
    }
}

/// Creates a vault.
///
/// It is unlocked afterwards.
package struct CreateVault: AgentMethod {
    package static let name = "vault.create"
    package var passphrase: String
    /// Creates a request with a passphrase.
    package init(passphrase: String) { self.passphrase = passphrase }

    /// Values that are shown only once.
    package struct Result: Codable, Sendable {
        /// The recovery key for paper.
        package var recoveryKey: String
        /// The vault's file.
        package var vault: String
        /// The path of this device's Secret Key.
        package var secretKey: String

        package init(recoveryKey: String, vault: String, secretKey: String) {
            self.recoveryKey = recoveryKey
            self.vault = vault
            self.secretKey = secretKey
        }
    }
}

/// Checks whether a recovery key belongs to this vault, for example after the person has written it down.
///
/// If the open vault has no proof for the recovery key, it gets one.
package struct CheckRecoveryKey: AgentMethod {
    package static let name = "vault.checkRecoveryKey"
    /// The typed key.
    package var recoveryKey: String
    /// Creates a request for a key.
    package init(recoveryKey: String) { self.recoveryKey = recoveryKey }

    /// The answer.
    package struct Result: Codable, Sendable {
        /// Whether the key belongs to the vault.
        package var isRight: Bool
        /// Whether the vault has a proof for this key; `nil` if the key is wrong.
        package var isProven: Bool?
        /// The number of items, including the trash.
        ///
        /// It is present only if there is no proof, so that the person can judge whether the vault is theirs.
        package var items: Int?
        /// The time of the last write, in seconds since 1970; present together with `items`.
        package var changedAt: Int64?

        package init(isRight: Bool, isProven: Bool? = nil, items: Int? = nil, changedAt: Int64? = nil) {
            self.isRight = isRight
            self.isProven = isProven
            self.items = items
            self.changedAt = changedAt
        }
    }
}

/// Creates a new recovery key; the old one no longer opens the vault.
///
/// The person must type the passphrase.
package struct ReplaceRecoveryKey: AgentMethod {
    package static let name = "vault.replaceRecoveryKey"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }

    /// Values that are shown only once.
    package struct Result: Codable, Sendable {
        /// The recovery key for paper.
        package var recoveryKey: String

        package init(recoveryKey: String) {
            self.recoveryKey = recoveryKey
        }
    }
}

/// Unlocks the vault with a prompt, or with the passphrase of the authorization.
package struct Unlock: AgentMethod {
    package static let name = "vault.unlock"
    /// The authorization of the request.
    package var authorization: Authorization
    /// Whether to accept a file that is older than the last one on this device, for example a restored backup.
    package var trustsFile: Bool
    package init(authorization: Authorization, trustsFile: Bool = false) {
        self.authorization = authorization
        self.trustsFile = trustsFile
    }
    /// An empty result.
    package typealias Result = Done
}

/// Unlocks the vault with the recovery key and sets a new passphrase.
package struct Recover: AgentMethod {
    package static let name = "vault.recover"
    /// The typed recovery key.
    package var recoveryKey: String
    /// The new passphrase.
    package var passphrase: String
    /// Whether to accept a file that is older than the last one on this device.
    package var trustsFile: Bool
    /// Whether to open a vault that has no proof that it was made with the recovery key; `nil` means no.
    ///
    /// Without the proof, another person can have made the vault. Vaults of early versions have none.
    package var trustsUnproven: Bool?
    package init(recoveryKey: String, passphrase: String, trustsFile: Bool = false, trustsUnproven: Bool = false) {
        self.recoveryKey = recoveryKey
        self.passphrase = passphrase
        self.trustsFile = trustsFile
        self.trustsUnproven = trustsUnproven
    }

    /// What the recovery key made of this device.
    package struct Result: Codable, Sendable {
        /// Whether this is a new device of the vault now; absent if it is the same as before.
        package var isNewDevice: Bool?
        /// The ID of the device that this one was, if that one is still in the circle.
        package var formerDevice: String?

        package init(isNewDevice: Bool? = nil, formerDevice: String? = nil) {
            self.isNewDevice = isNewDevice
            self.formerDevice = formerDevice
        }
    }
}

/// Checks the passphrase, and unlocks the vault if it is right.
package struct CheckPassphrase: AgentMethod {
    package static let name = "vault.checkPassphrase"
    /// The typed passphrase.
    package var passphrase: String
    /// Creates a request for a passphrase.
    package init(passphrase: String) { self.passphrase = passphrase }
    /// An empty result.
    package typealias Result = Done
}

package struct ChangePassphrase: AgentMethod {
    package static let name = "vault.changePassphrase"
    /// The current passphrase.
    package var old: String
    /// The new passphrase.
    package var new: String
    package init(old: String, new: String) {
        self.old = old
        self.new = new
    }
    /// An empty result.
    package typealias Result = Done
}

/// Locks the vault and wipes all keys.
///
/// A running request that needs the keys fails with `locked`.
package struct Lock: AgentMethod {
    package static let name = "vault.lock"
    package init() {}
    /// An empty result.
    package typealias Result = Done
}

/// Verifies the whole log: every signature, every link between entries, and every encrypted item.
package struct VerifyLog: AgentMethod {
    package static let name = "log.verify"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }

    /// The verified numbers.
    ///
    /// If the log has an error, the method fails with `damaged`.
    package struct Result: Codable, Sendable {
        /// The number of verified entries.
        package var entries: Int
        /// The number of decrypted revisions.
        package var revisions: Int
        /// The number of revisions whose content was removed.
        package var cleared: Int
        /// The number of revisions that were not decrypted, because this device was not given their key; `nil` if there are none.
        package var withoutKey: Int?
        /// The number of earlier revisions that nobody can read; `nil` if there are none.
        package var unreadable: Int?
        /// The number of permanently removed items.
        package var purged: Int
        /// The devices that wrote to the log.
        package var devices: [String]
        /// The devices whose last entries do not count, each with the number of the first entry that does not count; `nil` if
        /// all entries count.
        package var firstVoidEntries: [String: UInt64]?

        package init(
            entries: Int,
            revisions: Int,
            cleared: Int,
            withoutKey: Int? = nil,
            unreadable: Int? = nil,
            purged: Int,
            devices: [String],
            firstVoidEntries: [String: UInt64]? = nil
        ) {
            self.entries = entries
            self.revisions = revisions
            self.cleared = cleared
            self.withoutKey = withoutKey
            self.unreadable = unreadable
            self.purged = purged
            self.devices = devices
            self.firstVoidEntries = firstVoidEntries
        }
    }
}

/// Locks the vault and ends the agent.
package struct StopAgent: AgentMethod {
    package static let name = "agent.stop"
    package init() {}
    /// An empty result.
    package typealias Result = Done
}
