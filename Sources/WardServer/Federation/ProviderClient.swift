import WardDownload
import WardText
package import WardWebAuthn

/// Talks to one identity provider: its configuration, its keys, and the exchange of a code.
///
/// Sizes and times are limited, no redirect is followed, and documents are kept for a limited time. Many sign-ins at once make one
/// request for a document.
package actor ProviderClient {
    /// How documents are fetched and posted.
    package struct Connection: Sendable {
        package typealias Form = (body: String, authorization: String?)

        /// Fetches an address, or posts a form to it; the status and the body.
        package var answer:
            @Sendable (_ address: String, _ form: Form?) async throws(FederationRefusal) -> (
                status: UInt, body: [UInt8]
            )

        package init(
            answer: @escaping @Sendable (String, Form?) async throws(FederationRefusal) -> (status: UInt, body: [UInt8])
        ) {
            self.answer = answer
        }
    }

    /// The largest document, in bytes.
    package static let maximumSize = 256 * 1_024
    /// The longest time for one request, in seconds.
    package static let timeout: Int64 = 10
    /// How long a document is kept, in seconds.
    package static let cacheLifetime: Int64 = 3_600
    /// How long no document is fetched after a failure, and no key set after a new one, in seconds.
    package static let pause: Int64 = 10
    /// The most codes that are exchanged at the same time.
    package static let mostExchanges = 32

    private struct Kept<Value: Sendable>: Sendable {
        let value: Result<Value, FederationRefusal>
        let at: Int64
    }

    package nonisolated let provider: IdentityProvider
    private let effects: Effects
    private let connection: Connection
    private var metadata: Kept<ProviderMetadata>?
    private var keys: Kept<ProviderKeys>?
    private var fetchingMetadata: Task<Kept<ProviderMetadata>, Never>?
    private var fetchingKeys: Task<Kept<ProviderKeys>, Never>?
    private var exchanges = 0

    package init(_ provider: IdentityProvider, effects: Effects, connection: Connection = .network) {
        self.provider = provider
        self.effects = effects
        self.connection = connection
    }

    // MARK: Documents

    /// The provider's configuration, at most ``cacheLifetime`` old.
    ///
    /// - Throws: ``FederationRefusal``.
    package func currentMetadata() async throws(FederationRefusal) -> ProviderMetadata {
        if let metadata, isFresh(metadata) { return try metadata.value.get() }
        let task =
            fetchingMetadata
            ?? Task { [provider, connection, effects] in
                let value = await Self.result { () async throws(FederationRefusal) in
                    let address = ProviderMetadata.address(of: provider.issuer)
                    return try ProviderMetadata(try await Self.document(at: address, connection), of: provider)
                }
                return Kept(value: value, at: effects.now())
            }
        fetchingMetadata = task
        let fetched = await task.value
        (metadata, fetchingMetadata) = (fetched, nil)
        return try fetched.value.get()
    }

    /// The provider's keys, at most ``cacheLifetime`` old.
    ///
    /// - Parameters:
    ///   - address: The address of the key set.
    ///   - isRenewed: Whether a key is missing in the kept set. Then the set is fetched again, unless it is newer than ``pause``.
    /// - Returns: The keys.
    /// - Throws: ``FederationRefusal``.
    private func currentKeys(at address: String, isRenewed: Bool) async throws(FederationRefusal) -> ProviderKeys {
        if let keys, isFresh(keys), !isRenewed || effects.now() - keys.at < Self.pause { return try keys.value.get() }
        let task =
            fetchingKeys
            ?? Task { [connection, effects] in
                let value = await Self.result { () async throws(FederationRefusal) in
                    try ProviderKeys(try await Self.document(at: address, connection))
                }
                return Kept(value: value, at: effects.now())
            }
        fetchingKeys = task
        let fetched = await task.value
        (keys, fetchingKeys) = (fetched, nil)
        return try fetched.value.get()
    }

    /// Whether a document needs not be fetched again; a failure counts only for a short time.
    private func isFresh<Value>(_ kept: Kept<Value>) -> Bool {
        let age = effects.now() - kept.at
        guard age >= 0 else { return false }
        return switch kept.value {
        case .success: age < Self.cacheLifetime
        case .failure: age < Self.pause
        }
    }

    private static func result<Value>(
        _ body: () async throws(FederationRefusal) -> Value
    ) async -> Result<Value, FederationRefusal> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func document(
        at address: String,
        _ connection: Connection
    ) async throws(FederationRefusal) -> [UInt8] {
        let answer = try await connection.answer(address, nil)
        guard answer.status == 200 else { throw .status }
        return answer.body
    }

    // MARK: The code

    /// Exchanges a code for the person's identity.
    ///
    /// - Parameters:
    ///   - code: The code of the browser's answer.
    ///   - verifier: The code verifier (RFC 7636, section 4.5).
    ///   - nonce: The nonce of the sign-in.
    ///   - redirectURI: The redirect URI that the code was asked for with.
    /// - Returns: Who signed in at the provider.
    /// - Throws: ``FederationRefusal``.
    package func identity(
        code: String,
        verifier: String,
        nonce: String,
        redirectURI: String
    ) async throws(FederationRefusal) -> FederatedIdentity {
        guard exchanges < Self.mostExchanges else { throw .tooSlow }
        exchanges += 1
        defer { exchanges -= 1 }
        let metadata = try await currentMetadata()
        let form = try form(code, verifier, redirectURI, metadata)
        let answer = try await connection.answer(metadata.tokenEndpoint, form)
        guard answer.status == 200 else { throw (400...401).contains(answer.status) ? .codeRefused : .status }
        guard let tokens = try? JSONValue(answer.body), let text = tokens["id_token"]?.stringValue else {
            throw .answerUnreadable
        }
        let token = try ProviderIDToken(text)
        let expected = IDTokenExpectation(
            issuer: provider.issuer,
            clientID: provider.clientID,
            nonce: nonce,
            accessToken: tokens["access_token"]?.stringValue
        )
        let keys = try await currentKeys(at: metadata.keys, isRenewed: false)
        do {
            return try token.verified(with: keys, for: expected, at: effects.now())
        } catch FederationRefusal.keyUnknown {
            // The provider may have begun to sign with a new key.
            let renewed = try await currentKeys(at: metadata.keys, isRenewed: true)
            return try token.verified(with: renewed, for: expected, at: effects.now())
        }
    }

    /// The request for tokens (OpenID Connect Core 1.0, section 3.1.3.1).
    private func form(
        _ code: String,
        _ verifier: String,
        _ redirectURI: String,
        _ metadata: ProviderMetadata
    ) throws(FederationRefusal) -> Connection.Form {
        var members = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", verifier),
        ]
        let secret: String
        switch provider.authentication {
        case .basic(let known), .post(let known), .secret(let known): secret = known.text
        case .signed(let key):
            guard let token = try? key.token(at: effects.now()) else { throw .codeRefused }
            secret = token
        }
        var authorization: String?
        if metadata.wantsSecretInForm {
            members += [("client_id", provider.clientID), ("client_secret", secret)]
        } else {
            // RFC 6749, section 2.3.1: both parts are encoded as in a form first.
            let pair = "\(FormFields.encode(provider.clientID)):\(FormFields.encode(secret))"
            authorization = "Basic " + Base64.encode(Array(pair.utf8))
        }
        return (members.map { "\($0.0)=\(FormFields.encode($0.1))" }.joined(separator: "&"), authorization)
    }
}

extension ProviderClient.Connection {
    /// Over HTTP.
    package static let network = Self { address, form throws(FederationRefusal) in
        var download = BoundedDownload(
            maximumSize: ProviderClient.maximumSize,
            timeout: .seconds(ProviderClient.timeout)
        )
        // Key sets have a type of their own (RFC 7517, section 8.5.2).
        download.isAccepted = { ["application/json", "application/jwk-set+json"].contains($0) }
        do {
            let payload = form.map { BoundedDownload.Payload(body: $0.body, authorization: $0.authorization) }
            let answer = try await download.answer(at: address, sending: payload)
            return (answer.status, answer.body)
        } catch let failure as BoundedDownload.Failure {
            switch failure {
            case .status: throw .status
            case .contentType: throw .contentType
            case .redirect: throw .redirect
            case .tooLarge: throw .tooLarge
            case .tooSlow: throw .tooSlow
            case .unreachable: throw .unreachable
            }
        } catch {
            throw .unreachable
        }
    }
}
