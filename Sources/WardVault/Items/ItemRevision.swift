/// The name of one revision of an item: the hash of its entry in the log.
public struct RevisionID: Hashable, Sendable, CustomStringConvertible {
    /// Thirty-two bytes.
    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the form of ``text``.
    public init?(text: String) {
        guard let bytes = CrockfordBase32.decode(text), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// 52 letters and digits, lower case.
    public var text: String { CrockfordBase32.encode(bytes).lowercased() }
    /// The same as ``text``.
    public var description: String { text }
}

/// What the history says about one state of an item.
public struct ItemRevision: Hashable, Sendable, Identifiable {
    /// The revision's name.
    public let id: RevisionID
    /// Counts the revisions of the item, from 1.
    public let number: Int
    /// When it was made, in seconds since 1970.
    public let time: Int64
    /// On which device.
    public let device: DeviceID
    /// What it did; `nil` when the state itself is no longer kept, or cannot be read.
    public let change: Item.Change?
    /// What the item was called then; `nil` when the state itself is no longer kept, or cannot be read.
    public let title: String?

    /// Whether the state can be looked at and brought back.
    public var isKept: Bool { change != nil }
}

extension Item {
    /// What a revision did; words of later versions are kept.
    public struct Change: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word in the file.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word itself.
        public var description: String { rawValue }

        /// The item is new.
        public static let created = Self(rawValue: "created")
        /// The item came from another manager.
        public static let imported = Self(rawValue: "imported")
        /// A person changed it.
        public static let edited = Self(rawValue: "edited")
        /// A passkey or a counting code was used.
        public static let used = Self(rawValue: "used")
        /// A site changed what it keeps with a passkey, or said that it knows it no longer, or by another name.
        public static let signalled = Self(rawValue: "signalled")
        /// It went to the trash.
        public static let trashed = Self(rawValue: "trashed")
        /// It came back from the trash.
        public static let restored = Self(rawValue: "restored")
        /// It became again what it was.
        public static let reverted = Self(rawValue: "reverted")
    }
}
