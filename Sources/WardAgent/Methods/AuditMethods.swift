internal import WardAgentClient
internal import WardAudit
internal import WardVault
internal import WardWebAuthn

/// Finds and ignores the security problems of the vault.
struct AuditMethods: Sendable {
    let session: VaultSession
    /// The folder with the data of sites.
    let siteData: String

    func run(_ method: AuditVault, _ program: ManagerProgram) async throws -> AuditVault.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .auditItems)
            let search = ItemSearch(vault: vault)
            var wanted: Set<ItemID> = []
            for text in method.items { wanted.insert(try await search.find(text).id) }
            let summaries = try await vault.summaries()
            let offers = (method.passkeySites ?? []).map { PasskeyOffer(domain: $0.domain, address: $0.address) }
            let audit = try await audit(vault, summaries, offers)
            let findings = audit.findings().filter { wanted.isEmpty || wanted.contains($0.item) }
            let found = Set(findings.map(\.item))
            return AuditVault.Result(
                findings: findings.map { AuditRecord($0) },
                items: summaries.filter { found.contains($0.id) }.map { SummaryRecord($0) },
                checked: audit.items,
                passwords: audit.passwords,
                unreadable: try await vault.damagedItems().count
            )
        }
    }

    func domains(_ method: ListPasskeyDomains, _ program: ManagerProgram) async throws -> ListPasskeyDomains.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .auditItems)
            let audit = try await audit(vault, try await vault.summaries())
            return ListPasskeyDomains.Result(domains: audit.domainsToAsk())
        }
    }

    func ignore(_ method: IgnoreFindings, _ program: ManagerProgram) async throws -> IgnoreFindings.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .changeItem)
            let id = try await ItemSearch(vault: vault).find(method.item).id
            var kinds = method.kinds.map { AuditFinding.Kind(rawValue: $0) }
            guard kinds.allSatisfy(AuditFinding.Kind.known.contains) else {
                let known = AuditFinding.Kind.known.map(\.rawValue).joined(separator: ", ")
                throw AgentError(.invalidValue, "A kind of problem must be one of: \(known)")
            }
            if kinds.isEmpty {
                kinds = try await audit(vault, try await vault.summaries()).findings()
                    .filter { $0.item == id && $0.isIgnored != method.isIgnored }.map(\.kind)
            }
            let (chosen, now) = (kinds, session.effects.now())
            let item = try await vault.writeItem { transaction in
                let before = try transaction.item(id)
                var item = before
                for kind in chosen { item.ignore(kind, at: method.isIgnored ? now : nil) }
                // If a change leaves the item as it was, no revision is written.
                return item == before ? before : try transaction.replace(item)
            }
            return IgnoreFindings.Result(
                item: SummaryRecord(try await vault.summary(item.id)),
                kinds: chosen.map(\.rawValue)
            )
        }
    }

    /// Checks all items.
    private func audit(
        _ vault: Vault,
        _ summaries: [ItemSummary],
        _ offers: [PasskeyOffer] = []
    ) async throws -> VaultAudit {
        let (data, leaks) = (siteData, session.leaks.counts)
        let (now, suffixes) = (session.effects.now(), vault.suffixes)
        var audit = await onThread {
            VaultAudit(now: now, suffixes: suffixes, data: SiteData(folder: data), leaks: leaks, offers: offers)
        }
        try await vault.eachChunk(of: summaries.map(\.id)) { items in
            let before = audit
            audit = await onThread {
                var audit = before
                for item in items { audit.add(item) }
                return audit
            }
        }
        return audit
    }
}

extension AuditRecord {
    /// A finding, as JSON.
    init(_ finding: AuditFinding) {
        self.init(item: finding.item.text, kind: finding.kind.rawValue)
        bits = finding.bits.map { Int($0) }
        group = finding.group
        count = finding.count
        date = finding.date
        address = finding.address
        isIgnored = finding.isIgnored ? true : nil
    }
}
