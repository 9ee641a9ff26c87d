internal import WardCBOR

/// The name and the icon that a site gives itself.
///
/// Both come from the site, so they prove nothing about it: show them only beside the site's domain.
public struct SiteAppearance: Hashable, Sendable {
    /// The maximum length of a name, in characters.
    public static let maximumNameLength = 64
    /// The maximum size of an icon, in bytes.
    public static let maximumIconSize = 16_384
    /// The maximum width and height of an icon, in pixels.
    public static let maximumIconEdge = 64

    /// The name on one line without control characters.
    ///
    /// It is empty if the site has none.
    public let name: String
    /// The icon as a PNG file.
    ///
    /// It is empty if the site has none.
    public let icon: [UInt8]
    /// The time when both were fetched, in seconds since 1970.
    public let fetchedAt: Int64
    private var unknown = UnknownFields()

    /// Takes a name and an icon from a site.
    ///
    /// The name is cleaned and cut. The result is `nil` if the icon is not a small PNG file, or if there is neither a name nor an
    /// icon.
    ///
    /// - Parameters:
    ///   - name: The name; empty for none.
    ///   - icon: A PNG file of at most 16 KiB and at most 64 pixels of width and height; empty for none.
    ///   - fetchedAt: The time in seconds since 1970.
    public init?(name: String, icon: [UInt8], fetchedAt: Int64) {
        guard icon.isEmpty || Self.isIcon(icon) else { return nil }
        self.name = Self.clean(name)
        guard !self.name.isEmpty || !icon.isEmpty else { return nil }
        self.icon = icon
        self.fetchedAt = fetchedAt
    }

    /// A name on one line without control characters, with at most 64 characters.
    package static func clean(_ name: String) -> String {
        // One character can have any number of scalars, so they are counted too.
        let short = String(String.UnicodeScalarView(name.unicodeScalars.prefix(4 * maximumNameLength)))
        return String(ItemTitle.clean(short).prefix(maximumNameLength))
    }

    /// The one that only one side changed, or the one of the later fetch.
    static func merged(_ base: Self?, _ earlier: Self?, _ later: Self?) -> Self? {
        if earlier == base { return later }
        if later == base { return earlier }
        return earlier?.fetchedAt ?? 0 > later?.fetchedAt ?? 0 ? earlier : later
    }

    /// PNG, section 11.2.1: the signature, then the chunk IHDR with the width and the height.
    private static func isIcon(_ bytes: [UInt8]) -> Bool {
        let start: [UInt8] = [
            0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
        ]
        guard bytes.count > 33, bytes.count <= maximumIconSize, bytes.starts(with: start) else { return false }
        let edges = [bytes[16..<20], bytes[20..<24]].map { $0.reduce(0) { $0 << 8 | Int($1) } }
        return edges.allSatisfy { (1...maximumIconEdge).contains($0) }
    }
}

/// The form in the item. `Documentation/formats/vault.md`, "Items".
extension SiteAppearance: ItemPart {
    var cbor: CBORValue {
        var map = MapWriter(keeping: unknown)
        map.put(1, text: name)
        if !icon.isEmpty { map.put(2, bytes: icon) }
        map.put(3, integer: fetchedAt)
        return map.value
    }

    init(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "appearance")
        let (name, icon) = (try map.text(1) ?? "", try map.bytes(2) ?? [])
        guard var made = Self(name: name, icon: icon, fetchedAt: try map.integer(3) ?? 0) else {
            throw VaultError(.malformedItem, "the name and icon of a site are malformed")
        }
        made.unknown = map.unknown
        self = made
    }
}

extension Item {
    /// Sets the name and the icon of the item's site, or removes them.
    ///
    /// - Returns: Whether the item needs to be written: name or icon changed, or they are older than ``staleAfter``.
    @discardableResult
    package mutating func setAppearance(_ new: SiteAppearance?) -> Bool {
        if let old = appearance, let new, old.name == new.name, old.icon == new.icon,
            new.fetchedAt < old.fetchedAt.addingReportingOverflow(SiteAppearance.staleAfter).partialValue
        {
            return false
        }
        guard appearance != new else { return false }
        appearance = new
        return true
    }
}

extension SiteAppearance {
    /// After this time, in seconds, a name and an icon are fetched again: 90 days.
    package static let staleAfter: Int64 = 90 * 86_400
}
