import Hummingbird
import Logging
import WardAccounts
import WardRelyingParty
import WardText
import WardWebAuthn

/// The API for sign-in with passkeys: by autofill or a button without a name, or with a typed name.
struct SignInAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.post("/api/v1/sign-in/options") { request, _ in try await options(request) }
        router.post("/api/v1/sign-in/verify") { request, context in try await verify(request, context) }
    }

    /// Starts a sign-in.
    ///
    /// An unknown name gets the same kind of answer as a known one.
    private func options(_ request: Request) async throws -> Response {
        var ask = AuthenticationRequest()
        ask.boundOrigin = try deployment.origins.caller(of: request)
        let fields = try JSONFields(await request.jsonBody())
        let typed = try fields.optionalString("username")
        // A caller can require more verification than the service, never less.
        if try fields.optionalString("userVerification") == "required" { ask.userVerification = .required }
        guard let typed else {
            // The page keeps the ceremony: a stranger's request writes nothing.
            ask.context = CeremonyPurpose.signIn.context
            let (options, ceremony) = deployment.relyingParty.authenticationOptions(request: ask)
            return .started(deployment.seal.seal(ceremony), options.value)
        }
        let common = ask
        let start = try await deployment.store.write { tx in
            var ask = common
            let (user, allowed, context) = try await deployment.asked(for: typed, in: tx)
            ask.context = context
            // A list of real credentials is looked up again. Decoys are in no table.
            ask.keepsAllowedCredentials = context == CeremonyPurpose.decoy.context
            let (options, ceremony) = deployment.relyingParty.authenticationOptions(
                allowing: allowed,
                user: user,
                request: ask
            )
            try await deployment.ceremonies.insert(ceremony, in: tx)
            return AuthenticationStarted(ceremony: ceremony.id, options: options)
        }
        return .started(start.ceremony.description, start.options.value)
    }

    /// Finishes a sign-in in one transaction: takes the ceremony, finds the account, verifies, updates the passkey, and starts
    /// the session.
    private func verify(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let envelope = try CeremonyAnswer(authentication: await request.jsonBody(), deployment.seal)
        let session = NewSession(deployment, request, context)
        let now = deployment.effects.now()
        let begun = envelope.ceremony
        let signedIn: SignedIn = try await deployment.finish(.authentication, context, isStored: begun.isStored) { tx in
            var owner: Account?
            var successor: Passkey?
            let result = try await deployment.relyingParty.finishAuthentication(
                try await begun.take(in: tx),
                envelope.response,
                in: tx,
                decoys: deployment.decoys
            ) { passkey, verified in
                try await begun.answered(in: tx)
                // A ceremony for another purpose may have required less, for example no user verification.
                guard CeremonyPurpose.signIn.isPurpose(of: verified.ceremony) else {
                    throw CeremonyRefusal("the ceremony was started for another purpose")
                }
                owner = try await tx.account(id: passkey.accountID)
                try owner?.checkEnabled()
                passkey.lastUsedAt = now
                // A passkey that verified nobody settles nothing.
                if verified.userVerified, passkey.succeeds != nil {
                    successor = passkey
                    passkey.succeeds = nil
                }
            }
            if case .failure(let error) = result {
                try await begun.refused(at: now, deployment.ceremonies, in: tx)
                try await deployment.explain(error, of: envelope.response.id, in: tx)
            }
            let (verified, passkey) = try result.get()
            guard let account = owner else {
                throw StoreError(.damaged, detail: "a passkey belongs to an account that does not exist")
            }
            let (id, userVerified) = (passkey.record.id, verified.userVerified)
            let wrong = try await deployment.wrongPasswords(for: account, at: now, in: tx)
            let isNew = deployment.isNewDevice(request, of: account.id, at: now)
            // A passkey that verified nobody is one factor, and more may be asked for. The service's rules may not count a passkey.
            let requirements = deployment.policy.requirements(in: account.groups, at: now)
            if !userVerified || requirements.passkeys != nil {
                let progress = try await deployment.begin(
                    userVerified ? .verifiedPasskey(id) : .passkey(id),
                    of: account,
                    session,
                    after: wrong,
                    onNewDevice: isNew,
                    at: now,
                    in: tx
                )
                guard case .opened = progress else { return .goesOn(progress, verified.signals) }
            } else {
                try await session.begin(
                    for: account.id,
                    with: id,
                    userVerified: userVerified,
                    after: wrong,
                    onNewDevice: isNew,
                    in: tx
                )
                if isNew { try await deployment.tell(.newDevice, account, at: now, in: tx) }
            }
            // After the new session began: the browser's old one ends with its passkey, and its grants are moved by then.
            if let successor {
                let details = deployment.auditDetails(session.id, request, context)
                try await deployment.retirePredecessor(of: successor, of: account, details, at: now, in: tx)
            }
            let accepted = try await tx.passkeys(of: account.id)
            let better = Succession.better(than: passkey.record.algorithm, in: deployment.algorithms)
            return .opened(
                account,
                accepted.first { $0.record.id == id } ?? passkey,
                userVerified: userVerified,
                // A passkey without a prompt proves no model.
                canUpgrade: userVerified && !better.isEmpty && !requirements.asksForAttestation,
                accepted,
                verified.signals
            )
        }
        for signal in signedIn.signals {
            context.logger.warning("sign-in with a risk signal", metadata: ["signal": .string(signal.name)])
        }
        switch signedIn {
        case .goesOn(let progress, _): return deployment.answer(progress, session, request)
        case .opened(let account, let passkey, let userVerified, let canUpgrade, let accepted, _):
            let body: JSONValue = [
                "account": JSONValue(account), "passkey": JSONValue(passkey), "userVerified": .bool(userVerified),
                "allAcceptedCredentialIds": JSONValue(accepted: accepted), "canUpgrade": .bool(canUpgrade),
            ]
            return deployment.signedIn(body, to: account.id, session, request)
        }
    }
}

private struct AuthenticationStarted: Sendable {
    let ceremony: CeremonyID
    let options: PublicKeyCredentialRequestOptions
}

/// What a right passkey led to.
private enum SignedIn: Sendable {
    /// With all passkeys of the account.
    case opened(Account, Passkey, userVerified: Bool, canUpgrade: Bool, [Passkey], [RiskSignal])
    case goesOn(SignInProgress, [RiskSignal])

    var signals: [RiskSignal] {
        switch self {
        case .opened(_, _, _, _, _, let signals), .goesOn(_, let signals): signals
        }
    }
}

extension Deployment {
    /// Refuses a passkey that was deleted in words of its own, because the page may then tell the credential manager.
    ///
    /// A passkey that is only unknown may be newer than a backup that was restored. It is refused like any other.
    ///
    /// A stranger who knows a credential ID learns that its passkey was deleted, and nothing else: the service lists the IDs of an
    /// account's passkeys for everybody who types its name, so a deletion shows there too.
    ///
    /// - Throws: ``APIError`` with `passkey_deleted`, or the store's errors.
    fileprivate func explain(
        _ error: VerificationError,
        of id: CredentialID,
        in tx: some AccountTransaction
    ) async throws {
        // Each refusal asks, so that the time does not tell whether an account has the passkey.
        let wasDeleted = try await tx.wasDeleted(credentialID: id)
        guard wasDeleted, error.code == .credentialNotFound, try await !tx.isRegistered(id) else { return }
        throw APIError(.passkeyDeleted, "This passkey was deleted from its account.")
    }

    /// The account and the credentials for a typed name.
    ///
    /// Known, unknown and invalid names do the same work: decoys are computed and the account and its passkeys are
    /// looked up in each case, so timing does not tell.
    fileprivate func asked(
        for typed: String,
        in tx: some AccountTransaction
    ) async throws -> (UserHandle, [PublicKeyCredentialDescriptor], [UInt8]) {
        let username = try? Username(typed)
        let name = username?.mapped ?? typed
        let (decoys, nobody) = (decoys.credentials(for: name), decoys.userHandle(for: name))
        let account =
            if let username { try await tx.account(username: username) } else {
                try await tx.account(userHandle: nobody)
            }
        let passkeys = try await tx.passkeys(of: account?.id ?? .random(using: effects.randomBytes))
        guard let account, !passkeys.isEmpty else { return (nobody, decoys, CeremonyPurpose.decoy.context) }
        return (account.userHandle, passkeys.map(\.record.descriptor), CeremonyPurpose.signIn.context)
    }
}
