import WardAccounts
import WardWebAuthn

/// A sign-in in steps that was taken from the store, with what it depends on now.
struct TakenFlow: Sendable {
    /// The token that the client has.
    let token: LinkToken
    var flow: SignInFlow
    let account: Account
    let terms: SignInTerms
}

extension Deployment {
    /// Stores a flow under a new token.
    func keep(_ flow: SignInFlow, in tx: Store.Transaction) async throws -> LinkToken {
        let token = LinkToken.random(using: effects.randomBytes)
        try await keep(flow, under: token, in: tx)
        return token
    }

    /// Stores a flow that goes on under the same token: nothing was proven.
    func keep(_ flow: SignInFlow, under token: LinkToken, in tx: Store.Transaction) async throws {
        try await tx.insert(CeremonyRecord(id: token.hash, payload: flow.encoded, expiresAt: flow.expiresAt))
    }

    /// Takes the flow of a token out of the store: no other request can answer it meanwhile.
    ///
    /// - Parameters:
    ///   - text: The token as the client sent it.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Returns: The flow, and what its account can prove and must prove now.
    /// - Throws: ``APIError`` with `flow_not_valid` or `account_disabled`.
    func takeFlow(_ text: String, at now: Int64, in tx: Store.Transaction) async throws -> TakenFlow {
        guard let token = LinkToken(text: text) else { throw APIError.flowNotValid }
        let (flow, account, terms) = try await takeFlow(tokenHash: token.hash, at: now, in: tx)
        return TakenFlow(token: token, flow: flow, account: account, terms: terms)
    }

    /// Takes the flow of a token's hash, as ``takeFlow(_:at:in:)`` does.
    func takeFlow(
        tokenHash: [UInt8],
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> (SignInFlow, Account, SignInTerms) {
        guard let record = try await tx.takeCeremony(id: tokenHash),
            let flow = SignInFlow(encoded: record.payload), let account = try await tx.account(id: flow.account),
            try await isCurrent(flow.beginning, of: account, in: tx)
        else { throw APIError.flowNotValid }
        try account.checkEnabled()
        let terms = try await signInTerms(of: account, flow.beginning, at: now, in: tx)
        guard flow.next(terms, at: now) != .refuse(.over) else { throw APIError.flowNotValid }
        return (flow, account, terms)
    }

    /// Whether the first proof of a flow would still be right.
    private func isCurrent(
        _ beginning: SignInFlow.Beginning,
        of account: Account,
        in tx: Store.Transaction
    ) async throws -> Bool {
        switch beginning {
        case .password(let chosenAt):
            guard acceptsPasswords else { return false }
            return try await tx.password(of: account.id)?.chosenAt == chosenAt
        case .passkey(let id), .verifiedPasskey(let id):
            return try await tx.passkey(credentialID: id)?.accountID == account.id
        case .federated(let link):
            guard let record = try await tx.factor(.federated, key: link), record.accountID == account.id else {
                return false
            }
            return federation.isUsable(record)
        }
    }

    /// What a sign-in to an account can prove, and must prove.
    func signInTerms(
        of account: Account,
        _ beginning: SignInFlow.Beginning,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> SignInTerms {
        let passkeys = try await tx.passkeys(of: account.id)
        let factors = try await OtherFactors(of: account.id, in: tx)
        var terms = SignInTerms()
        // Also a passkey that verifies nobody: after it comes the password. While there is one, nobody adds another in this way.
        if !passkeys.isEmpty { terms.steps.insert(.passkey) }
        if try await hasPassword(account.id, in: tx) { terms.steps.insert(.password) }
        if factors.hasApp { terms.steps.insert(.authenticatorApp) }
        if factors.sendsMailCodes, try await canSendMailCodes(to: account.id, in: tx) { terms.steps.insert(.mailCode) }
        if let number = factors.textNumber, texts?.allows(number) == true { terms.steps.insert(.textCode) }
        // A person who set up a second factor wants it asked for after the password, also while it cannot be. The same holds for a
        // sign-in at a provider. Without both there is nothing that it would follow: it is a thing, as the passkey is.
        let isAskedAfterOther =
            terms.steps.contains(.password) || factors.links.contains { federation.isUsable($0.record) }
        if isAskedAfterOther, factors.hasSecondStep { terms.assurance = .two }
        let requirements = policy.requirements(in: account.groups, at: now)
        if requirements.needsTwoFactors { terms.assurance = .two }
        if terms.assurance == .two, factors.recoveryCodes > 0 { terms.steps.insert(.recoveryCode) }
        if let evidence = requirements.passkeys {
            let known = knownModels(at: now)
            let counting = passkeys.filter { evidence.accepts($0, known) }.map(\.record.id)
            terms.rule = .init(
                hasBegunWell: beginning.passkey.map(counting.contains) ?? false,
                canBeMet: !counting.isEmpty
            )
        }
        terms.mayEnrol = requirements.mayEnrol(at: now)
        return terms
    }

    private func canSendMailCodes(to account: AccountID, in tx: Store.Transaction) async throws -> Bool {
        guard sendsMail else { return false }
        return try await tx.email(of: account)?.confirmed != nil
    }
}

extension APIError {
    static let flowNotValid = APIError(
        .flowNotValid,
        "This sign-in took too long, had too many wrong codes, or was continued elsewhere. Begin again."
    )
}
