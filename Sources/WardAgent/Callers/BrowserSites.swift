internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// What the person decided for sites in browsers.
///
/// The decisions are in a file that only its owner can read. It is read each time, and always written completely.
final class BrowserSites: Sendable {
    /// All decisions.
    struct Settings: Hashable, Sendable {
        /// The sites that differ from the others.
        var sites: [BrowserSiteRecord] = []
        /// Whether sites may create passkeys after passwords, without a prompt.
        var upgrades = true

        /// The decisions for a site.
        subscript(site: String) -> BrowserSiteRecord {
            sites.first { $0.site == site } ?? BrowserSiteRecord(site: site)
        }

        /// Whether a site may create a passkey without a prompt.
        func permitsUpgrades(at site: String) -> Bool { upgrades && self[site].upgrades }
    }

    /// The maximum number of sites.
    static let limit = 1_000
    private static let maximumSize = 1 << 19

    let path: String
    /// Only one change at a time.
    private let turn = Mutex(())

    /// Beside the file of the connected browsers.
    init(beside pairings: BrowserPairings) { path = SmallFile.folder(pairings.path) + "/browser-sites.json" }

    /// The decisions; the usual ones if there is no file.
    ///
    /// - Throws: `AgentError` with `failed` if the file cannot be read, or if other users have access to it.
    func read() throws(AgentError) -> Settings {
        guard let bytes = try PrivateFile.contents(path, limit: Self.maximumSize) else { return Settings() }
        guard let settings = try? Self.settings(bytes) else {
            throw AgentError(.failed, "\(path) is not a valid list of sites: remove it and set the sites again")
        }
        return settings
    }

    /// Changes the decisions.
    ///
    /// - Returns: All decisions after the change.
    /// - Throws: `AgentError` with `invalidValue` for too many sites, or as ``read()``.
    @discardableResult
    func change(_ body: @Sendable (inout Settings) -> Void) throws(AgentError) -> Settings {
        let result: Result<Settings, AgentError> = turn.withLock { _ in
            Result { () throws(AgentError) in
                let before = try read()
                var settings = before
                body(&settings)
                settings.sites.removeAll { $0 == BrowserSiteRecord(site: $0.site) }
                guard settings.sites.count <= Self.limit else {
                    throw AgentError(.invalidValue, "\(Self.limit) sites have settings, and more are not possible")
                }
                if settings != before { try write(settings) }
                return settings
            }
        }
        return try result.get()
    }

    private static func settings(_ bytes: [UInt8]) throws -> Settings {
        let members = try JSONMembers(try JSONValue(bytes), in: "the file")
        let sites = try members.array("sites")
        guard sites.count <= limit else { throw AgentError(.invalidValue, "there are too many sites") }
        var settings = Settings(upgrades: try members.optionalBool("upgrades") ?? true)
        settings.sites = try sites.map { value in
            let members = try JSONMembers(value, in: "site")
            return BrowserSiteRecord(
                site: try members.string("site"),
                saves: try members.optionalBool("saves") ?? true,
                upgrades: try members.optionalBool("upgrades") ?? true,
                menu: try members.optionalBool("menu") ?? true
            )
        }
        return settings
    }

    private func write(_ settings: Settings) throws(AgentError) {
        // One site per line, so that people can read the file.
        let lines = settings.sites.map { site -> String in
            let value: JSONValue = [
                "site": .string(site.site), "saves": .bool(site.saves), "upgrades": .bool(site.upgrades),
                "menu": .bool(site.menu),
            ]
            return String(decoding: value.serialized, as: UTF8.self)
        }
        let text = "{\"upgrades\": \(settings.upgrades), \"sites\": [\n\(lines.joined(separator: ",\n"))\n]}\n"
        do {
            try SmallFile.makeDirectory(SmallFile.folder(path))
            try SmallFile.replace(path, with: Array(text.utf8))
        } catch {
            throw AgentError(.failed, "\(path) cannot be written: \(error.detail)")
        }
    }
}

extension BrowserSites.Settings {
    /// Changes the decisions for one site.
    mutating func change(_ site: String, _ body: (inout BrowserSiteRecord) -> Void) {
        var record = self[site]
        body(&record)
        sites.removeAll { $0.site == site }
        sites.append(record)
        sites.sort { $0.site < $1.site }
    }
}
