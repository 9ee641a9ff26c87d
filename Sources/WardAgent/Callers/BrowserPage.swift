internal import WardAgentClient
internal import WardClient
internal import WardDomains
internal import WardWebAuthn

/// The page or frame that asks, as the browser described it to its extension.
///
/// The agent computes the origins from the browser's description. Nothing in it comes from the page.
struct BrowserPage: Sendable {
    /// The origin of the page, and the origin of the page around it.
    let caller: Caller
    /// The origin of the page.
    let origin: WebOrigin
    let tab: Int
    let frame: Int
    /// Whether the window is private.
    let isPrivate: Bool

    /// Whether all pages around this one are of its site, so that its entries can be filled in.
    ///
    /// For a frame of another origin, the browser must name them all.
    let isOfOneSite: Bool

    /// The maximum number of pages around a frame.
    private static let maximumDepth = 64
    /// The maximum length of an address, in bytes.
    private static let maximumLength = 65_536

    /// Whether the page is in the address bar.
    var isTop: Bool { frame == 0 && caller.isSameOriginWithAncestors }

    /// Reads a description.
    ///
    /// - Throws: `ClientError` with `NotAllowedError` for an opaque origin, and `SecurityError` for a page that cannot have passkeys
    ///   or a description that contradicts itself.
    init(_ sender: BrowserSender) throws(ClientError) {
        guard sender.url.utf8.count <= Self.maximumLength, sender.topURL.utf8.count <= Self.maximumLength,
            sender.origin.utf8.count <= 1024, sender.ancestors?.count ?? 0 <= Self.maximumDepth,
            (sender.document ?? "").utf8.count <= 256
        else { throw ClientError(.security, "an address of the page is too long") }
        guard sender.tab >= -1, sender.frame >= -1 else {
            throw ClientError(.security, "the page has no tab or frame")
        }
        let caller = try Caller(origin: sender.origin)
        guard let origin = caller.origin.web else {
            throw ClientError(.security, "the page has no origin of the Web")
        }
        let top = try Self.origin(ofAddress: sender.topURL)
        if sender.frame > 0, ["about:blank", "about:srcdoc"].contains(sender.url) {
            // Such a frame has the origin of the page that made it. The browser names it, and does not say which page that is.
            guard origin == top else {
                throw ClientError(.security, "the origin of an empty frame is not that of the page around it")
            }
        } else {
            guard try Self.origin(ofAddress: sender.url) == origin else {
                throw ClientError(.security, "the page's address and its origin do not agree")
            }
        }
        guard sender.frame > 0 || top == origin else {
            throw ClientError(.security, "the page is not in a frame, and is not the page in the address bar")
        }
        self.origin = origin
        // A page with an opaque origin is of no site.
        let around = sender.ancestors?.map { try? WebOrigin($0) }
        let isAlone =
            top == origin && (sender.isSameOriginWithAncestors ?? true) && (around ?? []).allSatisfy { $0 == origin }
        let pages: [WebOrigin?] = around.map { [top] + $0 } ?? []
        isOfOneSite =
            isAlone || sender.frame > 0 && pages.count > 1 && pages.allSatisfy { Self.areSameSite($0, origin) }
        // The person acts in the extension's window, or in the agent's prompt.
        self.caller = isAlone ? caller : .frame(origin, under: top, hasTransientActivation: true)
        tab = sender.tab
        frame = sender.frame
        isPrivate = sender.isPrivate
    }

    /// The origin of an address: `https`, or `http` for localhost.
    private static func origin(ofAddress address: String) throws(ClientError) -> WebOrigin {
        let parts = address.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw ClientError(.security, "the address of the page is not one of the Web") }
        // A browser writes no backslash here.
        let authority = parts[1].prefix { !"/?#\\".contains($0) }
        // What stands before the sign is a user name and a password.
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        do {
            return try WebOrigin("\(parts[0])://\(host)")
        } catch {
            throw ClientError(.security, "the page cannot have passkeys: \(error)")
        }
    }
}

extension BrowserPage {
    /// The place in the browser where the page is.
    func place(in browser: BrowserProgram) -> BrowserPlace {
        BrowserPlace(browser: browser.identity, process: browser.process, tab: tab, frame: frame)
    }

    /// Whether an RP ID is of the same site as the page: both have the same registrable domain.
    func isSameSite(as domain: String) -> Bool { Self.areSameSite(origin.host.description, domain) }

    /// Whether two pages have the same scheme, and hosts with the same registrable domain.
    private static func areSameSite(_ one: WebOrigin?, _ other: WebOrigin) -> Bool {
        guard let one else { return false }
        return one.scheme == other.scheme && areSameSite(one.host.description, other.host.description)
    }

    /// Whether two hosts have the same registrable domain, or are the same host.
    static func areSameSite(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard let one = try? DomainName(one), let other = try? DomainName(other),
            let site = PublicSuffixList.system.registrableDomain(of: one)
        else { return false }
        return PublicSuffixList.system.registrableDomain(of: other) == site
    }
}

/// A frame in a tab of a running browser.
struct BrowserPlace: Hashable, Sendable {
    var browser: BrowserIdentity
    var process: PeerProcess.Identity
    var tab: Int
    var frame: Int
}

/// Who receives an entry: an app, or a page in a frame of a browser.
enum Recipient: Hashable, Sendable {
    case app(AppIdentity.Result)
    case page(BrowserPlace)
}
