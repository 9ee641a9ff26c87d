import Foundation
import WardAgent
import WardAgentClient
import WardDownload
import WardText

/// Asks sites for their names and icons.
struct SiteLookup {
    /// The number of sites that are asked at the same time.
    private static let parallel = 8
    /// The maximum size of a page and of an icon, in bytes.
    private static let maximumSize = 1 << 20
    /// The maximum size of a manifest, in bytes.
    private static let maximumManifest = 1 << 18
    /// The maximum number of icons that are fetched for a site until one can be read.
    private static let maximumIcons = 4

    private let domains: [String]

    init(_ domains: [String]) { self.domains = domains }

    /// What leaves the machine.
    var text: String {
        """
        To \(AuditReport.number(domains.count, "site", "sites")) go requests for the first page, its manifest and its icon, \
        without cookies: \(SiteText.list(domains)). Some sites keep their icons on servers of others, which are asked too. They learn the \
        address of this machine and that somebody there asks; your network sees the names of the sites. No password and no \
        user name leaves this machine.
        """
    }

    /// Asks all sites.
    ///
    /// - Parameters:
    ///   - progress: The line that says how far it is.
    ///   - keep: Takes what some sites say.
    /// - Returns: What the sites say, those without an answer with `nil`.
    /// - Throws: The errors of `keep`, and `CancellationError`.
    func run(
        _ progress: ProgressLine,
        _ keep: ([KeepSiteAppearances.Site]) async throws -> Void
    ) async throws -> [(domain: String, site: KeepSiteAppearances.Site?)] {
        var found: [(domain: String, site: KeepSiteAppearances.Site?)] = []
        var waiting: [KeepSiteAppearances.Site] = []
        defer { progress.end() }
        _ = try await inParallel(domains, width: Self.parallel, { ($0, await Self.site($0)) }) { answer in
            found.append(answer)
            progress.say("Asked \(found.count) of \(domains.count) sites")
            if let site = answer.1 { waiting.append(site) }
            // What was found so far is kept, also if the person ends the command.
            if waiting.count == KeepSiteAppearances.maximumSites {
                try await keep(waiting)
                waiting = []
            }
            return true
        }
        if !waiting.isEmpty { try await keep(waiting) }
        return found
    }

    /// What a site says of itself; `nil` if it says nothing.
    private static func site(_ domain: String) async -> KeepSiteAppearances.Site? {
        for start in ["https://\(domain)/", "https://www.\(domain)/"] {
            guard let (page, address) = await page(at: start) else { continue }
            let base = page.base.flatMap { URL(string: $0, relativeTo: address) } ?? address
            let manifest = await manifest(page.manifest, base)
            let name = page.name(of: domain, manifest: manifest?.name)
            let icon = await icon(page.iconAddresses(base) + (manifest?.icons ?? []), address)
            guard !name.isEmpty || icon != nil else { return nil }
            return KeepSiteAppearances.Site(domain: domain, name: name, icon: icon.map { Base64URL.encode($0) })
        }
        return nil
    }

    private static func page(at start: String) async -> (SitePage, URL)? {
        var download = download("text/html,application/xhtml+xml", maximumSize)
        download.isAccepted = { ["text/html", "application/xhtml+xml"].contains($0) }
        download.isCut = true
        guard let answer = try? await download.answer(at: start), answer.status == 200,
            let address = URL(string: answer.address)
        else { return nil }
        let read = await onThread {
            try? ReaderProgram.answer(["page"], answer.body, limit: 1 << 18, seconds: 30)
        }
        guard let read, read.isDone, let page = try? JSONDecoder().decode(SitePage.self, from: Data(read.output))
        else { return nil }
        return (page, address)
    }

    private static func manifest(_ href: String?, _ base: URL) async -> SiteManifest? {
        guard let href, let address = SitePage.address(href, base) else { return nil }
        var download = download("application/manifest+json,application/json", maximumManifest)
        download.isAccepted = { _ in true }
        guard let answer = try? await download.answer(at: address), answer.status == 200,
            let final = URL(string: answer.address)
        else { return nil }
        return SiteManifest(answer.body, at: final)
    }

    /// The first icon that can be read, as a small PNG file.
    private static func icon(_ addresses: [String], _ page: URL) async -> [UInt8]? {
        var tried: Set<String> = []
        let usual = ["/apple-touch-icon.png", "/favicon.ico"].compactMap { SitePage.address($0, page) }
        for address in addresses.prefix(maximumIcons) + usual where tried.insert(address).inserted {
            var download = download("image/png,image/webp,image/jpeg,image/x-icon,image/gif", maximumSize)
            // The content types of icons are often wrong. The reader looks at the bytes.
            download.isAccepted = { _ in true }
            guard let answer = try? await download.answer(at: address), answer.status == 200 else { continue }
            let read = await onThread {
                try? ReaderProgram.answer(["icon"], answer.body, limit: 1 << 18, seconds: 30)
            }
            guard let read, read.isDone, let line = try? JSONDecoder().decode(IconLine.self, from: Data(read.output))
            else { continue }
            return Array(line.icon)
        }
        return nil
    }

    private struct IconLine: Decodable { let icon: Data }

    private static func download(_ accept: String, _ size: Int) -> BoundedDownload {
        var download = BoundedDownload(maximumSize: size, timeout: .seconds(10))
        download.accept = accept
        download.headers = ["user-agent": "ward"]
        download.maximumRedirects = 5
        download.mayFollow = { BoundedDownload.isPublicHTTPS($0) }
        return download
    }
}
