import WardAgentClient
import WardAudit
import WardDomains
import WardDownload

/// Asks sites whether they offer passkeys.
struct PasskeyLookup {
    /// The number of sites that are asked at the same time.
    private static let parallel = 16

    private let domains: [String]

    init(_ domains: [String]) { self.domains = domains }

    /// What leaves the machine.
    var text: String {
        """
        To \(AuditReport.number(domains.count, "site", "sites")) goes a request for the page \(PasskeyOffer.path), without \
        cookies: \(SiteText.list(domains)). A site learns the address of this machine and that somebody there asks; your network sees the \
        names of the sites. No password and no user name leaves this machine.
        """
    }

    /// Asks all sites, and returns those that offer passkeys.
    func run(_ progress: ProgressLine) async throws -> [AuditVault.PasskeySite] {
        let suffixes = PublicSuffixList.system
        var (found, asked) = ([AuditVault.PasskeySite](), 0)
        defer { progress.end() }
        _ = try await inParallel(domains, width: Self.parallel, { await Self.offer(of: $0, suffixes) }) { offer in
            asked += 1
            progress.say("Asked \(asked) of \(domains.count) sites")
            if let offer { found.append(AuditVault.PasskeySite(domain: offer.domain, address: offer.address)) }
            return true
        }
        return found
    }

    private static func offer(of domain: String, _ suffixes: PublicSuffixList) async -> PasskeyOffer? {
        // A redirect would be another site's answer.
        let page = "https://\(domain)\(PasskeyOffer.path)"
        guard let document = try? await download.document(at: page) else { return nil }
        return PasskeyOffer(domain: domain, document: document, suffixes: suffixes)
    }

    private static let download: BoundedDownload = {
        var download = BoundedDownload(maximumSize: PasskeyOffer.maximumSize, timeout: .seconds(10))
        download.headers = ["user-agent": "ward"]
        return download
    }()
}
