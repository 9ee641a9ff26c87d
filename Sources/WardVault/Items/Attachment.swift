internal import WardCBOR
public import WardWebAuthn

/// A file attached to an item.
///
/// The content is encrypted separately from the item, with a key of its own. So a change of the item does not write it again.
/// Content and key of an attachment never change: a file with new content is a new attachment.
public struct Attachment: Hashable, Sendable, Identifiable {
    /// An attachment ID: random, never changes.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// Sixteen random bytes.
        public let bytes: [UInt8]

        init?(_ bytes: [UInt8]) {
            guard bytes.count == ItemID.length else { return nil }
            self.bytes = bytes
        }

        fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

        /// 26 lower-case letters and digits, for command lines.
        public var text: String { CrockfordBase32.encode(bytes, isLowerCase: true) }
        /// A description: the same text as ``text``.
        public var description: String { text }
    }

    /// The place where the content of the attachment is stored.
    enum Content: Hashable, Sendable {
        /// The content is in memory. It is encrypted when the item is written.
        case added(AttachedBytes)
        /// The content is in the vault's file.
        case sealed(hash: [UInt8], key: SecretBytes)
    }

    /// The attachment ID.
    public let id: ID
    /// The name: one line without control characters.
    ///
    /// It can still be dangerous as a path; see ``fileName``.
    public var name: String
    /// The media type, such as `application/pdf`.
    public var type: String
    /// The size of the content in bytes.
    public let size: Int
    /// The time when the file was attached, in seconds since 1970.
    ///
    /// The vault sets it.
    public internal(set) var addedAt: Int64
    var content: Content
    var unknown = UnknownFields()

    /// The maximum size of a content, in bytes.
    public static let maximumSize = 1 << 20
    /// The maximum number of attachments of an item.
    public static let maximumCount = 16
    /// The maximum size of all contents of an item together, in bytes.
    public static let maximumTotal = 8 << 20
    /// The maximum length of a name or a media type, in bytes of UTF-8.
    static let maximumNameLength = 255

    /// Makes an attachment from a file's content.
    ///
    /// Add it to ``Item/attachments`` and write the item.
    ///
    /// - Parameters:
    ///   - name: The file's name. Folders before it, control characters and what exceeds 255 bytes are left out.
    ///   - type: The media type.
    ///   - content: The content.
    ///   - effects: Where the attachment ID comes from.
    public init(
        name: String,
        type: String = "application/octet-stream",
        content: [UInt8],
        effects: Effects = .live
    ) {
        id = ID(bytes: ItemID(effects: effects).bytes)
        let clean = ItemTitle.clean(name.split(separator: "/").last.map(String.init) ?? "")
        self.name = Self.cut(clean.isEmpty ? "attachment" : clean)
        let isType = type.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && type.split(separator: "/").count == 2
        self.type = isType ? Self.cut(type) : "application/octet-stream"
        size = content.count
        addedAt = 0
        self.content = .added(AttachedBytes(content))
    }

    /// A safe file name: it has no path separator, is not hidden, and is never `.` or `..`.
    public var fileName: String {
        let clean = ItemTitle.clean(name).filter { $0 != "/" && $0 != "\\" && $0 != "\0" }
        let shown = Self.cut(String(clean.drop { $0 == "." || $0 == "-" || $0 == "~" || $0.isWhitespace }))
        return shown.isEmpty ? "attachment" : shown
    }

    private static func cut(_ text: String) -> String {
        var text = text
        while text.utf8.count > maximumNameLength { text.removeLast() }
        return text
    }

    /// The hash of the encrypted content.
    ///
    /// It is `nil` until the item is written.
    var hash: [UInt8]? { if case .sealed(let hash, _) = content { hash } else { nil } }
}

/// The form in the item. `Documentation/formats/vault.md`, "Attachments".
extension Attachment: ItemPart {
    var cbor: CBORValue {
        var map = MapWriter(keeping: unknown)
        map.put(1, bytes: id.bytes)
        map.put(2, text: name)
        map.put(3, text: type)
        map.put(4, integer: Int64(size))
        if case .sealed(let hash, let key) = content {
            map.put(5, bytes: hash)
            map.put(6, bytes: key.revealed)
        }
        map.put(7, integer: addedAt)
        return map.value
    }

    init(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "attachment")
        let (hash, key) = (try map.required(map.bytes(5), 5), try map.required(map.bytes(6), 6))
        guard let id = ID(try map.required(map.bytes(1), 1)), hash.count == 32, key.count == 32,
            let size = Int(exactly: try map.required(map.integer(4), 4)), (0...Self.maximumSize).contains(size)
        else { throw VaultError(.malformedItem, "an attachment is malformed") }
        self.id = id
        name = try map.text(2) ?? ""
        type = try map.text(3) ?? ""
        self.size = size
        content = .sealed(hash: hash, key: SecretBytes(key))
        addedAt = try map.integer(7) ?? 0
        unknown = map.unknown
    }
}

/// The rules that merge the attachments of two sides.
enum AttachmentMerge {
    /// The values that are always the same on honest devices.
    ///
    /// If they differ, both attachments stay.
    struct Key: Hashable {
        var id: Attachment.ID
        var content: Attachment.Content
    }

    static var rules: MergedList<Attachment, Key>.Rules {
        .init(
            key: { Key(id: $0.id, content: $0.content) },
            isUnchanged: { $0 == $1 },
            join: { base, earlier, later in
                var result = later
                result.name = ThreeWay.pick(base?.name, earlier.name, later.name).value
                result.type = ThreeWay.pick(base?.type, earlier.type, later.type).value
                result.unknown = UnknownFields.join(base?.unknown, earlier.unknown, later.unknown)
                return result
            }
        )
    }
}
