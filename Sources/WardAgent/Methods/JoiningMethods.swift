internal import WardAgentClient
internal import WardText
internal import WardVault

/// Makes one entry of several items, several of one, and undoes that and imports.
struct JoiningMethods: Sendable {
    let session: VaultSession

    func merge(_ method: MergeItems, _ program: ManagerProgram) async throws -> MergeItems.Result {
        try await session.working {
            let vault = try await session.opened(method.authorization, .person(program), to: .changeItem)
            let search = ItemSearch(vault: vault)
            var ids: [ItemID] = []
            for text in method.items { ids.append(try await search.find(text).id) }
            let (found, isRehearsal) = (ids, !method.apply)
            let plan = try await refusing { try await vault.merge(found, isRehearsal: isRehearsal) }
            var others: [SummaryRecord] = []
            for id in plan.others { others.append(SummaryRecord(try await vault.summary(id))) }
            return MergeItems.Result(
                item: SummaryRecord(try await vault.summary(plan.item)),
                others: others,
                gains: Dictionary(uniqueKeysWithValues: plan.gains.map { ($0.key.rawValue, $0.value) }),
                isApplied: method.apply
            )
        }
    }

    func split(_ method: SplitItem, _ program: ManagerProgram) async throws -> SplitItem.Result {
        try await session.working {
            let part = try method.part.map { (text) throws(AgentError) in
                guard let part = SplitPlan.Part(rawValue: text) else {
                    throw AgentError(.invalidValue, "The part must be passkeys, codes or password")
                }
                return part
            }
            let vault = try await session.opened(method.authorization, .person(program), to: .changeItem)
            let id = try await ItemSearch(vault: vault).find(method.item).id
            let isRehearsal = !method.apply
            let plan = try await refusing { try await vault.split(id, part, isRehearsal: isRehearsal) }
            return SplitItem.Result(
                item: SummaryRecord(try await vault.summary(id)),
                new: method.apply ? plan.new.text : nil,
                username: plan.username,
                part: plan.part.rawValue,
                count: plan.count,
                isApplied: method.apply
            )
        }
    }

    func undo(_ method: UndoStep, _ program: ManagerProgram) async throws -> UndoStep.Result {
        try await session.working {
            let (kind, all) = (ItemStep.Kind(rawValue: method.kind), method.includesChanged)
            guard [.import, .merge, .split].contains(kind) else {
                throw AgentError(.invalidValue, "Only an import, a merge or a split can be undone")
            }
            let step = try method.step.map { (text) throws(AgentError) in
                guard let id = Base64URL.decode(text) else { throw AgentError(.invalidValue, "The step has no ID") }
                return id
            }
            let vault = try await session.opened(method.authorization, .person(program), to: .changeItem)
            let isApplied = method.apply
            let plan =
                isApplied
                ? try await refusing("To undo the changed items too: ward \(kind) --undo --include-changed --apply") {
                    try await vault.undo(kind, id: step, includesChanged: all)
                }
                : try await vault.plan(undoing: kind, includesChanged: all)
            guard let plan else {
                throw AgentError(.itemMissing, "There is no \(kind) of the last 30 days to undo")
            }
            return UndoStep.Result(
                step: Base64URL.encode(plan.step.id),
                kind: kind.rawValue,
                time: plan.time,
                lines: plan.lines.map {
                    .init(outcome: $0.outcome.rawValue, item: $0.item.text, title: $0.title)
                },
                isPossible: plan.isPossible,
                isApplied: isApplied
            )
        }
    }

    /// Runs a closure in which a conflict is about the items, so that reading them again does not help.
    private func refusing<T>(_ next: String? = nil, _ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as VaultError where error.code == .conflict {
            let problem = error.detail.prefix(1).uppercased() + error.detail.dropFirst()
            throw AgentError(.conflict, next.map { "\(problem). \($0)" } ?? problem)
        }
    }
}
