/// Whether the vault is synced through a folder or a server, and what came of it.
package struct SyncState: Codable, Hashable, Sendable {
    /// Something that a person should know or do.
    package struct Notice: Codable, Hashable, Sendable {
        /// A word for scripts.
        package var code: String
        /// What is wrong, then what to do next.
        package var message: String

        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// How far a sync is.
    package struct Progress: Codable, Hashable, Sendable {
        /// `taking` or `bringing`.
        package var step: String
        /// The number of entries that are done.
        package var done: Int
        /// The number of all entries; `nil` if it is not known.
        package var total: Int?

        package init(step: String, done: Int, total: Int?) {
            self.step = step
            self.done = done
            self.total = total
        }
    }

    /// Whether the vault is locked.
    ///
    /// Then nothing else is known, and nothing is synced.
    package var isLocked: Bool
    /// Whether this device syncs the vault; `nil` while it is locked, and while its setting cannot be read.
    package var isOn: Bool?
    /// The absolute path of the folder.
    package var folder: String?
    /// The address of the server.
    package var server: String?
    /// The ID of the vault, 64 hexadecimal digits, by which the operator of the server knows it; `nil` for a folder.
    package var vaultID: String?
    /// The time when sync was switched on, in seconds since 1970.
    package var since: Int64?
    /// The time when the last sync without an error ended.
    package var lastSuccess: Int64?
    /// Whether a sync runs now.
    package var isRunning: Bool
    /// How far the sync that runs is, or the reading of a vault that this device joins.
    package var progress: Progress?
    /// The number of seconds until the next sync begins; `nil` while one runs.
    package var nextIn: Int?
    /// Why the last sync failed; `nil` if it did not.
    package var trouble: Notice?
    /// The time when syncs began to fail.
    package var troubleSince: Int64?
    /// What the last sync left out, one sentence each.
    package var warnings: [String]?
    /// The number of entries that others name and that are not there yet.
    package var missing: Int?
    /// The number of devices that may write; `nil` if this vault has no circle of devices.
    package var members: Int?
    /// What needs the person; `nil` if nothing does.
    ///
    /// `trouble` is one of them.
    package var needs: [Notice]?

    package init(isLocked: Bool, isOn: Bool? = nil, isRunning: Bool = false) {
        self.isLocked = isLocked
        self.isOn = isOn
        self.isRunning = isRunning
    }
}

/// Begins the circle of devices with this one, and does nothing if there is a circle.
///
/// It is a request of its own, so that the answer with a new recovery key does not wait for a first sync.
package struct BeginCircle: AgentMethod {
    package static let name = "sync.begin"
    /// The passphrase.
    package var passphrase: String
    /// The absolute path of the folder with which the vault will be synced.
    ///
    /// Nothing begins if it cannot be used.
    package var folder: String?
    /// The address of the server, in place of the folder.
    package var server: String?
    /// The name of this device, which the other devices show; `nil` for the host name.
    package var deviceName: String?
    /// The recovery key; `nil` makes a new one.
    package var recoveryKey: String?

    package init(
        passphrase: String,
        folder: String? = nil,
        server: String? = nil,
        deviceName: String? = nil,
        recoveryKey: String? = nil
    ) {
        self.passphrase = passphrase
        self.folder = folder
        self.server = server
        self.deviceName = deviceName
        self.recoveryKey = recoveryKey
    }

    package struct Result: Codable, Sendable {
        /// The new recovery key, shown only once; `nil` if none was made.
        package var recoveryKey: String?

        package init(recoveryKey: String?) { self.recoveryKey = recoveryKey }
    }
}

/// Switches sync on, for a vault with a circle of devices.
///
/// It fails with `no_circle` if the circle has not begun: see ``BeginCircle``.
package struct SwitchSyncOn: AgentMethod {
    package static let name = "sync.on"
    /// The passphrase.
    package var passphrase: String
    /// The absolute path of a folder that exists.
    package var folder: String?
    /// The address of a server, in place of the folder.
    package var server: String?
    /// The token of the operator, if the vault may not be on the server yet.
    package var invitation: String?
    /// The new name of this device, which the other devices show; `nil` leaves the one that it has.
    package var deviceName: String?

    package init(
        passphrase: String,
        folder: String? = nil,
        server: String? = nil,
        invitation: String? = nil,
        deviceName: String? = nil
    ) {
        self.passphrase = passphrase
        self.folder = folder
        self.server = server
        self.invitation = invitation
        self.deviceName = deviceName
    }

    package struct Result: Codable, Sendable {
        /// The state after the first sync.
        ///
        /// The first sync can have failed: see its `trouble`.
        package var state: SyncState
        /// The number of entries that were written into the folder, or brought to the server.
        package var written: Int
        /// The number of entries of other devices that were taken.
        package var taken: Int

        package init(state: SyncState, written: Int, taken: Int) {
            self.state = state
            self.written = written
            self.taken = taken
        }
    }
}

/// Switches sync off on this device.
///
/// The device stays in the circle, and the folder or the server keeps what it has.
package struct SwitchSyncOff: AgentMethod {
    package static let name = "sync.off"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }
    package typealias Result = SyncState
}

/// Returns the state of the sync, without a prompt.
package struct SyncStatus: AgentMethod {
    package static let name = "sync.status"
    package init() {}
    package typealias Result = SyncState
}

/// Syncs now, and returns after that.
///
/// A sync that runs is awaited, and then another one runs, so that all changes before the request are there.
package struct SyncNow: AgentMethod {
    package static let name = "sync.now"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }

    package struct Result: Codable, Sendable {
        /// The number of entries of other devices that were taken.
        package var taken: Int
        /// The number of items that changed, appeared or went.
        package var items: Int
        /// The number of entries of this device that were written into the folder, or brought to the server.
        package var written: Int
        /// The number of entries that the server had lost, and that this device brought back; `nil` if it had lost none.
        package var broughtBack: Int?
        /// The state after the sync.
        package var state: SyncState

        package init(taken: Int, items: Int, written: Int, broughtBack: Int? = nil, state: SyncState) {
            self.taken = taken
            self.items = items
            self.written = written
            self.broughtBack = broughtBack
            self.state = state
        }
    }
}

/// Lets this device write although its vault was restored from an older copy.
package struct RepairSync: AgentMethod {
    package static let name = "sync.repair"
    /// The passphrase.
    package var passphrase: String
    package init(passphrase: String) { self.passphrase = passphrase }
    /// The state after that.
    package typealias Result = SyncState
}

/// Returns the words that are the same on two devices with the same entries.
package struct CompareSync: AgentMethod {
    package static let name = "sync.compare"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }

    package struct Result: Codable, Sendable {
        /// Eight words.
        package var words: [String]
        /// The number of entries.
        package var entries: Int
        /// The time of the newest entry by its device's clock, in seconds since 1970.
        package var newest: Int64

        package init(words: [String], entries: Int, newest: Int64) {
            self.words = words
            self.entries = entries
            self.newest = newest
        }
    }
}

/// Moves the vault to another sync server: brings it there, and tells the other devices, which follow.
///
/// It fails with `session_refused` if the server does not have the vault and there is no invitation.
package struct MoveSync: AgentMethod {
    package typealias Result = SyncNow.Result

    package static let name = "sync.move"
    /// The passphrase.
    package var passphrase: String
    /// The address of the server.
    package var server: String
    /// What brings the vault there, if the server may not have it.
    package var invitation: String?
    /// Whether the place before does not answer any more.
    ///
    /// Then the other devices are not told over it.
    package var isEarlierGone: Bool

    package init(passphrase: String, server: String, invitation: String? = nil, isEarlierGone: Bool = false) {
        self.passphrase = passphrase
        self.server = server
        self.invitation = invitation
        self.isEarlierGone = isEarlierGone
    }
}
