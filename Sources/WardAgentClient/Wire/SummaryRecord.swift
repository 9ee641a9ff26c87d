/// An item in a list, as JSON.
package struct SummaryRecord: Codable, Hashable, Sendable {
    /// The item ID.
    package var id: String
    package var kind: String
    package var title: String
    /// The user name.
    package var username: String
    package var sites: [String]
    /// The name that the site gives itself; `nil` if it is unknown.
    package var siteName: String?
    package var tags: [String]
    /// Whether the item is a favourite.
    package var isFavorite: Bool
    /// Whether the latest revision cannot be read and these are the values of an older one; otherwise `nil`.
    package var isDamaged: Bool?
    /// The number of its conflicts, as in ``ItemRecord/conflicts``; `nil` if there are none.
    package var conflicts: Int?
    /// Whether the item has a password.
    package var hasPassword: Bool
    /// The number of verification codes.
    package var codes: Int
    /// The number of passkeys.
    package var passkeys: Int
    /// The time of the last change by a person.
    package var modifiedAt: Int64
    /// The time when the item was moved to the trash.
    package var deletedAt: Int64?

    package init(
        id: String,
        kind: String,
        title: String,
        username: String,
        sites: [String],
        tags: [String],
        isFavorite: Bool,
        isDamaged: Bool? = nil,
        conflicts: Int? = nil,
        hasPassword: Bool,
        codes: Int,
        passkeys: Int,
        modifiedAt: Int64,
        deletedAt: Int64? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.username = username
        self.sites = sites
        self.tags = tags
        self.isFavorite = isFavorite
        self.isDamaged = isDamaged
        self.conflicts = conflicts
        self.hasPassword = hasPassword
        self.codes = codes
        self.passkeys = passkeys
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
    }
}

extension SummaryRecord: BulkResult {
    func write(to writer: inout BulkWriter) {
        writer.write(literal: "{\"codes\":")
        writer.write(Int64(codes))
        if let conflicts {
            writer.write(literal: ",\"conflicts\":")
            writer.write(Int64(conflicts))
        }
        if let deletedAt {
            writer.write(literal: ",\"deletedAt\":")
            writer.write(deletedAt)
        }
        writer.write(literal: ",\"hasPassword\":")
        writer.write(hasPassword)
        writer.write(literal: ",\"id\":")
        writer.write(id)
        if let isDamaged {
            writer.write(literal: ",\"isDamaged\":")
            writer.write(isDamaged)
        }
        writer.write(literal: ",\"isFavorite\":")
        writer.write(isFavorite)
        writer.write(literal: ",\"kind\":")
        writer.write(kind)
        writer.write(literal: ",\"modifiedAt\":")
        writer.write(modifiedAt)
        writer.write(literal: ",\"passkeys\":")
        writer.write(Int64(passkeys))
        if let siteName {
            writer.write(literal: ",\"siteName\":")
            writer.write(siteName)
        }
        writer.write(literal: ",\"sites\":")
        writer.write(sites)
        writer.write(literal: ",\"tags\":")
        writer.write(tags)
        writer.write(literal: ",\"title\":")
        writer.write(title)
        writer.write(literal: ",\"username\":")
        writer.write(username)
        writer.write(literal: "}")
    }

    init?(_ reader: inout BulkReader, _ input: Span<UInt8>) {
        guard reader.skip("{\"codes\":", input), let codes = reader.integer(input) else { return nil }
        if reader.skip(",\"conflicts\":", input) {
            guard let number = reader.integer(input) else { return nil }
            conflicts = Int(clamping: number)
        }
        if reader.skip(",\"deletedAt\":", input) {
            guard let time = reader.integer(input) else { return nil }
            deletedAt = time
        }
        guard reader.skip(",\"hasPassword\":", input), let hasPassword = reader.bool(input),
            reader.skip(",\"id\":", input), let id = reader.string(input)
        else { return nil }
        if reader.skip(",\"isDamaged\":", input) {
            guard let isDamaged = reader.bool(input) else { return nil }
            self.isDamaged = isDamaged
        }
        guard reader.skip(",\"isFavorite\":", input), let isFavorite = reader.bool(input),
            reader.skip(",\"kind\":", input), let kind = reader.string(input),
            reader.skip(",\"modifiedAt\":", input), let modifiedAt = reader.integer(input),
            reader.skip(",\"passkeys\":", input), let passkeys = reader.integer(input)
        else { return nil }
        if reader.skip(",\"siteName\":", input) {
            guard let siteName = reader.string(input) else { return nil }
            self.siteName = siteName
        }
        guard reader.skip(",\"sites\":", input), let sites = reader.strings(input),
            reader.skip(",\"tags\":", input), let tags = reader.strings(input),
            reader.skip(",\"title\":", input), let title = reader.string(input),
            reader.skip(",\"username\":", input), let username = reader.string(input), reader.skip("}", input)
        else { return nil }
        (self.codes, self.passkeys) = (Int(codes), Int(passkeys))
        (self.hasPassword, self.isFavorite) = (hasPassword, isFavorite)
        (self.id, self.kind, self.title, self.username) = (id, kind, title, username)
        (self.sites, self.tags) = (sites, tags)
        self.modifiedAt = modifiedAt
    }
}
