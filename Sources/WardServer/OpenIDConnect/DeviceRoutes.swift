import HTTPTypes
import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// Devices without a browser ask here for a sign-in, and people answer: RFC 8628,
/// [section 3](https://www.rfc-editor.org/rfc/rfc8628#section-3).
///
/// The page itself belongs to ``PageRoutes``; the device polls the ``TokenEndpoint``.
struct DeviceRoutes<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    /// The device authorization endpoint.
    static var path: String { "/oidc/device_authorization" }

    func add(to router: WardRouter) {
        router.post("/oidc/device_authorization") { request, context in
            try await deployment.answering(context) { try await begin(request, context) }
        }
        router.post("/api/v1/device") { try await decide($0, $1) }
    }

    // MARK: The device

    private func begin(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let (call, fields) = try await deployment.clientCall(request, context)
        let now = deployment.effects.now()
        let codes = DeviceCodes(deployment.effects, deployment.tryLimits)
        let address = deployment.proxies.knowsClients ? deployment.client(of: request, context) : nil
        let outcome = try await deployment.store.write { tx -> Result<UserCode, OAuthError> in
            // Nothing below throws a refusal: that would take back what is counted.
            let client: OAuthClient
            switch try await call.client(at: now, in: tx) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let found): client = found
            }
            guard client.allowsDevices else {
                return .failure(OAuthError("unauthorized_client", "The client may not sign in devices with a code."))
            }
            let asked = fields["scope"] == nil ? ["openid"] : fields.words("scope")
            guard asked.contains("openid") else {
                return .failure(OAuthError("invalid_scope", "scope must contain openid."))
            }
            let scopes = AuthorizationRequest.scopes.filter(asked.contains)
            return try await codes.begin(client.id, scopes, from: address?.bytes, at: now, in: tx)
                .mapError { OAuthError($0) }
        }
        let code = try outcome.get()
        let page = deployment.page + DeviceCodes.page
        let body: JSONValue = [
            "device_code": .string(codes.device.text), "user_code": .string(code.text),
            "verification_uri": .string(page),
            "verification_uri_complete": .string("\(page)?user_code=\(code.text)"),
            "expires_in": .integer(DeviceCodes.lifetime), "interval": .integer(DeviceCodes.interval),
        ]
        return .json(body.serialized)
    }

    // MARK: The person

    /// The person allows it, or not.
    private func decide(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.origin(of: request)
        let body = try JSONFields(try await request.jsonBody())
        let typed = try body.string("userCode")
        guard let isAllowed = body["allow"]?.boolValue else {
            throw APIError(.malformedRequest, "\"allow\" must be true or false.")
        }
        guard let presented = deployment.shownCookies(in: request) else { throw APIError.notSignedIn }
        let now = deployment.effects.now()
        let refusal = try await deployment.store.write { tx -> APIError? in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            switch try await deployment.device(typed, account.id, request, context, at: now, in: tx) {
            case .failure(let refusal): return refusal
            case .success((var device, _)):
                device.answer = isAllowed ? .allowed(session.id) : .refused
                try await tx.update(device)
                let details = deployment.auditDetails(session.id, request, context)
                let what: AuditEvent.Kind = isAllowed ? .deviceAllowed : .deviceRefused
                try await tx.append(AuditEvent(what, at: now, of: account.id, details: details))
                return nil
            }
        }
        if let refusal { throw refusal }
        return Response(status: .noContent)
    }
}

extension Deployment {
    /// The device of the code that a person typed, if it waits for an answer.
    ///
    /// A wrong code is counted, so the transaction must be committed: RFC 8628,
    /// [section 5.1](https://www.rfc-editor.org/rfc/rfc8628#section-5.1).
    ///
    /// - Returns: The device and its client, or the error that refused the code.
    /// - Throws: The store's errors.
    fileprivate func device(
        _ typed: String,
        _ account: AccountID,
        _ request: Request,
        _ context: WardRequestContext,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> Result<(DeviceAuthorization, OAuthClient), APIError> {
        var counters = [
            Counter(.userCodes, of: account.bytes, tryLimits.userCodes),
            Counter(.userCodes, of: [], tryLimits.allUserCodes),
        ]
        if proxies.knowsClients, let address = client(of: request, context) {
            counters.append(Counter(.userCodes, of: address.bytes, tryLimits.userCodesOfAddress))
        }
        for counter in counters {
            if let wait = try await counter.wait(at: now, in: tx) {
                return .failure(APIError(limited: .userCodes, wait))
            }
        }
        let notValid = APIError(.userCodeNotValid, "The code is wrong, was used already, or has expired.")
        // A text that cannot be a code guesses nothing.
        guard let code = UserCode(typed: typed) else { return .failure(notValid) }
        guard let device = try await tx.deviceAuthorization(userHash: code.hash) else {
            for counter in counters { try await counter.add(at: now, in: tx) }
            return .failure(notValid)
        }
        guard device.answer == .pending, !device.isExpired(at: now),
            let client = try await tx.oauthClient(id: device.clientID), client.allowsDevices
        else { return .failure(notValid) }
        return .success((device, client))
    }

    /// What the page does where people type the code of a device.
    func continueDevice(_ request: Request, _ context: WardRequestContext) async throws -> PageContinuation {
        let (fields, now) = (FormFields(request), effects.now())
        let query = fields.text(without: "lang")
        let presented = shownCookies(in: request)
        return try await store.write { tx in
            guard let (_, account) = try await tx.opened(by: presented, under: sessionRules, at: now) else {
                let place = page.split(separator: "/").last.map(String.init) ?? page
                return .signIn(PageApp(host: place + DeviceCodes.page, query: query))
            }
            var shown = PageDevice(username: account.username.text, query: query)
            guard let typed = fields["user_code"], !fields.isMalformed else { return .device(shown) }
            switch try await device(typed, account.id, request, context, at: now, in: tx) {
            case .failure(let refusal): shown.refusal = refusal
            case .success((let device, let client)):
                shown.wish = .init(
                    code: UserCode(typed: typed)?.text ?? "",
                    client: client.name,
                    scopes: device.scopes,
                    isForVault: client.id == DeviceCodes.syncClient
                )
            }
            return .device(shown)
        }
    }
}

extension APIError.Code {
    /// No device that waits for an answer has this code.
    package static var userCodeNotValid: Self { .init("user_code_not_valid", .badRequest) }
}
