/// How the vault and the agent stand; asks nobody anything.
public struct Status: AgentMethod {
    /// `status`.
    public static let name = "status"
    /// Asks.
    public init() {}

    /// How things stand.
    public struct Result: Codable, Sendable {
        /// The vault's file.
        public var vault: String
        /// Whether there is one.
        public var exists: Bool
        /// Whether it is locked.
        public var isLocked: Bool
        /// How many items there are, without those in the trash; absent while locked.
        public var items: Int?
        /// How many are in the trash.
        public var trashed: Int?
        /// How many passkeys there are.
        public var passkeys: Int?
        /// Whether the person switched passkeys off on this device.
        public var passkeysAreOff: Bool?
        /// Items that cannot be read.
        public var unreadable: [String]?
        /// How many entries the log has.
        public var entries: Int?
        /// This device's name in the log.
        public var device: String?
        /// How many devices wrote.
        public var devices: Int?
        /// Whether the recovery key's holder can tell that the vault is theirs; absent where there is no vault to ask.
        public var isProven: Bool?
        /// Whether passkeys count as backed up; absent while locked.
        public var backup: BackupRecordState?
        /// Why the vault cannot be opened at all.
        public var problem: String?
        /// The agent's process.
        public var pid: Int32
        /// Seconds without use after which the vault locks; 0 for never.
        public var idleLock: Int
        /// Seconds until the vault locks if nobody uses it; absent while locked.
        public var locksIn: Int?
        /// Seconds until the vault locks although it is used; absent while locked, and without such a limit.
        public var locksLatestIn: Int?
        /// The program that asks the person; absent where there is none.
        public var pinentry: String?
        /// Why nothing asks the person; absent where something does.
        public var pinentryProblem: String?
        /// The agent's version.
        public var version: String
        /// Whether systemd starts the agent when it is needed, from login on.
        public var startsAtLogin: Bool?

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

/// Makes the vault, unlocked.
public struct CreateVault: AgentMethod {
    /// `vault.create`.
    public static let name = "vault.create"
    /// The passphrase.
    public var passphrase: String
    /// Makes a vault with a passphrase.
    public init(passphrase: String) { self.passphrase = passphrase }

    /// What is shown once.
    public struct Result: Codable, Sendable {
        /// The key on paper.
        public var recoveryKey: String
        /// The vault's file.
        public var vault: String
        /// Where this device keeps the Secret Key.
        public var secretKey: String

        package init(recoveryKey: String, vault: String, secretKey: String) {
            self.recoveryKey = recoveryKey
            self.vault = vault
            self.secretKey = secretKey
        }
    }
}

/// Whether a recovery key is this vault's: what a person types back after writing it down, or before recovering.
///
/// An open vault that proves nothing to its recovery key does so afterwards.
public struct CheckRecoveryKey: AgentMethod {
    /// `vault.checkRecoveryKey`.
    public static let name = "vault.checkRecoveryKey"
    /// What was typed.
    public var recoveryKey: String
    /// Asks for a key.
    public init(recoveryKey: String) { self.recoveryKey = recoveryKey }

    /// The answer.
    public struct Result: Codable, Sendable {
        /// Whether it is.
        public var isRight: Bool
        /// Whether the vault proves to this key that it is its holder's; absent when the key is wrong.
        public var isProven: Bool?
        /// How many items there are, with those in the trash; there only where nothing is proven, so that a person can judge.
        public var items: Int?
        /// When something was last written, in seconds since 1970; there with `items`.
        public var changedAt: Int64?

        package init(isRight: Bool, isProven: Bool? = nil, items: Int? = nil, changedAt: Int64? = nil) {
            self.isRight = isRight
            self.isProven = isProven
            self.items = items
            self.changedAt = changedAt
        }
    }
}

/// Makes another recovery key; the one before opens nothing more.
///
/// Asks for the passphrase.
public struct ReplaceRecoveryKey: AuthorizedMethod {
    /// `vault.replaceRecoveryKey`.
    public static let name = "vault.replaceRecoveryKey"
    /// How it is allowed.
    public var authorization: Authorization
    /// Asks for one.
    public init(authorization: Authorization) { self.authorization = authorization }

    /// What is shown once.
    public struct Result: Codable, Sendable {
        /// The key on paper.
        public var recoveryKey: String

        package init(recoveryKey: String) {
            self.recoveryKey = recoveryKey
        }
    }
}

/// Unlocks the vault, by asking the person or with what the authorization brings.
public struct Unlock: AuthorizedMethod {
    /// `vault.unlock`.
    public static let name = "vault.unlock"
    /// How it is allowed.
    public var authorization: Authorization
    /// Whether an older file than the one this device saw last is taken, as after putting a backup in place.
    public var trustsFile: Bool
    /// Asks.
    public init(authorization: Authorization, trustsFile: Bool = false) {
        self.authorization = authorization
        self.trustsFile = trustsFile
    }
    /// Done.
    public typealias Result = Done
}

/// Unlocks the vault with the key on paper and sets a new passphrase.
public struct Recover: AgentMethod {
    /// `vault.recover`.
    public static let name = "vault.recover"
    /// What was typed.
    public var recoveryKey: String
    /// The new passphrase.
    public var passphrase: String
    /// Whether an older file than the one this device saw last is taken.
    public var trustsFile: Bool
    /// Whether a vault is taken that does not prove to the recovery key whose it is; absent is no.
    public var trustsUnproven: Bool?
    /// Asks.
    public init(recoveryKey: String, passphrase: String, trustsFile: Bool = false, trustsUnproven: Bool = false) {
        self.recoveryKey = recoveryKey
        self.passphrase = passphrase
        self.trustsFile = trustsFile
        self.trustsUnproven = trustsUnproven
    }
    /// Done.
    public typealias Result = Done
}

/// Checks the passphrase, and leaves the vault open if it is right.
public struct CheckPassphrase: AgentMethod {
    /// `vault.checkPassphrase`.
    public static let name = "vault.checkPassphrase"
    /// What was typed.
    public var passphrase: String
    /// Asks about a passphrase.
    public init(passphrase: String) { self.passphrase = passphrase }
    /// Done.
    public typealias Result = Done
}

/// Sets another passphrase.
public struct ChangePassphrase: AgentMethod {
    /// `vault.changePassphrase`.
    public static let name = "vault.changePassphrase"
    /// The current passphrase.
    public var old: String
    /// The new passphrase.
    public var new: String
    /// Asks.
    public init(old: String, new: String) {
        self.old = old
        self.new = new
    }
    /// Done.
    public typealias Result = Done
}

/// Forgets all keys.
///
/// A request in work that needs them fails with `locked`.
public struct Lock: AgentMethod {
    /// `vault.lock`.
    public static let name = "vault.lock"
    /// Asks.
    public init() {}
    /// Done.
    public typealias Result = Done
}

/// Walks over the whole log: every signature, every link, every sealed item.
public struct VerifyLog: AuthorizedMethod {
    /// `log.verify`.
    public static let name = "log.verify"
    /// How it is allowed.
    public var authorization: Authorization
    /// Asks.
    public init(authorization: Authorization) { self.authorization = authorization }

    /// What was found: everything is as it should be, or the method fails with `damaged`.
    public struct Result: Codable, Sendable {
        /// Entries, each signed and in its place.
        public var entries: Int
        /// States of items, each opened.
        public var revisions: Int
        /// States that are no longer kept.
        public var cleared: Int
        /// Items removed for good.
        public var purged: Int
        /// The devices that wrote.
        public var devices: [String]

        package init(entries: Int, revisions: Int, cleared: Int, purged: Int, devices: [String]) {
            self.entries = entries
            self.revisions = revisions
            self.cleared = cleared
            self.purged = purged
            self.devices = devices
        }
    }
}

/// Ends the agent, after locking the vault.
public struct StopAgent: AgentMethod {
    /// `agent.stop`.
    public static let name = "agent.stop"
    /// Asks.
    public init() {}
    /// Done.
    public typealias Result = Done
}
