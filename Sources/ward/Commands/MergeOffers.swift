import WardAgentClient

/// The accounts that have several items, and the offer to make one entry of each.
///
/// Nothing that arrives from another device is merged by itself.
struct MergeOffers {
    let options: AgentOptions

    private struct Offer: Encodable {
        let items: [SummaryRecord]
    }

    /// Lists the accounts, and on a terminal asks about each.
    ///
    /// - Throws: ``Failure`` or `AgentError`.
    func run(_ authorization: Authorization, _ agent: AgentClient) async throws {
        let offers = try await offers(authorization, agent)
        if options.json { return try Output.json(offers) }
        guard !offers.isEmpty else { return Terminal.note("No account has several items.") }
        let isAsking = Terminal.isInteractive && !options.noPrompt
        Output.lines([AuditReport.number(offers.count, "account has", "accounts have") + " several items."])
        var merged = 0
        for (index, offer) in offers.enumerated() {
            let ids = offer.items.map(\.id)
            Output.lines([""] + offer.items.map { "    \(MergeCommand.name($0))" })
            guard isAsking else {
                let words = ids.map { String($0.prefix(8)) }.joined(separator: " ")
                Output.lines([CommandHints.here("To merge: ward merge \(words) --apply")])
                continue
            }
            var method = MergeItems(authorization: authorization, items: ids, apply: false)
            Output.lines(MergeCommand.lines(try await agent.call(method)))
            let place = offers.count == 1 ? "" : "\(index + 1) of \(offers.count): "
            guard try Question.confirm("\(place)Make one entry of these items?") else { continue }
            method.apply = true
            _ = try await agent.call(method)
            merged += 1
        }
        guard isAsking else { return }
        let done = AuditReport.number(merged, "account has", "accounts have")
        let undo = merged == 0 ? "" : " To undo the latest merge: ward merge --undo"
        Output.lines([CommandHints.here("\(done) one entry now.\(undo)")])
    }

    /// The groups of items of one account, each with the item first that has a password.
    private func offers(_ authorization: Authorization, _ agent: AgentClient) async throws -> [Offer] {
        let audit = try await agent.call(AuditVault(authorization: authorization))
        var groups: [Int: [String]] = [:]
        for finding in audit.findings where finding.kind == "duplicate" && finding.isIgnored != true {
            guard let group = finding.group else { continue }
            groups[group, default: []].append(finding.item)
        }
        let items = Dictionary(audit.items.map { ($0.id, $0) }) { first, _ in first }
        return groups.sorted { $0.key < $1.key }.compactMap { _, ids in
            let found = ids.compactMap { items[$0] }
            // An ignored item leaves a group that may have only one item.
            guard found.count >= 2 else { return nil }
            return Offer(items: found.filter(\.hasPassword) + found.filter { !$0.hasPassword })
        }
    }
}
