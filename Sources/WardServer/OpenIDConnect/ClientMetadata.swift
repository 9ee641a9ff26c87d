package import WardAccounts
package import WardText

/// A client as an operator describes it, in the words of RFC 7591,
/// [section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2).
package struct ClientMetadata: Sendable {
    /// The `client_id`; `nil` if the service draws one.
    package var id: String?
    /// `client_name`.
    package var name: String
    /// Whether the client keeps a secret: `token_endpoint_auth_method` is not `none`.
    package var isConfidential: Bool
    /// `redirect_uris`.
    package var redirectURIs: [String]
    /// `post_logout_redirect_uris`.
    package var postLogoutRedirectURIs: [String]
    /// `first_party`, which is Ward's own: nobody is asked to agree.
    package var isFirstParty: Bool
    /// Whether `grant_types` has the one of devices.
    package var allowsDevices: Bool
    /// `id_token_signed_response_alg`; Ward's default is ES256.
    package var idTokenAlgorithm: IDTokenAlgorithm

    /// The largest number of URIs of one kind.
    package static let mostURIs = 32

    package init(
        id: String? = nil,
        name: String,
        isConfidential: Bool,
        redirectURIs: [String],
        postLogoutRedirectURIs: [String] = [],
        isFirstParty: Bool = false,
        allowsDevices: Bool = false,
        idTokenAlgorithm: IDTokenAlgorithm = .es256
    ) throws(ServerConfigurationError) {
        self.id = id
        self.name = name
        self.isConfidential = isConfidential
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.isFirstParty = isFirstParty
        self.allowsDevices = allowsDevices
        self.idTokenAlgorithm = idTokenAlgorithm
        try check()
    }

    /// Reads one client of a file, or of a call.
    ///
    /// - Parameters:
    ///   - json: The client.
    ///   - needsID: Whether the client must have an ID.
    /// - Throws: ``ServerConfigurationError`` that says what is wrong.
    package init(_ json: JSONValue, needsID: Bool = true) throws(ServerConfigurationError) {
        guard let members = json.objectValue else { throw ServerConfigurationError("each client must be an object") }
        if let unknown = members.first(where: { !Self.names.contains($0.name) }) {
            throw ServerConfigurationError(
                "a client has no member \"\(unknown.name)\"; there are \(Self.names.joined(separator: ", "))"
            )
        }
        let given = json["client_id"]?.stringValue
        guard given != nil || (!needsID && json["client_id"] == nil) else {
            throw ServerConfigurationError(
                "each client needs \"client_id\": with it, a second import changes the client"
            )
        }
        let id = given ?? "the client"
        let method = json["token_endpoint_auth_method"].map { $0.stringValue ?? "" } ?? "client_secret_basic"
        guard let name = json["client_name"].map({ $0.stringValue }) ?? given else {
            throw ServerConfigurationError("\"client_name\" of \(id) must be a text")
        }
        guard ["none", "client_secret_basic", "client_secret_post"].contains(method) else {
            throw ServerConfigurationError(
                "the \"token_endpoint_auth_method\" of \(id) must be none, client_secret_basic or client_secret_post"
            )
        }
        let grants = try Self.list("grant_types", json, id)
        if let unknown = grants.first(where: { !Self.grantTypes.contains($0) }) {
            throw ServerConfigurationError(
                "the \"grant_types\" of \(id) can be \(Self.grantTypes.joined(separator: ", ")), not \(unknown)"
            )
        }
        let algorithm = json["id_token_signed_response_alg"]
        guard let known = algorithm.map({ IDTokenAlgorithm(rawValue: $0.stringValue ?? "") }) ?? .es256 else {
            let all = IDTokenAlgorithm.allCases.map(\.rawValue).joined(separator: " or ")
            throw ServerConfigurationError("the \"id_token_signed_response_alg\" of \(id) must be \(all)")
        }
        try self.init(
            id: given,
            name: name,
            isConfidential: method != "none",
            redirectURIs: try Self.list("redirect_uris", json, id),
            postLogoutRedirectURIs: try Self.list("post_logout_redirect_uris", json, id),
            isFirstParty: try Self.flag("first_party", json, id),
            allowsDevices: grants.contains(Self.deviceGrant),
            idTokenAlgorithm: known
        )
    }

    /// The client as a file has it.
    package static func json(_ client: OAuthClient) -> JSONValue {
        [
            "client_id": .string(client.id), "client_name": .string(client.name),
            "token_endpoint_auth_method": client.secretHash == nil ? "none" : "client_secret_basic",
            "redirect_uris": .array(client.redirectURIs.map { .string($0) }),
            "post_logout_redirect_uris": .array(client.postLogoutRedirectURIs.map { .string($0) }),
            "first_party": .bool(client.isFirstParty),
            "grant_types": .array(
                grantTypes.filter { type in
                    switch type {
                    case deviceGrant: client.allowsDevices
                    case "authorization_code": !client.redirectURIs.isEmpty
                    default: true
                    }
                }.map { .string($0) }
            ),
            "id_token_signed_response_alg": .string(client.idTokenAlgorithm.rawValue),
        ]
    }

    /// The `grant_type` of devices: RFC 8628, [section 3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4).
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    private static let grantTypes = ["authorization_code", "refresh_token", deviceGrant]

    private static let names = [
        "client_id", "client_name", "token_endpoint_auth_method", "redirect_uris", "post_logout_redirect_uris",
        "first_party", "grant_types", "id_token_signed_response_alg",
    ]

    private static func list(
        _ name: String,
        _ json: JSONValue,
        _ id: String
    ) throws(ServerConfigurationError) -> [String] {
        guard let value = json[name] else { return [] }
        let texts = value.arrayValue?.compactMap(\.stringValue)
        guard let texts, texts.count == value.arrayValue?.count else {
            throw ServerConfigurationError("\"\(name)\" of \(id) must be a list of texts")
        }
        return texts
    }

    private static func flag(
        _ name: String,
        _ json: JSONValue,
        _ id: String
    ) throws(ServerConfigurationError) -> Bool {
        guard let value = json[name] else { return false }
        guard let flag = value.boolValue else {
            throw ServerConfigurationError("\"\(name)\" of \(id) must be true or false")
        }
        return flag
    }

    private func check() throws(ServerConfigurationError) {
        if let id {
            // RFC 6749, appendix A.1, without the characters that a person cannot copy.
            guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x3a })
            else {
                throw ServerConfigurationError(
                    "a client ID must be 1 to 64 printable ASCII characters without spaces and \":\", not \"\(id)\""
                )
            }
        }
        guard (1...64).contains(name.count), !name.unicodeScalars.contains(where: Self.isHidden) else {
            throw ServerConfigurationError("a client's name must be 1 to 64 characters of plain text")
        }
        guard !redirectURIs.isEmpty || allowsDevices else {
            throw ServerConfigurationError("a client needs a redirect URI, unless it only signs in devices with a code")
        }
        guard max(redirectURIs.count, postLogoutRedirectURIs.count) <= Self.mostURIs else {
            throw ServerConfigurationError("a client has at most \(Self.mostURIs) URIs of one kind")
        }
        for uri in redirectURIs + postLogoutRedirectURIs { try RedirectURI.check(uri, isPublic: !isConfidential) }
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
}

extension ClientMetadata {
    /// The client's record.
    ///
    /// - Parameters:
    ///   - secret: The secret of a confidential client; `nil` keeps the one of `old`.
    ///   - old: The client until now.
    ///   - now: Seconds since 1970.
    ///   - id: The ID if the metadata have none.
    /// - Returns: The record.
    package func record(secret: SessionToken?, replacing old: OAuthClient? = nil, at now: Int64, id: String)
        -> OAuthClient
    {
        OAuthClient(
            id: self.id ?? id,
            name: name,
            secretHash: isConfidential ? secret?.hash ?? old?.secretHash : nil,
            redirectURIs: redirectURIs,
            postLogoutRedirectURIs: postLogoutRedirectURIs,
            isFirstParty: isFirstParty,
            allowsDevices: allowsDevices,
            idTokenAlgorithm: idTokenAlgorithm,
            createdAt: old?.createdAt ?? now
        )
    }
}
