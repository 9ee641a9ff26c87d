import Foundation
import WardAgent
import WardDownload
import WardText
import WardVault

/// What `ward-reader` says of a site's page.
struct SitePage: Decodable {
    /// A picture that the page names.
    struct Icon: Decodable {
        let href: String
        let sizes: String
        let type: String
        let isForTouch: Bool
    }

    let siteName: String?
    let applicationName: String?
    let title: String?
    let manifest: String?
    let base: String?
    let icons: [Icon]

    /// The width that an icon should have at least, in pixels.
    private static let wanted = 64

    /// The site's name: what the page or the manifest says for this purpose, or a part of the title.
    ///
    /// - Parameters:
    ///   - domain: The site's registrable domain.
    ///   - manifest: The name in the manifest.
    /// - Returns: The name; empty if there is none.
    func name(of domain: String, manifest: String?) -> String {
        let names = [siteName, manifest, applicationName, title.map { Self.name(in: $0, of: domain) }]
        return names.lazy.compactMap { $0.map(SiteAppearance.clean) }.first { !$0.isEmpty } ?? ""
    }

    /// The part of a title that names the site.
    ///
    /// In “Sign in · GitLab” that is the part that is also in the domain. Otherwise it is the first part.
    private static func name(in title: String, of domain: String) -> String {
        var parts = [title]
        for separator in [" | ", " - ", " – ", " — ", " · ", " • ", " » ", " :: ", ": ", "|"] {
            parts = parts.flatMap { $0.components(separatedBy: separator) }
        }
        parts = parts.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        let label = letters(String(domain.prefix { $0 != "." }))
        return parts.first { letters($0) == label || letters($0) == letters(domain) } ?? parts.first ?? ""
    }

    private static func letters(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// The addresses of the icons, best first.
    ///
    /// An icon that is large enough comes before one that is not; of those that are, the smallest comes first.
    func iconAddresses(_ base: URL) -> [String] {
        let usable = icons.filter { !$0.type.contains("svg") && !$0.href.lowercased().hasSuffix(".svg") }
        let ranked = usable.enumerated().map { index, icon in
            let edge = Self.edge(icon.sizes) ?? (icon.isForTouch ? 180 : 16)
            return (rank: edge >= Self.wanted ? edge : 10_000 - edge, index: index, icon: icon)
        }
        return ranked.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }
            .compactMap { Self.address($0.icon.href, base) }
    }

    /// The largest width in a list of sizes, such as `16x16 32x32`.
    static func edge(_ sizes: String) -> Int? {
        sizes.lowercased().split(separator: " ").compactMap { Int($0.prefix { $0 != "x" }) }.filter { $0 > 0 }
            .map { min($0, 5_000) }.max()
    }

    /// The absolute address of a link, if it is a public one.
    static func address(_ href: String, _ base: URL) -> String? {
        guard let url = URL(string: href, relativeTo: base)?.absoluteURL else { return nil }
        let text = url.absoluteString
        return BoundedDownload.isPublicHTTPS(text) ? text : nil
    }
}

/// What a [web application manifest](https://www.w3.org/TR/appmanifest/) says.
struct SiteManifest {
    /// The name.
    let name: String?
    /// The addresses of the icons, best first.
    let icons: [String]

    /// Reads a manifest; `nil` if it is not JSON.
    init?(_ bytes: [UInt8], at address: URL) {
        guard let json = try? JSONValue(bytes, limits: .document) else { return nil }
        name = (json["name"] ?? json["short_name"])?.stringValue.map { String($0.prefix(2_048)) }
        let pictures = (json["icons"]?.arrayValue ?? []).prefix(32).compactMap { icon -> SitePage.Icon? in
            guard let source = icon["src"]?.stringValue else { return nil }
            // A maskable icon is meant to be cut, so it has a wide margin.
            let purpose = icon["purpose"]?.stringValue ?? "any"
            guard purpose.split(separator: " ").contains("any") else { return nil }
            return SitePage.Icon(
                href: source,
                sizes: icon["sizes"]?.stringValue ?? "",
                type: icon["type"]?.stringValue ?? "",
                isForTouch: false
            )
        }
        icons = SitePage(
            siteName: nil,
            applicationName: nil,
            title: nil,
            manifest: nil,
            base: nil,
            icons: Array(pictures)
        ).iconAddresses(address)
    }
}
