import HTTPTypes
import WardAccounts
import WardTesting
import WardText

/// Signs in to one account in every way: all calls in each state that any sequence of calls reaches, breadth first.
///
/// States are compared by value. What was proven is counted here, by the arguments that were sent: the service is not asked.
struct SignInExplorer: Sendable {
    /// What was found.
    struct Report: Sendable {
        var (states, calls, opened, depth) = (0, 0, 0, 0)
        /// Whether the last calls reached no new state.
        var isComplete = false
        /// What was proven where a session began.
        var openings: Set<Set<Shown>> = []
        /// What must never be, with the calls that led there.
        var violations: [String] = []
    }

    /// What a right argument proves.
    struct Claim: Sendable {
        /// The flow that it is an answer in; `nil` if it begins a sign-in.
        let flow: String?
        let shown: Shown
    }

    /// A call that was made.
    struct Made: Sendable {
        let answer: Answer
        let after: SignInState
        /// `nil` for an argument that proves nothing.
        let claim: Claim?
    }

    let world: SignInWorld
    let kind: AccountKind
    let owner: ExploredOwner
    let demand: Demand
    /// Changes the store before each call, as a service with a mistake would.
    let sabotage: @Sendable (MemoryAccountStore, AccountID) async throws -> Void

    init?(
        _ world: SignInWorld,
        _ kind: AccountKind,
        sabotage: @escaping @Sendable (MemoryAccountStore, AccountID) async throws -> Void = { _, _ in }
    ) {
        guard let owner = world.owners[kind] else { return nil }
        (self.world, self.kind, self.owner, self.sabotage) = (world, kind, owner, sabotage)
        demand = kind.demand
    }

    func explore(depth: Int) async throws -> Report {
        var report = Report()
        var start = SignInState(store: world.store.base.copy())
        if let other = world.otherFlows[kind] { start.proven[other] = [.password] }
        var seen: Set<SignInState.Value> = [try await start.value(of: owner.id)]
        var edge = [start]
        while !edge.isEmpty, report.depth < depth {
            var reached: [SignInState] = []
            for state in edge {
                let stored = try await SignInState.flow(state.flow, in: state.store)
                let calls = SignInCall.all(
                    of: kind,
                    state,
                    wrong: stored?["wrong"]?.integerValue,
                    sent: stored?["sent"]?.integerValue
                )
                for call in calls {
                    guard let made = try await make(call, in: state) else { continue }
                    report.calls += 1
                    try await judge(call, state, made, &report)
                    if seen.insert(try await made.after.value(of: owner.id)).inserted { reached.append(made.after) }
                }
            }
            report.depth += 1
            edge = reached
        }
        report.states = seen.count
        report.isComplete = edge.isEmpty
        return report
    }

    /// Compares what a call did with what its argument proved.
    private func judge(_ call: SignInCall, _ before: SignInState, _ made: Made, _ report: inout Report) async throws {
        let (answer, after) = (made.answer, made.after)
        var wrongs: [String] = []
        if answer.status.code >= 500 { wrongs.append("the service failed") }
        let opened = try await sessions(of: owner.id, in: after).subtracting(sessions(of: owner.id, in: before))
        let strangers = world.stranger.id
        if try await sessions(of: strangers, in: after) != sessions(of: strangers, in: before) {
            wrongs.append("a session of the stranger began or ended")
        }
        if opened.count > 1 { wrongs.append("one call opened \(opened.count) sessions") }
        if opened.isEmpty {
            if after.cookie != nil, after.cookie != before.cookie { wrongs.append("a cookie without a session") }
        } else if after.cookie == nil || after.cookie == before.cookie {
            wrongs.append("a session without a cookie")
        }
        if let claim = made.claim {
            if !opened.isEmpty {
                let proven = (claim.flow.flatMap { before.proven[$0] } ?? []).union([claim.shown])
                report.opened += 1
                report.openings.insert(proven)
                if !demand.isMet(by: proven) { wrongs.append("opened with \(Self.words(proven))") }
                if claim.shown == .newPasskey, try await passkeys(in: before) > 0 {
                    wrongs.append("a passkey was added to an account that has one")
                }
            }
        } else {
            if !opened.isEmpty { wrongs.append("opened without a proof") }
            if answer["flow"] != nil { wrongs.append("a flow without a proof") }
            if !call.isNeutral, !(400..<500).contains(answer.status.code) { wrongs.append("it was not refused") }
            if try await hasMoved(before, after) { wrongs.append("the flow went forward without a proof") }
        }
        if case .beginPasskey(let which) = call, answer.status == .ok {
            let proven = token(which, before).flatMap { before.proven[$0] } ?? []
            if try await passkeys(in: before) > 0 || !demand.isMet(by: proven.union([.newPasskey])) {
                wrongs.append("a new passkey was allowed after \(Self.words(proven))")
            }
        }
        let path = after.path.joined(separator: ", ")
        report.violations += wrongs.map { "\(kind.rawValue): \($0): \(path): \(answer.status.code) \(answer.text)" }
    }

    /// Whether the browser's flow says that more was proven than before.
    private func hasMoved(_ before: SignInState, _ after: SignInState) async throws -> Bool {
        let old = try await SignInState.flow(before.flow, in: before.store)
        guard let new = try await SignInState.flow(before.flow, in: after.store) else { return false }
        return old?["later"] != new["later"] || old?["beginning"] != new["beginning"]
    }

    private func sessions(of id: AccountID, in state: SignInState) async throws -> Set<SessionID> {
        try await state.store.read { tx in Set(try tx.sessions(of: id).map(\.id)) }
    }

    private func passkeys(in state: SignInState) async throws -> Int {
        let id = owner.id
        return try await state.store.read { tx in try tx.passkeys(of: id).count }
    }

    func token(_ which: SignInCall.Flow, _ state: SignInState) -> String? {
        switch which {
        case .own: state.flow
        case .other: world.otherFlows[kind]
        case .strangers: world.strangersFlow
        }
    }

    private static func words(_ shown: Set<Shown>) -> String {
        shown.map(\.rawValue).sorted().joined(separator: " and ")
    }
}
