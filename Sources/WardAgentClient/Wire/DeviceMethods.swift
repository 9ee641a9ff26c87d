/// A device in the circle of a vault.
package struct DeviceRecord: Codable, Hashable, Sendable {
    /// The device's ID, 32 hexadecimal digits.
    package var id: String
    /// The name that the device gave itself; `nil` if it cannot be read.
    ///
    /// It comes from another device.
    package var name: String?
    /// Whether it is the device that answers.
    package var isThisDevice: Bool
    /// `member`, `disputed` (two devices removed each other), `removed` or `waiting` (added, and has not begun).
    package var status: String
    /// Whether the device broke a rule of the log, so that it no longer changes the circle.
    package var hasBrokenRules: Bool
    /// What proves it, if the device signed two entries with the same number.
    package var proof: Proof?
    /// Whether the device lacks the current vault key.
    package var lacksKey: Bool
    /// The time of its newest entry here, by its own clock.
    package var lastHeard: Int64?
    /// By how many seconds that time is ahead of this device's clock, if it is more than a day.
    package var clockAhead: Int64?
    /// The time when it was added.
    package var admittedAt: Int64?
    /// The time when it was removed.
    package var removedAt: Int64?
    /// If it was removed, the number of its changes that do not count, because its removal does not know them; `nil` if there are none.
    package var lateChanges: Int?

    /// Two entries that one device signed with the same number, so it was copied or does not run Ward.
    package struct Proof: Codable, Hashable, Sendable {
        /// The number.
        package var number: UInt64
        /// The hashes of both entries, 64 hexadecimal digits each.
        package var entries: [String]

        package init(number: UInt64, entries: [String]) {
            self.number = number
            self.entries = entries
        }
    }

    package init(
        id: String,
        name: String?,
        isThisDevice: Bool,
        status: String,
        hasBrokenRules: Bool = false,
        proof: Proof? = nil,
        lacksKey: Bool = false,
        lastHeard: Int64? = nil,
        clockAhead: Int64? = nil,
        admittedAt: Int64? = nil,
        removedAt: Int64? = nil,
        lateChanges: Int? = nil
    ) {
        self.id = id
        self.name = name
        self.isThisDevice = isThisDevice
        self.status = status
        self.hasBrokenRules = hasBrokenRules
        self.proof = proof
        self.lacksKey = lacksKey
        self.lastHeard = lastHeard
        self.clockAhead = clockAhead
        self.admittedAt = admittedAt
        self.removedAt = removedAt
        self.lateChanges = lateChanges
    }
}

/// The devices of a vault.
package struct DeviceList: Codable, Hashable, Sendable {
    /// This device first, then the members by name, then the removed ones.
    package var devices: [DeviceRecord]
    /// Whether this device may write.
    package var isMember: Bool
    /// Whether two devices removed each other, so that a person must answer.
    package var isFrozen: Bool
    /// Whether no removed device got the current vault key.
    package var isKeyClean: Bool
    /// Whether a change of the passphrase is not in force, so that it must be made again.
    package var needsPassphraseAgain: Bool
    /// The number of removals that do not count, and after which no member made a new key.
    package var droppedRemovals: Int
    /// The state of the sync, which carries a new key to the other devices; only after ``RekeyDevices``.
    package var state: SyncState?

    package init(
        devices: [DeviceRecord],
        isMember: Bool,
        isFrozen: Bool,
        isKeyClean: Bool,
        needsPassphraseAgain: Bool,
        droppedRemovals: Int
    ) {
        self.devices = devices
        self.isMember = isMember
        self.isFrozen = isFrozen
        self.isKeyClean = isKeyClean
        self.needsPassphraseAgain = needsPassphraseAgain
        self.droppedRemovals = droppedRemovals
    }

    /// The devices that may write.
    package var members: [DeviceRecord] { devices.filter { $0.status == "member" || $0.status == "disputed" } }
}

/// Lists the devices of the vault.
package struct ListDevices: AgentMethod {
    package static let name = "devices.list"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }
    package typealias Result = DeviceList
}

/// Lists the requests of new devices in the sync folder.
package struct ListDeviceRequests: AgentMethod {
    package static let name = "devices.requests"
    /// The authorization of the request.
    package var authorization: Authorization
    package init(authorization: Authorization) { self.authorization = authorization }

    /// A device that wants to join.
    ///
    /// Everything in it comes from outside: everybody who can write into the folder can write a request.
    package struct Request: Codable, Hashable, Sendable {
        /// The request's ID, 32 hexadecimal digits.
        package var id: String
        /// The name that the device gives itself.
        package var name: String
        /// Its operating system, in its own words.
        package var system: String
        /// The time of the request, by the clock of the device.
        package var time: Int64
        /// The age in seconds, by this device's clock; never negative.
        package var age: Int64
        /// The eight words that the new device shows.
        package var words: [String]
        /// Whether there is an answer in the folder already.
        package var isAnswered: Bool

        package init(
            id: String,
            name: String,
            system: String,
            time: Int64,
            age: Int64,
            words: [String],
            isAnswered: Bool
        ) {
            self.id = id
            self.name = name
            self.system = system
            self.time = time
            self.age = age
            self.words = words
            self.isAnswered = isAnswered
        }
    }

    package struct Result: Codable, Sendable {
        /// The requests, the newest first.
        package var requests: [Request]
        /// What could not be read, one sentence each.
        package var warnings: [String]

        package init(requests: [Request], warnings: [String]) {
            self.requests = requests
            self.warnings = warnings
        }
    }
}

/// Adds a device, after the person compared the words.
///
/// A request can be answered again, for example if the answer was lost.
package struct AddDevice: AgentMethod {
    package static let name = "devices.add"
    /// The request's ID.
    package var request: String
    /// The passphrase.
    package var passphrase: String

    package init(request: String, passphrase: String) {
        self.request = request
        self.passphrase = passphrase
    }

    package struct Result: Codable, Sendable {
        /// The new device.
        package var device: DeviceRecord
        /// The state of the sync, which carries the addition to the new device.
        package var state: SyncState

        package init(device: DeviceRecord, state: SyncState) {
            self.device = device
            self.state = state
        }
    }
}

/// Removes devices.
///
/// The vault gets a new key, and a new Secret Key unless the devices were wiped.
package struct RemoveDevices: AgentMethod {
    package static let name = "devices.remove"
    /// The IDs of the devices.
    package var devices: [String]
    /// The passphrase.
    package var passphrase: String
    /// The recovery key, which decides if the other device removes this one too.
    package var recoveryKey: String?
    /// Whether the Secret Key stays, because the devices were wiped.
    package var keepsSecretKey: Bool

    package init(devices: [String], passphrase: String, recoveryKey: String? = nil, keepsSecretKey: Bool = false) {
        self.devices = devices
        self.passphrase = passphrase
        self.recoveryKey = recoveryKey
        self.keepsSecretKey = keepsSecretKey
    }

    package struct Result: Codable, Sendable {
        /// The devices that were removed.
        package var removed: [DeviceRecord]
        /// The path of the new Secret Key on this device; `nil` if it stayed.
        package var secretKey: String?
        /// The items outside the trash whose passwords and passkeys the devices could read.
        package var readable: [SummaryRecord]
        /// The state of the sync, which carries the removal to the other devices.
        package var state: SyncState

        package init(removed: [DeviceRecord], secretKey: String?, readable: [SummaryRecord], state: SyncState) {
            self.removed = removed
            self.secretKey = secretKey
            self.readable = readable
            self.state = state
        }
    }
}

/// Gives all devices a new vault key.
package struct RekeyDevices: AgentMethod {
    package static let name = "devices.rekey"
    /// The passphrase.
    package var passphrase: String
    /// The recovery key, if the passphrase does not open what two devices changed at the same time.
    package var recoveryKey: String?

    package init(passphrase: String, recoveryKey: String? = nil) {
        self.passphrase = passphrase
        self.recoveryKey = recoveryKey
    }

    /// The devices after that.
    package typealias Result = DeviceList
}

/// Changes the name of this device.
package struct RenameDevice: AgentMethod {
    package static let name = "devices.rename"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The new name.
    package var deviceName: String
    package init(authorization: Authorization, deviceName: String) {
        self.authorization = authorization
        self.deviceName = deviceName
    }
    /// The devices after that.
    package typealias Result = DeviceList
}
