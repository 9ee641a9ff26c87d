import Hummingbird
import WardAccounts
import WardText

/// What a right proof led to.
enum SignInProgress: Sendable {
    /// A session began; with all passkeys of the account.
    case opened(Account, [Passkey])
    /// More is asked for.
    case goesOn(SignInContinuation)
}

/// What a client needs to continue a sign-in.
struct SignInContinuation: Sendable {
    private let token: LinkToken
    private let expiresAt: Int64
    private let next: [JSONValue]

    /// - Parameters:
    ///   - token: The flow's token.
    ///   - flow: The flow.
    ///   - action: What comes next: steps, or a new passkey.
    ///   - places: Where codes are sent, as the owner may see it before the sign-in is complete.
    init(_ token: LinkToken, _ flow: SignInFlow, _ action: SignInFlow.Action, places: [SignInStep: String]) {
        self.token = token
        expiresAt = flow.expiresAt
        switch action {
        case .ask(let steps):
            next = steps.map { step in
                guard let place = places[step] else { return ["method": .string(step.rawValue)] }
                return ["method": .string(step.rawValue), "to": .string(place)]
            }
        case .enrol: next = [["method": "new_passkey"]]
        case .open, .send, .refuse: next = []
        }
    }

    var json: JSONValue {
        [
            "flow": .string(token.text), "expiresAt": .string(JSONTime.text(expiresAt)), "next": .array(next),
        ]
    }
}

extension EmailAddress {
    /// The address with most of its first part hidden: enough for its owner to know it.
    var masked: String { "\(text.prefix(1))•••@\(domain)" }
}

extension Deployment {
    /// Begins a sign-in with its first proof: a session, or a flow that asks for more.
    ///
    /// - Parameters:
    ///   - beginning: The first proof.
    ///   - account: The account.
    ///   - session: The session that may begin.
    ///   - wrong: How many wrong passwords came for the name before.
    ///   - isNew: Whether the browser had not signed in before.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Returns: What it led to.
    /// - Throws: ``APIError`` with `policy_not_met`, or the store's errors.
    func begin(
        _ beginning: SignInFlow.Beginning,
        of account: Account,
        _ session: NewSession,
        after wrong: Int64,
        onNewDevice isNew: Bool,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> SignInProgress {
        let flow = SignInFlow(account.id, beginning, at: now)
        let terms = try await signInTerms(of: account, beginning, at: now, in: tx)
        return try await proceed(
            flow,
            flow.next(terms, at: now),
            to: account,
            session,
            after: wrong,
            onNewDevice: isNew,
            at: now,
            in: tx
        )
    }

    /// Does what a flow answers to a right proof: begins the session, or stores the flow under a new token.
    ///
    /// - Parameters:
    ///   - flow: The flow after the proof.
    ///   - action: What the flow answered; it is no refusal.
    ///   - account: The account.
    ///   - session: The session that may begin.
    ///   - wrong: How many wrong passwords came for the name before.
    ///   - isNew: Whether the browser had not signed in before.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    /// - Returns: What it led to.
    /// - Throws: The store's errors.
    func proceed(
        _ flow: SignInFlow,
        _ action: SignInFlow.Action,
        to account: Account,
        _ session: NewSession,
        after wrong: Int64,
        onNewDevice isNew: Bool,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> SignInProgress {
        if action == .refuse(.barred) { throw APIError(.barred) }
        guard action == .open else {
            let token = try await keep(flow, in: tx)
            var places: [SignInStep: String] = [:]
            if sendsMail { places[.mailCode] = try await tx.email(of: account.id)?.confirmed?.address.masked }
            places[.textCode] = try await textNumber(of: account.id, in: tx)?.masked
            return .goesOn(SignInContinuation(token, flow, action, places: places))
        }
        try await session.begin(completing: flow, after: wrong, onNewDevice: isNew, in: tx)
        if isNew { try await tell(.newDevice, account, at: now, in: tx) }
        return .opened(account, try await tx.passkeys(of: account.id))
    }

    /// The answer to a right proof.
    func answer(
        _ progress: SignInProgress,
        _ session: NewSession,
        _ request: Request
    ) -> Response {
        switch progress {
        case .opened(let account, let passkeys):
            let body: JSONValue = [
                "account": JSONValue(account), "hasPasskey": .bool(passkeys.contains(where: \.canVerify)),
                "allAcceptedCredentialIds": JSONValue(accepted: passkeys),
            ]
            return signedIn(body, to: account.id, session, request)
        case .goesOn(let continuation): return .json(continuation.json.serialized)
        }
    }
}
