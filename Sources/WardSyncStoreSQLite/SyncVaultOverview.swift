package import WardSyncRecords

/// A vault as an operator sees it: how large it is and who was there, and nothing of what is in it.
package struct SyncVaultOverview: Hashable, Sendable {
    /// A device, or a recovery key.
    package struct Visitor: Hashable, Sendable {
        package let subject: SyncSubject
        /// Whether it can open sessions; otherwise it was removed.
        package let isAllowed: Bool
        /// How much it wrote.
        package let entries: Int64
        package let bytes: Int64
        /// When it opened a session last, in seconds since 1970; `nil` if it never did.
        package let seenAt: Int64?
    }

    package let vault: SyncVault
    /// The devices and recovery keys that can open sessions, and the devices that were removed.
    package let visitors: [Visitor]

    /// The number of devices that can open sessions.
    package var devices: Int { visitors.count { $0.isAllowed && $0.subject.device != nil } }

    /// When somebody opened a session last.
    package var seenAt: Int64? { visitors.compactMap(\.seenAt).max() }
}

/// What an operator chose cannot be found, or not uniquely.
package struct NoSuchSyncRecord: Error, Sendable, CustomStringConvertible {
    package let description: String
}
