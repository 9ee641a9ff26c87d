public import WardLog

/// The ID of one revision of an item: the hash of its entry in the log.
public struct RevisionID: Hashable, Sendable, CustomStringConvertible {
    /// Thirty-two bytes.
    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads an ID in the form of ``text``.
    public init?(text: String) {
        guard let bytes = CrockfordBase32.decode(text), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// 52 letters and digits, lower case.
    public var text: String { CrockfordBase32.encode(bytes, isLowerCase: true) }
    /// A description: the same text as ``text``.
    public var description: String { text }
}

/// One revision in an item's history.
public struct ItemRevision: Hashable, Sendable, Identifiable {
    /// The revision ID.
    public let id: RevisionID
    /// The number of the revision, from 1.
    public let number: Int
    /// The time when the revision was made, in seconds since 1970.
    public let time: Int64
    /// The device that made it.
    public let device: DeviceID
    /// The kind of change.
    ///
    /// It is `nil` if the content was removed or cannot be read.
    public let change: Item.Change?
    /// The title in this revision.
    ///
    /// It is `nil` if the content was removed or cannot be read.
    public let title: String?

    /// Whether the revision can be shown and restored.
    public var isKept: Bool { change != nil }
}

extension Item {
    /// The change of a revision; unknown changes are kept.
    public struct Change: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word for the change in the file.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word itself.
        public var description: String { rawValue }

        /// The item was created.
        public static let created = Self(rawValue: "created")
        /// The item was imported from another manager.
        public static let imported = Self(rawValue: "imported")
        /// A person changed it.
        public static let edited = Self(rawValue: "edited")
        /// A passkey or a counter-based code was used.
        public static let used = Self(rawValue: "used")
        /// A site reported a change of its passkeys, such as a new name, or that it no longer knows one.
        public static let signalled = Self(rawValue: "signalled")
        /// The name and the icon of the item's site were fetched or removed.
        public static let appearance = Self(rawValue: "appearance")
        /// The item was moved to the trash.
        public static let trashed = Self(rawValue: "trashed")
        /// The item was taken out of the trash.
        public static let restored = Self(rawValue: "restored")
        /// An earlier revision was restored.
        public static let reverted = Self(rawValue: "reverted")

        /// Whether the change came from a use or from a site, and a person decided nothing.
        var isOfNobody: Bool { self == .used || self == .signalled || self == .appearance }
    }
}
