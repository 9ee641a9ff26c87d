import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API of one request for help: the person with a recovery link asks, and a helper approves.
struct HelpAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.post("/api/v1/recovery/helpers") { try await ask($0, $1) }
        router.post("/api/v1/account/helping/{id}/approval") { try await approve($0, $1) }
    }

    /// Makes the code that the person tells a helper, in place of an earlier one.
    ///
    /// The owner is told first: until the notice has left, no helper can approve.
    private func ask(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        try deployment.checkUsesHelpers()
        let text = try JSONFields(await request.jsonBody()).string("token")
        guard let token = LinkToken(text: text) else { throw APIError.recoveryLinkNotValid }
        let now = deployment.effects.now()
        let details = deployment.auditDetails(nil, request, context)
        let body = try await deployment.store.write { tx in
            let recovery = try await deployment.liveRecovery(token.hash, at: now, in: tx)
            let account = recovery.account
            switch recovery.terms.help {
            case .available, .asked:
                guard recovery.verdict(at: now) != .open else { throw APIError.recoveryAsksNoHelp }
            case .none, .approved: throw APIError.recoveryAsksNoHelp
            }
            let counter = Counter(.helpRequests, of: account.id.bytes, deployment.tryLimits.helpRequests)
            try await counter.check(at: now, in: tx)
            try await counter.add(at: now, in: tx)
            let code = SentCode.new(deployment.effects.randomBytes)
            let isMailed = try await deployment.tellOfRequest(account, at: now, in: tx)
            let asked = HelpRequest(
                accountID: account.id,
                tokenHash: token.hash,
                codeHash: try await deployment.helpCodeHash(Array(code.utf8), for: token.hash, of: account.id, in: tx),
                createdAt: now,
                expiresAt: min(now + HelperRules.codeLifetime, recovery.link.expiresAt),
                toldAt: isMailed ? nil : now
            )
            try await tx.setHelpRequest(asked)
            try await tx.append(
                AuditEvent(.helpersAsked, at: now, of: account.id, method: .mailLink, details: details)
            )
            let after = try await deployment.liveRecovery(token.hash, at: now, in: tx)
            let state = JSONValue(after, at: now).objectValue ?? []
            return JSONValue.object(state + [.init("code", .string(code))])
        }
        return .json(body.serialized)
    }

    /// Approves the recovery whose code the helper typed.
    private func approve(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        try deployment.checkUsesHelpers()
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let typed = try JSONFields(await request.jsonBody()).string("code")
        let id = HelperAPI<Store>.id(context)
        let result = try await deployment.store.write { tx -> Result<Void, APIError> in
            let (session, account) = try await deployment.verifiedWithPasskey(presented, at: now, in: tx)
            guard let helper = try await tx.helper(id: id), helper.helperID == account.id,
                let owner = try await tx.account(id: helper.ownerID)
            else { throw APIError(.notFound, "Nobody with this ID wants help of the account.") }
            let counter = Counter(.helpCodes, of: account.id.bytes, deployment.tryLimits.helpCodes)
            try await counter.check(at: now, in: tx)
            guard helper.state(at: now) == .active,
                var asked = try await deployment.openHelpRequest(of: owner, at: now, in: tx)
            else {
                throw APIError(.helpNotAsked, "This person does not ask for help now, or you cannot help yet.")
            }
            let code = TypedCode.digits(typed, count: SentCode.digits) ?? []
            let hash = try await deployment.helpCodeHash(code, for: asked.tokenHash, of: owner.id, in: tx)
            guard isEqualInConstantTime(hash, asked.codeHash) else {
                try await counter.add(at: now, in: tx)
                asked.wrongCodes += 1
                try await tx.setHelpRequest(asked)
                return .failure(APIError(.helpCodeWrong, "The code is wrong. Ask the person to read it to you again."))
            }
            try await counter.reset(in: tx)
            // The code is used up: a request that is approved is no longer open.
            asked.approvedBy = account.id
            try await tx.setHelpRequest(asked)
            try await deployment.tell(.helperApproved, owner, at: now, in: tx)
            let details = deployment.auditDetails(session.id, request, context)
            try await deployment.note(.helperApproved, helper, byOwner: false, details, at: now, in: tx)
            return .success(())
        }
        try result.get()
        return Response(status: .noContent)
    }
}

extension Deployment {
    /// Tells the owner of an account that somebody asks the helpers.
    ///
    /// This notice has no limit of its own: without it no helper can approve.
    ///
    /// - Returns: Whether there is an address to which it leaves.
    fileprivate func tellOfRequest(_ account: Account, at now: Int64, in tx: Store.Transaction) async throws -> Bool {
        let email = try await tx.email(of: account.id)
        // The thief of the mailbox may read the notice first, so the telephone gets one too.
        if let number = try await textNumber(of: account.id, in: tx) {
            let language = email?.language ?? PageLanguage.english.rawValue
            try await post(.helpersAsked, account, to: .phone(number), in: language, at: now, in: tx)
        }
        guard sendsMail, let email, let address = email.confirmed?.address else { return false }
        try await post(.helpersAsked, account, to: .email(address), in: email.language, at: now, in: tx)
        return true
    }

    /// What the store has of a code: it counts for one account and one link.
    fileprivate func helpCodeHash(
        _ code: [UInt8],
        for tokenHash: [UInt8],
        of account: AccountID,
        in tx: Store.Transaction
    ) async throws -> [UInt8] {
        try await SentCode.hash(of: tokenHash + code, account, effects.randomBytes, in: tx)
    }

    /// The session and account of a person who signed in with a passkey and user verification within the last minutes.
    ///
    /// A session that began with a password is not enough, also if it has the proof of an earlier passkey.
    ///
    /// - Throws: ``APIError`` with `not_signed_in` or `passkey_sign_in_required`.
    fileprivate func verifiedWithPasskey(
        _ presented: PresentedSession,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> (session: Session, account: Account) {
        let signedIn = try await tx.signedIn(presented, under: sessionRules, at: now)
        guard signedIn.session.method == .passkey, let proof = signedIn.session.passkeyProof, proof.userVerified,
            SessionLimits.isRecent(proof.provenAt, at: now)
        else {
            throw APIError(
                .passkeySignInRequired,
                "An approval needs a sign-in with a passkey and user verification within the last five minutes."
            )
        }
        return signedIn
    }
}

extension APIError {
    fileprivate static let recoveryAsksNoHelp = APIError(
        .stepNotAllowed,
        "This recovery does not ask a helper now."
    )
}
