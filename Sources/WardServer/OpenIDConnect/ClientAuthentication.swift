import HTTPTypes
import Hummingbird
import Logging
import WardAccounts
import WardText

/// Who calls the token endpoint: RFC 6749, [section 2.3](https://www.rfc-editor.org/rfc/rfc6749#section-2.3).
struct ClientAuthentication: Sendable {
    private let id: String
    private let secret: String?
    /// What counts wrong secrets of one address; `nil` if the service does not know addresses.
    private let counter: Counter?

    /// Reads the client's ID and secret, from the header field or from the form, not from both.
    ///
    /// - Throws: ``OAuthError``.
    init(_ request: Request, _ fields: FormFields, counter: Counter?) throws(OAuthError) {
        self.counter = counter
        let inForm = fields["client_id"]
        guard let header = request.headers[.authorization] else {
            guard let inForm else { throw Self.refusal }
            (id, secret) = (inForm, fields["client_secret"])
            return
        }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.decode(lenient: String(parts[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":"),
            let id = FormFields.decode(text[..<colon]),
            let secret = FormFields.decode(text[text.index(after: colon)...])
        else { throw Self.refusal }
        guard fields["client_secret"] == nil, inForm == nil || inForm == id else {
            throw .invalidRequest("The client must authenticate in one way only.")
        }
        (self.id, self.secret) = (id, secret)
    }

    /// Checks the client.
    ///
    /// - Returns: The client, or why it is refused: a refusal is counted, so the transaction must be committed.
    /// - Throws: The store's errors.
    func client(at now: Int64, in tx: some AccountTransaction) async throws -> Result<OAuthClient, OAuthError> {
        if let wait = try await counter?.wait(at: now, in: tx) {
            return .failure(OAuthError(APIError(limited: .secrets, wait)))
        }
        let client = try await tx.oauthClient(id: id)
        // One comparison whether or not the client exists, so that time does not tell.
        let found = secret.flatMap { SessionToken(text: $0)?.hash } ?? []
        let isSame = isEqualInConstantTime(found, client?.secretHash ?? Array(repeating: 0, count: 32))
        if let client, client.secretHash == nil ? secret == nil : isSame { return .success(client) }
        try await counter?.add(at: now, in: tx)
        return .failure(Self.refusal)
    }

    private static let refusal = OAuthError(
        "invalid_client",
        "The client is not known, or its secret is wrong or missing.",
        status: .unauthorized
    )
}

extension Deployment {
    /// The client that a request names.
    ///
    /// - Throws: ``OAuthError``; ``APIError`` for a body that is too large.
    func clientCall(_ request: Request, _ context: WardRequestContext) async throws -> (
        ClientAuthentication, FormFields
    ) {
        guard let fields = try await request.formBody() else {
            throw OAuthError.invalidRequest("The body must be a form: application/x-www-form-urlencoded.")
        }
        guard !fields.isMalformed else {
            throw OAuthError.invalidRequest("A parameter is there twice or cannot be read.")
        }
        let address = proxies.knowsClients ? client(of: request, context) : nil
        let counter = address.map { Counter(.secrets, of: $0.bytes, tryLimits.secrets) }
        return (try ClientAuthentication(request, fields, counter: counter), fields)
    }

    /// Answers a client: refusals have the form that clients expect.
    func answering(_ context: WardRequestContext, _ work: () async throws -> Response) async throws -> Response {
        do {
            return try await work()
        } catch let error as OAuthError {
            return error.response
        } catch let error as APIError {
            return OAuthError(error).response
        } catch let error as StoreError {
            if !error.code.isRefusal {
                context.logger.error("store failed", metadata: ["error": .string(error.description)])
            }
            return OAuthError(APIError(error)).response
        }
    }
}
