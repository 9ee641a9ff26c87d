import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API of the people who help with a recovery: the owner names them, and they answer.
///
/// Each change needs the proof of a sensitive change.
struct HelperAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/api/v1/account/helpers") { try await list($0, $1) }
        router.post("/api/v1/account/helpers") { try await name($0, $1) }
        router.delete("/api/v1/account/helpers/{id}") { try await remove($0, $1) }
        router.get("/api/v1/account/helping") { try await listHelped($0, $1) }
        router.put("/api/v1/account/helping/{id}") { try await accept($0, $1) }
        router.delete("/api/v1/account/helping/{id}") { try await leave($0, $1) }
    }

    // MARK: The owner

    private func list(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try deployment.checkUsesHelpers()
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let (session, helpers) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            var shown: [JSONValue] = []
            for helper in try await tx.helpers(of: account.id) {
                shown.append(try await JSONValue(helper, at: now, in: tx))
            }
            return (session, shown)
        }
        await deployment.touch(session, context)
        let body: JSONValue = ["helpers": .array(helpers), "most": .integer(Int64(HelperRules.most))]
        return .json(body.serialized)
    }

    /// Names a person, who is asked to accept.
    ///
    /// The answer is the same for every name, and so is the work: lookups, counts and one new row beside the helper's.
    private func name(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let username = try PublicText.username(JSONFields(await request.jsonBody()).string("username"))
        let nobody = AccountID.random(using: deployment.effects.randomBytes)
        let body = try await change(request, context) { change, tx in
            let (owner, now) = (change.account, change.now)
            guard username.mapped != owner.username.mapped else {
                throw APIError(.ownAccount, "You cannot be your own helper.").at("username")
            }
            let helpers = try await tx.helpers(of: owner.id)
            if let known = helpers.first(where: { $0.isSameWish(as: username, at: now) }) {
                return try await JSONValue(known, at: now, in: tx)
            }
            guard helpers.count < HelperRules.most else {
                throw APIError(
                    .tooManyHelpers,
                    "An account has at most \(HelperRules.most) helpers. Remove one before you name another."
                )
            }
            let byOwner = Counter(.helpersNamed, of: owner.id.bytes, deployment.tryLimits.helpersNamed)
            try await byOwner.check(at: now, in: tx)
            try await byOwner.add(at: now, in: tx)
            let named = try await tx.account(username: username.mapped)
            let helper = RecoveryHelper(
                id: deployment.effects.randomBytes(RecoveryHelper.idLength),
                ownerID: owner.id,
                name: username.text,
                helperID: named?.id,
                createdAt: now
            )
            try await tx.setHelper(helper)
            try await ask(named, named?.id ?? nobody, username, at: now, in: tx)
            try await deployment.tell(.helperNamed, owner, at: now, in: tx)
            try await deployment.note(.helperNamed, helper, byOwner: true, change.details, at: now, in: tx)
            return try await JSONValue(helper, at: now, in: tx)
        }
        return .json(JSONValue.object([.init("helper", body)]).serialized, status: .created)
    }

    /// Writes to the person who is named; for a name that nobody has, it does the same work.
    private func ask(_ named: Account?, _ id: AccountID, _ username: Username, at now: Int64, in tx: Store.Transaction)
        async throws
    {
        let email = try await tx.email(of: id)
        // Many owners must not be able to fill one mailbox. Beyond the limit the page alone asks.
        let counter = Counter(
            .helpersWanted,
            of: Array(username.mapped.utf8),
            deployment.tryLimits.helpersWanted
        )
        let wait = try await counter.wait(at: now, in: tx)
        if wait == nil { try await counter.add(at: now, in: tx) }
        guard let named, named.disabledAt == nil, let email, let address = email.confirmed?.address, wait == nil,
            deployment.sendsMail
        else {
            _ = try await tx.insertUse(deployment.effects.randomBytes(32), until: now)
            return
        }
        try await deployment.post(.helperWanted, named, to: .email(address), in: email.language, at: now, in: tx)
    }

    private func remove(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let id = Self.id(context)
        try await change(request, context) { change, tx in
            guard let helper = try await tx.helper(id: id), helper.ownerID == change.account.id else {
                throw APIError(.notFound, "The account has no such helper.")
            }
            try await end(helper, byOwner: true, change, in: tx)
        }
        return Response(status: .noContent)
    }

    // MARK: The helper

    private func listHelped(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        try deployment.checkUsesHelpers()
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let (session, helped) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            let all = try await tx.helped(by: account.id)
            // Strangers can cause wishes, and must not hide the people whom this person helps.
            let first = all.filter { $0.acceptedAt != nil } + all.filter { $0.acceptedAt == nil }
            var shown: [JSONValue] = []
            for helper in first.prefix(HelperRules.mostShown) {
                guard let owner = try await tx.account(id: helper.ownerID) else { continue }
                let isActive = helper.state(at: now) == .active
                let asking = isActive ? try await deployment.openHelpRequest(of: owner, at: now, in: tx) : nil
                shown.append(JSONValue(helper, helping: owner, asking: asking, at: now))
            }
            return (session, shown)
        }
        await deployment.touch(session, context)
        let body: JSONValue = ["helping": .array(helped)]
        return .json(body.serialized)
    }

    /// Accepts a wish; once more, it changes nothing.
    private func accept(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let id = Self.id(context)
        try await change(request, context) { change, tx in
            var helper = try await helping(id, change.account, in: tx)
            guard helper.acceptedAt == nil, let owner = try await tx.account(id: helper.ownerID) else { return }
            helper.acceptedAt = change.now
            try await tx.setHelper(helper)
            try await deployment.tell(.helperAccepted, owner, at: change.now, in: tx)
            try await deployment.note(.helperAccepted, helper, byOwner: false, change.details, at: change.now, in: tx)
        }
        return Response(status: .noContent)
    }

    /// Ends the help, or puts a wish away.
    private func leave(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let id = Self.id(context)
        try await change(request, context) { change, tx in
            var helper = try await helping(id, change.account, in: tx)
            guard helper.acceptedAt == nil else {
                try await end(helper, byOwner: false, change, in: tx)
                return
            }
            // The wish stays in the owner's list, because its end would tell that the name exists.
            helper.helperID = nil
            try await tx.setHelper(helper)
            let details = change.details.with(other: helper.ownerID)
            try await tx.append(AuditEvent(.helperRemoved, at: change.now, of: change.account.id, details: details))
        }
        return Response(status: .noContent)
    }

    private func helping(_ id: [UInt8], _ account: Account, in tx: Store.Transaction) async throws -> RecoveryHelper {
        guard let helper = try await tx.helper(id: id), helper.helperID == account.id else {
            throw APIError(.notFound, "Nobody with this ID wants help of the account.")
        }
        return helper
    }

    // MARK: Both

    /// Ends the help, and tells the owner.
    private func end(_ helper: RecoveryHelper, byOwner: Bool, _ change: Change, in tx: Store.Transaction) async throws {
        guard try await tx.deleteHelper(id: helper.id) else { return }
        if let owner = try await tx.account(id: helper.ownerID) {
            try await deployment.tell(.helperRemoved, owner, at: change.now, in: tx)
        }
        try await deployment.note(.helperRemoved, helper, byOwner: byOwner, change.details, at: change.now, in: tx)
    }

    /// A change of a person who proved to be the account's owner moments ago.
    private struct Change: Sendable {
        let account: Account
        let now: Int64
        let details: AuditDetails
    }

    @discardableResult
    private func change<Value: Sendable>(
        _ request: Request,
        _ context: WardRequestContext,
        _ body: @escaping @Sendable (Change, Store.Transaction) async throws -> Value
    ) async throws -> Value {
        _ = try deployment.origins.caller(of: request)
        try deployment.checkUsesHelpers()
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        return try await deployment.store.write { tx in
            let (session, account) = try await deployment.recentlySignedIn(presented, at: now, in: tx)
            let details = deployment.auditDetails(session.id, request, context)
            return try await body(Change(account: account, now: now, details: details), tx)
        }
    }

    /// The helper's ID in the address of a request; nothing for another text, which no helper has.
    static func id(_ context: WardRequestContext) -> [UInt8] {
        context.parameters.get("id").flatMap { Base64URL.decode($0) } ?? []
    }
}

extension Deployment {
    /// Refuses a call of a service without helpers.
    ///
    /// - Throws: ``APIError`` with `helpers_disabled`.
    func checkUsesHelpers() throws(APIError) {
        guard usesRecoveryHelpers else {
            throw APIError(.helpersDisabled, "This service has no helpers for recoveries.")
        }
    }
}
