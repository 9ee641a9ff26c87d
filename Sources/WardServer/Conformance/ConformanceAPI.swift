import HTTPTypes
import Hummingbird
import WardAccounts
import WardRelyingParty
import WardText
import WardWebAuthn

/// The server API for FIDO's conformance tools; it uses the same verification as the rest of the service.
///
/// The tool makes decisions that belong to a service, such as whether to require user verification, and can add a
/// passkey to any account by its name. So the API is off by default, and its ceremonies and the service's own are
/// separate.
///
/// FIDO2 Server: [REST API for conformance tests](https://github.com/fido-alliance/conformance-test-tools-resources).
struct ConformanceAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    /// The cookie that connects a result with its ceremony.
    private static var cookie: String { "ward-conformance" }

    func add(to router: WardRouter) {
        router.post("/attestation/options") { request, _ in
            await Self.answering { try await attestationOptions(request) }
        }
        router.post("/attestation/result") { request, context in
            await Self.answering { try await attestationResult(request, context) }
        }
        router.post("/assertion/options") { request, _ in
            await Self.answering { try await assertionOptions(request) }
        }
        router.post("/assertion/result") { request, context in
            await Self.answering { try await assertionResult(request, context) }
        }
    }

    // MARK: Registration

    private func attestationOptions(_ request: Request) async throws -> Response {
        let fields = try JSONFields(await request.jsonBody())
        let username = try PublicText.username(fields.string("username"))
        let displayName = try PublicText.displayName(fields.string("displayName"))
        var ask = RegistrationRequest()
        ask.context = CeremonyPurpose.conformance.context
        ask.residentKey = .discouraged
        ask.userVerification = .preferred
        if let selection = fields["authenticatorSelection"] {
            let criteria = try AuthenticatorSelectionCriteria(selection)
            // A word that the standard does not know counts as absent (§2.1.1).
            ask.residentKey = criteria.residentKey.flatMap { .init(rawValue: $0.rawValue) } ?? .discouraged
            ask.authenticatorAttachment = criteria.authenticatorAttachment
            ask.userVerification = .init(rawValue: criteria.userVerification.rawValue) ?? .preferred
        }
        if let extensions = fields["extensions"] { ask.extensions = try .init(extensions) }
        let conveyance = try fields.optionalString("attestation") ?? "none"
        let asked = ask
        let start = try await deployment.store.write { tx in
            let account = try await tx.account(username: username)
            let user = account?.userHandle ?? .random(deployment.effects)
            var (options, ceremony) = deployment.relyingParty.registrationOptions(
                for: .init(id: user, name: username.text, displayName: displayName),
                excluding: try await tx.credentials(of: user).map(\.record.descriptor),
                request: asked
            )
            options.attestation = .init(rawValue: conveyance)
            try await deployment.ceremonies.insert(ceremony, in: tx)
            return Started(ceremony: ceremony.id, options: options.value)
        }
        return begun(start)
    }

    private func attestationResult(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let response = try RegistrationResponse(json: await request.jsonBody())
        let (id, now) = (try ceremony(of: request), deployment.effects.now())
        let fresh = AccountID.random(using: deployment.effects.randomBytes)
        try await deployment.finish(.registration, context) { tx in
            _ = try await deployment.relyingParty.finishRegistration(id, response, in: tx) { verified in
                try Self.check(verified.ceremony)
                let known = try await tx.account(userHandle: verified.credential.userHandle)
                var owner = known?.id
                if owner == nil { owner = try await Account(fresh, verified.ceremony, at: now, in: tx).id }
                return try await tx.newPasskey(verified.credential, of: owner ?? fresh, at: now)
            }.get()
        }
        return Self.ok([])
    }

    // MARK: Sign-in

    private func assertionOptions(_ request: Request) async throws -> Response {
        let fields = try JSONFields(await request.jsonBody())
        let username = try PublicText.username(fields.string("username"))
        var ask = AuthenticationRequest()
        ask.context = CeremonyPurpose.conformance.context
        let verification = try fields.optionalString("userVerification")
        ask.userVerification = verification.flatMap { .init(rawValue: $0) } ?? .preferred
        if let extensions = fields["extensions"] { ask.extensions = try .init(extensions) }
        let asked = ask
        let start = try await deployment.store.write { tx in
            guard let account = try await tx.account(username: username) else {
                throw APIError(.notFound, "No account has this name.")
            }
            let (options, ceremony) = deployment.relyingParty.authenticationOptions(
                allowing: try await tx.passkeys(of: account.id).map(\.record.descriptor),
                user: account.userHandle,
                request: asked
            )
            try await deployment.ceremonies.insert(ceremony, in: tx)
            return Started(ceremony: ceremony.id, options: options.value)
        }
        return begun(start)
    }

    private func assertionResult(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let response = try AuthenticationResponse(json: await request.jsonBody())
        let (id, now) = (try ceremony(of: request), deployment.effects.now())
        try await deployment.finish(.authentication, context) { tx in
            _ = try await deployment.relyingParty.finishAuthentication(id, response, in: tx) { passkey, verified in
                try Self.check(verified.ceremony)
                passkey.lastUsedAt = now
            }.get()
        }
        return Self.ok([])
    }

    private static func check(_ ceremony: Ceremony) throws(APIError) {
        guard CeremonyPurpose.conformance.isPurpose(of: ceremony) else {
            throw APIError(.malformedRequest, "This ceremony was started for another purpose. Start again.")
        }
    }

    // MARK: Responses

    private func begun(_ start: Started) -> Response {
        let lifetime = deployment.relyingParty.policy.ceremonyLifetime
        return Self.ok(start.options.objectValue ?? []).setting(
            "\(Self.cookie)=\(start.ceremony); Max-Age=\(lifetime); Path=/; HttpOnly; SameSite=Lax"
        )
    }

    private func ceremony(of request: Request) throws(APIError) -> CeremonyID {
        guard let text = request.cookie(named: Self.cookie), let id = CeremonyID(text) else {
            throw APIError(.malformedRequest, "Request options first. The answer sets a cookie with the ceremony's ID.")
        }
        return id
    }

    private static func ok(_ members: [JSONValue.Member]) -> Response {
        let status: [JSONValue.Member] = [.init("status", "ok"), .init("errorMessage", "")]
        return .json(JSONValue.object(status + members).serialized)
    }

    private static func answering(_ work: () async throws -> Response) async -> Response {
        let error: APIError
        do {
            return try await work()
        } catch let thrown as APIError {
            error = thrown
        } catch let thrown as WebAuthnError {
            error = APIError(thrown)
        } catch let thrown as StoreError {
            error = APIError(thrown)
        } catch {
            return failed("The service failed.", .internalServerError)
        }
        return failed("\(error.code.name): \(error.message)", error.code.status)
    }

    private static func failed(_ message: String, _ status: HTTPResponse.Status) -> Response {
        let body: JSONValue = ["status": "failed", "errorMessage": .string(message)]
        return .json(body.serialized, status: status)
    }
}

private struct Started: Sendable {
    let ceremony: CeremonyID
    let options: JSONValue
}
