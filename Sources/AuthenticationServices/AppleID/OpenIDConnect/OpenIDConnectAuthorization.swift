internal import Crypto
internal import Foundation
internal import WardDownload
internal import WardText

/// Signs people in at an OpenID Connect issuer, in their browser.
///
/// It uses the authorization code flow ([Core 1.0, section
/// 3.1](https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth)) for native apps (RFC 8252) with a code
/// challenge ([RFC 7636](https://www.rfc-editor.org/rfc/rfc7636)).
package struct OpenIDConnectAuthorization: AppleIDAuthorizing {
    /// Effects on the outside world; tests replace them.
    package struct Effects: Sendable {
        /// Seconds since 1970.
        package var now: @Sendable () -> Double
        /// Opens an address in the person's browser.
        package var open: @Sendable (String) async throws -> Void
        /// Time limit for one answer of the issuer.
        package var answerTimeout: Duration
        /// Time limit for the person.
        package var personTimeout: Duration
        /// Time limit for the second code, which the issuer gives without the person.
        package var secondCodeTimeout: Duration
        /// The path of the file that records who signed in.
        package var journal: String

        package init(
            now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
            open: @escaping @Sendable (String) async throws -> Void = SystemBrowser.open,
            answerTimeout: Duration = .seconds(15),
            personTimeout: Duration = .seconds(600),
            secondCodeTimeout: Duration = .seconds(10),
            journal: String = SignInJournal.standardPath
        ) {
            self.now = now
            self.open = open
            self.answerTimeout = answerTimeout
            self.personTimeout = personTimeout
            self.secondCodeTimeout = secondCodeTimeout
            self.journal = journal
        }
    }

    private let configuration: OpenIDConnectConfiguration
    private let effects: Effects
    private let http: OpenIDConnectHTTP

    package init(_ configuration: OpenIDConnectConfiguration, effects: Effects = Effects()) {
        self.configuration = configuration
        self.effects = effects
        http = OpenIDConnectHTTP(timeout: effects.answerTimeout)
    }

    // MARK: Signing in

    package func authorize(
        _ request: AppleIDRequestValues
    ) async throws(ASAuthorizationError) -> AppleIDCredentialValues {
        guard request.operation != "logout" else {
            throw ASAuthorizationError(
                .notHandled,
                "signing out at the issuer is not supported: end the app's own session"
            )
        }
        let issuer = configuration.issuer
        let discovery = try OpenIDConnectDiscovery(
            try await http.get(OpenIDConnectDiscovery.address(of: issuer), "its configuration"),
            of: issuer
        )
        let ceremony = OpenIDConnectCeremony(request, configuration: configuration, discovery: discovery)
        let listener = try await LoopbackListener.open(ticket: .unguessable(), state: ceremony.state)
        let result: Result<AppleIDCredentialValues, ASAuthorizationError>
        do throws(ASAuthorizationError) {
            result = .success(try await credential(ceremony, at: listener))
        } catch {
            result = .failure(error)
        }
        // Wait for the end of the listener, so that no socket is open when the app gets the result.
        await listener.close()
        return try result.get()
    }

    private func credential(
        _ ceremony: OpenIDConnectCeremony,
        at listener: LoopbackListener
    ) async throws(ASAuthorizationError) -> AppleIDCredentialValues {
        // Set the address before the browser opens. Otherwise a fast browser would find no page.
        listener.leads(to: ceremony.authorizationURL(redirectURI: listener.redirectURI))
        do {
            return try await withThrowingTaskGroup(of: AppleIDCredentialValues.self) { group in
                group.addTask {
                    // The browser waits for its last page, whatever happens.
                    do {
                        let values = try await answered(ceremony, at: listener)
                        await listener.finish(.done)
                        return values
                    } catch {
                        await listener.finish(.failed)
                        throw error
                    }
                }
                group.addTask { [effects] in
                    try await effects.open(listener.startURL)
                    try await Task.sleep(for: .seconds(86_400))
                    throw CancellationError()
                }
                defer { group.cancelAll() }
                guard let values = try await group.next() else { throw CancellationError() }
                return values
            }
        } catch let error as ASAuthorizationError {
            throw error
        } catch {
            throw .issuerCancelled
        }
    }

    /// Waits for the person, and verifies what the issuer says.
    private func answered(
        _ ceremony: OpenIDConnectCeremony,
        at listener: LoopbackListener
    ) async throws -> AppleIDCredentialValues {
        guard let members = try await listener.answer(within: effects.personTimeout) else {
            throw ASAuthorizationError(.canceled, "the sign-in at the issuer was not finished in time: try again")
        }
        let (request, discovery) = (ceremony.request, ceremony.discovery)
        let tokens = try await tokens(for: ceremony.code(in: members), ceremony, redirectURI: listener.redirectURI)
        let claims = try await OpenIDConnectIdentityToken(
            issuer: configuration.issuer,
            clientID: configuration.clientID,
            nonce: ceremony.nonce,
            now: effects.now()
        ).verified(tokens.id_token, keys: try await http.get(discovery.keysAddress, "its keys"))
        if let user = request.user, user != claims.sub {
            throw ASAuthorizationError.refused("the person signed in to another account than the app requested")
        }
        let userInfo = claims.lacks(request.requestedScopes) ? try await userInfo(tokens, claims.sub, discovery) : nil
        SignInJournal(path: effects.journal).add(claims.sub, at: configuration)
        var values = ceremony.credential(tokens.id_token, claims, userInfo)
        let second = OpenIDConnectCeremony(
            request,
            configuration: configuration,
            discovery: discovery,
            after: tokens.id_token
        )
        if let code = try await secondCode(second, at: listener) {
            values.authorizationCode = Data(code.utf8)
            values.codeExchange = OpenIDConnectCodeExchange(
                codeVerifier: second.verifier,
                redirectURI: listener.redirectURI
            )
        }
        return values
    }

    /// Requests a code that this process does not exchange, without a page for the person.
    ///
    /// - Returns: The code, or `nil` if the issuer gives none in time: the sign-in succeeds without it.
    /// - Throws: `CancellationError` if the app cancels.
    private func secondCode(
        _ ceremony: OpenIDConnectCeremony,
        at listener: LoopbackListener
    ) async throws -> String? {
        await listener.leads(
            on: ceremony.authorizationURL(redirectURI: listener.redirectURI),
            state: ceremony.state
        )
        guard let members = try await listener.answer(within: effects.secondCodeTimeout) else { return nil }
        return try? ceremony.code(in: members)
    }

    /// Asks the issuer what the identity token does not say about the person.
    ///
    /// - Returns: The answer, or `nil` if the issuer gives none that can be read: these values are optional.
    /// - Throws: ``ASAuthorizationError`` with `failed` if the answer is about another person, `canceled` if the app
    ///   cancels.
    private func userInfo(
        _ tokens: Tokens,
        _ subject: String,
        _ discovery: OpenIDConnectDiscovery
    ) async throws(ASAuthorizationError) -> OpenIDConnectUserInfo? {
        guard let address = discovery.userInfoEndpoint, let accessToken = tokens.access_token else { return nil }
        let found: OpenIDConnectUserInfo?
        do throws(ASAuthorizationError) {
            let document = try await http.get(address, accessToken: accessToken, "the person's name")
            found = try? JSONDecoder().decode(OpenIDConnectUserInfo.self, from: Data(document))
        } catch {
            guard error.code != .canceled else { throw error }
            return nil
        }
        // Core 1.0, section 5.3.2.
        if let found, found.sub != subject { throw .refused("its information is about another person") }
        return found
    }

    /// The tokens that are used; others are dropped.
    private struct Tokens: Decodable {
        let id_token: String
        let access_token: String?
    }

    /// Exchanges the code for the identity token.
    private func tokens(
        for code: String,
        _ ceremony: OpenIDConnectCeremony,
        redirectURI: String
    ) async throws(ASAuthorizationError) -> Tokens {
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("client_id", configuration.clientID), ("code_verifier", ceremony.verifier),
        ]
        var authorization: String?
        if let secret = configuration.clientSecret?.text {
            if ceremony.discovery.wantsSecretInForm {
                form.append(("client_secret", secret))
            } else {
                // RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
                let pair = [configuration.clientID, secret].map(OpenIDConnectAddress.escaped).joined(separator: ":")
                authorization = "Basic " + Base64.encode(Array(pair.utf8))
            }
        }
        let answer = try await http.post(
            ceremony.discovery.tokenEndpoint,
            form: form,
            authorization: authorization,
            "the identity token"
        )
        guard answer.status == 200 else {
            throw .refused("the issuer did not exchange the code for tokens (status \(answer.status))")
        }
        guard let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(answer.body)) else {
            throw .refused("the issuer sent no identity token")
        }
        return tokens
    }

    // MARK: Afterwards

    /// Returns `authorized` if the account signed in on this machine at this issuer.
    ///
    /// The issuer is not asked, because the issuer can answer only with the person.
    package func credentialState(
        forUserID userID: String
    ) async throws(ASAuthorizationError) -> ASAuthorizationAppleIDProvider.CredentialState {
        SignInJournal(path: effects.journal).contains(userID, at: configuration) ? .authorized : .notFound
    }
}

extension String {
    /// 256 random bits as letters, digits, `-` and `_`.
    static func unguessable() -> String {
        Base64URL.encode(unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Array($0) })
    }
}
