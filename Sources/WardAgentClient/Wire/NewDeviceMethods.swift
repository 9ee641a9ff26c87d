/// Begins to join the devices of a vault: writes a request into a folder.
///
/// If this device has asked before and has not joined, it goes on with the same request.
package struct BeginJoin: AgentMethod {
    package static let name = "join.begin"
    /// The absolute path of the folder.
    package var folder: String
    /// The name of this device; `nil` for the host name, or for the name in the earlier request.
    package var deviceName: String?

    package init(folder: String, deviceName: String? = nil) {
        self.folder = folder
        self.deviceName = deviceName
    }

    package struct Result: Codable, Sendable {
        /// The request's ID, 32 hexadecimal digits.
        package var request: String
        /// The name of this device.
        package var deviceName: String
        /// The eight words that the person compares on both devices.
        package var words: [String]
        /// Whether an earlier request goes on.
        package var isEarlier: Bool

        package init(request: String, deviceName: String, words: [String], isEarlier: Bool) {
            self.request = request
            self.deviceName = deviceName
            self.words = words
            self.isEarlier = isEarlier
        }
    }
}

/// Returns whether the request of this device was answered.
package struct JoinStatus: AgentMethod {
    package static let name = "join.status"
    /// The absolute path of the folder.
    package var folder: String
    package init(folder: String) { self.folder = folder }

    package struct Result: Codable, Sendable {
        /// Whether there is an answer for this device in the folder.
        package var isAnswered: Bool

        package init(isAnswered: Bool) { self.isAnswered = isAnswered }
    }
}

/// Joins: creates the vault on this device from the folder, unlocks it and switches sync on.
///
/// While the folder lacks entries that the answer names, it fails with `vault_incomplete`, and the caller tries again.
package struct FinishJoin: AgentMethod {
    package static let name = "join.finish"
    /// The absolute path of the folder.
    package var folder: String
    /// The vault's passphrase.
    package var passphrase: String

    package init(folder: String, passphrase: String) {
        self.folder = folder
        self.passphrase = passphrase
    }

    package struct Result: Codable, Sendable {
        /// The vault's file.
        package var vault: String
        /// The path of this device's Secret Key.
        package var secretKey: String
        /// The number of items.
        package var items: Int
        /// The number of passkeys.
        package var passkeys: Int
        /// This device in the vault's circle.
        package var device: DeviceRecord?
        /// The state of the sync.
        package var state: SyncState

        package init(
            vault: String,
            secretKey: String,
            items: Int,
            passkeys: Int,
            device: DeviceRecord?,
            state: SyncState
        ) {
            self.vault = vault
            self.secretKey = secretKey
            self.items = items
            self.passkeys = passkeys
            self.device = device
            self.state = state
        }
    }
}

/// Takes the request of this device back, and deletes its keys.
package struct AbandonJoin: AgentMethod {
    package static let name = "join.abandon"
    /// The absolute path of the folder; `nil` if the request went to a server.
    package var folder: String?
    package init(folder: String?) { self.folder = folder }

    package struct Result: Codable, Sendable {
        /// Whether there was a request.
        package var wasThere: Bool
        /// Whether the other device had added this one already, and can remove it again.
        package var wasAnswered: Bool
        /// Whether it may have, because no answer could be read, as on a drive that is not connected; else `nil`.
        package var mayBeAnswered: Bool?

        package init(wasThere: Bool, wasAnswered: Bool, mayBeAnswered: Bool? = nil) {
            self.wasThere = wasThere
            self.wasAnswered = wasAnswered
            self.mayBeAnswered = mayBeAnswered
        }
    }
}
