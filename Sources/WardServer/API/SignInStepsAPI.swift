import Hummingbird
import WardAccounts
import WardWebAuthn

/// The API of the steps that follow the first proof of a sign-in: codes, and codes in messages.
struct SignInStepsAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.post("/api/v1/sign-in/code") { try await answer($0, $1) }
        router.post("/api/v1/sign-in/send-code") { request, _ in try await send(request) }
    }

    /// Takes a code.
    ///
    /// The flow is taken out of the store first, so that no code is compared twice in one flow at the same time. A wrong code puts
    /// it back, with one more wrong answer.
    private func answer(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let (token, typed) = (try fields.string("flow"), try fields.string("code"))
        let step = try Self.step(fields)
        let session = NewSession(deployment, request, context)
        let now = deployment.effects.now()
        let result = try await deployment.store.write { tx -> Result<SignInProgress, APIError> in
            var taken = try await deployment.takeFlow(token, at: now, in: tx)
            let account = taken.account
            if let refusal = taken.flow.refusal(of: step, taken.terms, at: now) { throw APIError(refusal) }
            let counter = deployment.codeCounter(for: account.id, request)
            // A code that must wait is not compared, and the flow is rolled back to the store.
            try await counter.check(at: now, in: tx)
            let details = deployment.auditDetails(nil, request, context)
            guard try await deployment.accepts(typed, step, of: account, details, at: now, in: tx) else {
                try await counter.add(at: now, in: tx)
                guard case .refuse(let refusal) = taken.flow.answerWrongly(step, taken.terms, at: now) else {
                    return .failure(.codeWrong)
                }
                if refusal == .wrong { try await deployment.keep(taken.flow, under: taken.token, in: tx) }
                return .failure(APIError(refusal))
            }
            try await counter.reset(in: tx)
            let action = taken.flow.answer(step, taken.terms, at: now)
            if case .refuse(let refusal) = action { throw APIError(refusal) }
            return .success(
                try await deployment.proceed(
                    taken.flow,
                    action,
                    to: account,
                    session,
                    after: try await deployment.wrongPasswords(for: account, at: now, in: tx),
                    onNewDevice: deployment.isNewDevice(request, of: account.id, at: now),
                    at: now,
                    in: tx
                )
            )
        }
        return deployment.answer(try result.get(), session, request)
    }

    /// Sends a code to the account's address or telephone number.
    private func send(_ request: Request) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let (token, step) = (try fields.string("flow"), try Self.step(fields))
        let now = deployment.effects.now()
        let language = PageLanguage.wanted(by: request).rawValue
        try await deployment.store.write { tx in
            var taken = try await deployment.takeFlow(token, at: now, in: tx)
            guard case .send = taken.flow.send(step, taken.terms, at: now) else {
                throw APIError(taken.flow.refusal(of: step, taken.terms, at: now) ?? .enoughSent)
            }
            let counter = Counter(.sentCodes, of: taken.account.id.bytes, deployment.tryLimits.sentCodes)
            try await counter.check(at: now, in: tx)
            try await counter.add(at: now, in: tx)
            guard let address = try await deployment.codeAddress(for: step, of: taken.account.id, in: tx) else {
                throw APIError(.notNow)
            }
            if case .phone(let number) = address { try await deployment.countText(to: number, at: now, in: tx) }
            try await deployment.post(.signInCode, taken.account, to: address, in: language, at: now, in: tx)
            try await deployment.keep(taken.flow, under: taken.token, in: tx)
        }
        return Response(status: .noContent)
    }

    private static func step(_ fields: JSONFields) throws(APIError) -> SignInStep {
        guard let step = SignInStep(rawValue: try fields.string("method")), step != .passkey, step != .password else {
            throw APIError(.malformedRequest, "\"method\" is not a kind of code.").at("method")
        }
        return step
    }
}

extension Deployment {
    /// The count of wrong codes: of the browser if it signed in to the account before, otherwise of the account.
    ///
    /// So a stranger with the password who guesses codes cannot keep the owner out of a known browser.
    fileprivate func codeCounter(for account: AccountID, _ request: Request) -> Counter {
        let device = deviceCookie.device(of: request, for: account, at: effects.now())
        return Counter(.wrongCodes, of: device ?? account.bytes, tryLimits.wrongCodes)
    }

    /// Compares a code with those of the account, and uses it up if it is right.
    func accepts(
        _ typed: String,
        _ step: SignInStep,
        of account: Account,
        _ details: AuditDetails,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> Bool {
        switch step {
        case .authenticatorApp:
            let apps = try await OtherFactors(of: account.id, in: tx).apps
            guard let used = apps.lazy.compactMap({ $0.accepting(typed, at: now) }).first else { return false }
            try await tx.setFactor(used)
            return true
        case .mailCode:
            guard let code = TypedCode.digits(typed, count: SentCode.digits) else { return false }
            let hash = try await SentCode.hash(of: code, account.id, effects.randomBytes, in: tx)
            guard let sent = try await tx.mailLink(tokenHash: hash), sent.purpose == .signInCode,
                sent.accountID == account.id, !sent.isExpired(at: now)
            else { return false }
            return try await tx.deleteMailLink(tokenHash: hash)
        case .textCode:
            guard let number = try await textNumber(of: account.id, in: tx) else { return false }
            return try await acceptsText(typed, for: number, of: account.id, at: now, in: tx)
        case .recoveryCode:
            guard let key = RecoveryCodes.key(of: typed, account.id),
                try await tx.deleteFactor(.recoveryCode, key: key, of: account.id)
            else { return false }
            let event = AuditEvent(.recoveryCodeUsed, at: now, of: account.id, details: details)
            try await tx.append(event)
            try await tell(.recoveryCodeUsed, account, at: now, in: tx)
            return true
        case .password, .passkey: return false
        }
    }
}

extension Deployment {
    /// Where the code of a step goes.
    fileprivate func codeAddress(
        for step: SignInStep,
        of account: AccountID,
        in tx: Store.Transaction
    ) async throws -> MessageAddress? {
        switch step {
        case .mailCode: try await tx.email(of: account)?.confirmed.map { .email($0.address) }
        case .textCode: try await textNumber(of: account, in: tx).map { .phone($0) }
        default: nil
        }
    }
}

extension APIError {
    fileprivate static let codeWrong = APIError(.codeWrong, "The code is wrong, was used already, or has expired.")

    /// The error for what a flow refuses.
    init(_ refusal: SignInFlow.Refusal) {
        switch refusal {
        case .over: self = .flowNotValid
        case .notNow:
            self.init(.stepNotAllowed, "This sign-in does not ask for this now. Take one of the methods that it named.")
        case .wrong: self = .codeWrong
        case .barred:
            self.init(
                .policyNotMet,
                "The rules of this service ask for a passkey that this account does not have, and the time to add one is over. "
                    + "Ask the people who run the service for a recovery link."
            )
        case .enoughSent:
            self.init(.tooManyRequests, "Enough codes were sent for this sign-in. Type the last one, or begin again.")
        }
    }
}
