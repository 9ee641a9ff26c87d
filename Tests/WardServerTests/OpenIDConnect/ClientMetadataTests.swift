import Testing
import WardAccounts
import WardServer
import WardText

/// What an operator can register.
@Suite struct `A client that is registered` {
    static let refused = [
        "", "https://", "https://a.example/#x", "https://a.example/*", "https://user@a.example/", "http://a.example/",
        "http://127.0.0.2/", "//a.example/", "/callback", "javascript:alert(1)", "data:text/html,x", "app:/callback",
        "https://a.example/ b", "https://a.example/\\", "https://a.example/\u{e9}", "COM.example:/x", "https:a.example",
        "https://a.example:443/", "https://" + String(repeating: "a", count: 2_048), "http://127.0.0.1:0/",
    ]

    @Test(arguments: refused) func `has redirect URIs that are safe`(uri: String) {
        #expect(throws: ServerConfigurationError.self) { try RedirectURI.check(uri, isPublic: true) }
    }

    @Test func `may be a native app if it is public`() throws {
        for uri in ["com.example.app:/callback", "http://127.0.0.1/a", "http://[::1]:8080/a", "https://a.example/?b=c"]
        {
            try RedirectURI.check(uri, isPublic: true)
        }
        #expect(throws: ServerConfigurationError.self) {
            try RedirectURI.check("com.example.app:/callback", isPublic: false)
        }
        try RedirectURI.check("http://localhost:3000/callback", isPublic: false)
    }

    @Test(
        arguments: [
            "[]", #"{"client_id":"a"}"#, #"{"client_name":"a","redirect_uris":["https://a.example/"]}"#,
            #"{"client_id":"a","redirect_uris":"https://a.example/"}"#, #"{"client_id":"a","redirect_uris":[1]}"#,
            #"{"client_id":"a b","redirect_uris":["https://a.example/"]}"#,
            #"{"client_id":"a:b","redirect_uris":["https://a.example/"]}"#,
            #"{"client_id":"a","redirect_uris":["https://a.example/"],"first_party":1}"#,
            #"{"client_id":"a","redirect_uris":["https://a.example/"],"secret":"x"}"#,
            #"{"client_id":"a","redirect_uris":["https://a.example/"],"grant_types":["password"]}"#,
            #"{"client_id":"a","redirect_uris":["https://a.example/"],"grant_types":"refresh_token"}"#,
            #"{"client_id":"a","redirect_uris":["https://a.example/"],"id_token_signed_response_alg":"none"}"#,
            #"{"client_id":"a","redirect_uris":["https://a.example/"],"id_token_signed_response_alg":1}"#,
            #"{"client_id":"a","redirect_uris":["https://a.example/"],"client_name":"a\u0000"}"#,
            #"{"client_id":"a","redirect_uris":["https://a.example/"],"token_endpoint_auth_method":"private_key_jwt"}"#,
        ]
    )
    func `is refused if its file is wrong`(text: String) throws {
        let json = try JSONValue(Array(text.utf8))
        #expect(throws: ServerConfigurationError.self) { try ClientMetadata(json) }
    }

    @Test func `comes back from its own file`() throws {
        let metadata = try ClientMetadata(
            id: "a",
            name: "An app",
            isConfidential: false,
            redirectURIs: ["http://127.0.0.1/a"],
            postLogoutRedirectURIs: ["https://a.example/"],
            isFirstParty: true,
            allowsDevices: true,
            idTokenAlgorithm: .rs256
        )
        let client = metadata.record(secret: nil, at: 5, id: "b")
        let again = try ClientMetadata(ClientMetadata.json(client)).record(secret: nil, at: 5, id: "b")
        #expect(again == client && client.id == "a" && client.secretHash == nil)
    }
}
