internal import Crypto
package import WardDomains
package import WardPasswords
package import WardVault

/// The check of a whole vault: weak and reused passwords, expired cards, and what a site offers that an account does not use.
///
/// ```swift
/// var audit = VaultAudit(now: now, suffixes: .system, data: SiteData(folder: SiteData.folder()))
/// for item in items { audit.add(item) }
/// for finding in audit.findings() { print(finding.kind, finding.item) }
/// ```
///
/// It keeps hashes of the passwords, and not the passwords. No network is used.
package struct VaultAudit: Sendable {
    /// A password with fewer bits is weak.
    ///
    /// An attacker with a stolen database and fast hashes tries 40 bits in minutes.
    package static let weakest = 40.0

    /// What the audit remembers of an item.
    struct Account: Sendable {
        let id: ItemID
        /// The registrable domains, the apps, and the groups of domains that share their accounts.
        let keys: Set<String>
        let hosts: [String]
        let userName: String
        let password: [UInt8]?
        let hasCodes: Bool
        let hasPasskeys: Bool
        let ignored: Set<AuditFinding.Kind>
    }

    private let now: Int64
    let suffixes: PublicSuffixList
    let data: SiteData
    private let leaks: [BreachedPasswordHash: Int]
    let offers: [String: PasskeyOffer]
    private(set) var accounts: [Account] = []
    private var found: [AuditFinding] = []

    /// Starts without items.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - suffixes: The public suffix list.
    ///   - data: The data of sites.
    ///   - leaks: How often passwords were seen in data breaches, for those that were looked up.
    ///   - offers: What sites say of their passkeys, for those that were asked.
    package init(
        now: Int64,
        suffixes: PublicSuffixList,
        data: SiteData,
        leaks: [BreachedPasswordHash: Int] = [:],
        offers: [PasskeyOffer] = []
    ) {
        self.now = now
        self.suffixes = suffixes
        self.data = data
        self.leaks = leaks.filter { $0.value > 0 }
        self.offers = Dictionary(offers.map { ($0.domain, $0) }) { first, _ in first }
    }

    /// The number of items.
    package var items: Int { accounts.count }

    /// The number of different passwords.
    package var passwords: Int { Set(accounts.compactMap(\.password)).count }

    /// Adds an item.
    ///
    /// Items in the trash must be left out. The time is that of the strength estimate: less than a tenth of a millisecond.
    package mutating func add(_ item: Item) {
        let ignored = Set(AuditFinding.Kind.known.filter { item.ignores($0) })
        let password = item.password?.value.revealed ?? ""
        let hosts = item.sites.compactMap(\.host)
        let account = Account(
            id: item.id,
            keys: keys(of: item),
            hosts: hosts,
            userName: item.kind == .login ? SearchText.folded(item.username) : "",
            password: password.isEmpty ? nil : Array(SHA256.hash(data: Array(password.utf8))),
            hasCodes: !item.codes.isEmpty,
            hasPasskeys: item.passkeys.contains { !$0.isHidden },
            ignored: ignored
        )
        accounts.append(account)
        if !password.isEmpty {
            let bits = PasswordStrength(password, beside: Self.words(of: item, hosts)).bits
            if bits < Self.weakest { note(.weak, account) { $0.bits = bits } }
            if !leaks.isEmpty, let count = leaks[BreachedPasswordHash(Array(password.utf8))] {
                note(.leaked, account) { $0.count = count }
            }
        }
        if let date = item.section(.card)?.fields.first(where: { $0.name == .expiryDate })?.value.text,
            CardExpiry.hasPassed(date, now: now) == true
        {
            note(.expired, account) { $0.date = date }
        }
    }

    /// The findings, worst first.
    package func findings() -> [AuditFinding] {
        var audit = self
        audit.findReused()
        audit.findDuplicates()
        audit.findMissing()
        return AuditFinding.sorted(audit.found)
    }

    /// Adds a finding about an account.
    mutating func note(_ kind: AuditFinding.Kind, _ account: Account, _ fill: (inout AuditFinding) -> Void) {
        var finding = AuditFinding(kind, of: account.id)
        fill(&finding)
        finding.isIgnored = account.ignored.contains(kind)
        found.append(finding)
    }

    private func keys(of item: Item) -> Set<String> {
        let keys = item.siteKeys(suffixes)
        return keys.union(keys.flatMap { data.shared.places(of: $0).map { "group \($0)" } })
    }

    /// The words that an attacker on this account would try first.
    private static func words(of item: Item, _ hosts: [String]) -> [String] {
        func parts(_ text: String) -> [String] {
            text.prefix(256).split(whereSeparator: { !$0.isLetter && !$0.isNumber }).prefix(8).map(String.init)
        }
        let user = String(item.username.prefix(256))
        let words = [user] + parts(user) + parts(item.title) + hosts.prefix(4).flatMap { [$0] + parts($0) }
        return Array(Set(words))
    }
}

extension AuditFinding {
    /// The findings in the order of their kinds, worst first, and by group.
    package static func sorted(_ findings: [AuditFinding]) -> [AuditFinding] {
        findings.enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            if one.kind != other.kind { return one.kind.rank < other.kind.rank }
            if one.group != other.group { return (one.group ?? 0) < (other.group ?? 0) }
            if one.kind == .leaked, one.count != other.count { return (one.count ?? 0) > (other.count ?? 0) }
            if one.bits != other.bits { return (one.bits ?? 0) < (other.bits ?? 0) }
            return left.offset < right.offset
        }.map(\.element)
    }
}
