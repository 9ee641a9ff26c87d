import Synchronization
import Testing
import WardCTAP
import WardClient
import WardText
import WardWebAuthn

@Suite struct `Signals and capabilities` {
    private final class Heard: Sendable {
        let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }
        var signals: CredentialSignals {
            CredentialSignals(
                hide: { rpID, id in self.words.withLock { $0.append("hide \(rpID) \(id)") } },
                keepOnly: { rpID, user, ids in
                    self.words.withLock { $0.append("keep \(rpID) \(user) \(ids.map(\.description))") }
                },
                rename: { rpID, user in
                    self.words.withLock { $0.append("rename \(rpID) \(user.id) \(user.name) \(user.displayName)") }
                }
            )
        }
    }

    private func client(_ heard: Heard) -> WebAuthnClient<ScriptedAuthenticator> {
        WebAuthnClient(ScriptedAuthenticator(), ClientConfiguration(signals: heard.signals))
    }

    private func signal(
        _ kind: String,
        _ json: String,
        _ client: WebAuthnClient<ScriptedAuthenticator>,
        _ origin: String = ClientFixture.origin
    ) async throws {
        let bytes = Array(json.utf8)
        let caller = try ClientFixture.caller(origin)
        switch kind {
        case "unknown": try await client.signalUnknownCredential(json: bytes, from: caller)
        case "accepted": try await client.signalAllAcceptedCredentials(json: bytes, from: caller)
        default: try await client.signalCurrentUserDetails(json: bytes, from: caller)
        }
    }

    @Test(arguments: [
        ("unknown", "{\"rpId\":\"example.com\",\"credentialId\":\"AQ\"}", "hide example.com AQ"),
        (
            "accepted",
            "{\"rpId\":\"example.com\",\"userId\":\"Ag\",\"allAcceptedCredentialIds\":[\"AQ\",\"Aw\"]}",
            "keep example.com Ag [\"AQ\", \"Aw\"]"
        ),
        (
            "accepted", "{\"rpId\":\"example.com\",\"userId\":\"Ag\",\"allAcceptedCredentialIds\":[]}",
            "keep example.com Ag []"
        ),
        (
            "details", "{\"rpId\":\"example.com\",\"userId\":\"Ag\",\"name\":\"ada\",\"displayName\":\"\"}",
            "rename example.com Ag ada "
        ),
    ])
    func `a signal of the right page is handed on`(kind: String, json: String, expected: String) async throws {
        let heard = Heard()
        try await signal(kind, json, client(heard))
        #expect(heard.all == [expected])
    }

    @Test(arguments: [
        ("unknown", "{\"rpId\":\"example.com\",\"credentialId\":\"AQ\"}"),
        ("accepted", "{\"rpId\":\"example.com\",\"userId\":\"Ag\",\"allAcceptedCredentialIds\":[]}"),
        ("details", "{\"rpId\":\"example.com\",\"userId\":\"Ag\",\"name\":\"a\",\"displayName\":\"\"}"),
    ])
    func `another page's is a SecurityError and reaches nobody`(kind: String, json: String) async throws {
        let heard = Heard()
        for origin in ["https://evil-example.com", "https://example.org"] {
            #expect(await ClientError.thrown { try await signal(kind, json, client(heard), origin) }?.code == .security)
        }
        #expect(heard.all == [])
    }

    @Test(arguments: [
        ("unknown", "{\"rpId\":\"example.com\",\"credentialId\":\"?\"}"), ("unknown", "{\"rpId\":\"example.com\"}"),
        ("unknown", "{\"rpId\":\"example.com\",\"credentialId\":\"\"}"), ("unknown", "no"),
        // A list that is absent is not an empty one: it would hide everything.
        ("accepted", "{\"rpId\":\"example.com\",\"userId\":\"Ag\"}"),
        ("accepted", "{\"rpId\":\"example.com\",\"userId\":\"Ag\",\"allAcceptedCredentialIds\":[\"AQ\",\"?\"]}"),
        ("accepted", "{\"rpId\":\"example.com\",\"userId\":\"=\",\"allAcceptedCredentialIds\":[]}"),
        ("details", "{\"rpId\":\"example.com\",\"userId\":\"Ag\",\"name\":7,\"displayName\":\"\"}"),
    ])
    func `a malformed one is a TypeError and reaches nobody`(kind: String, json: String) async throws {
        let heard = Heard()
        #expect(await ClientError.thrown { try await signal(kind, json, client(heard)) }?.code == .type)
        #expect(heard.all == [])
    }

    @Test func `capabilities are a sorted record of what is there`() async throws {
        let bare = try await WebAuthnClient(ScriptedAuthenticator { $0.info.extensions = [] }).capabilities()
        #expect(bare["conditionalCreate"] == false)
        #expect(bare["relatedOrigins"] == false)
        #expect(bare["extension:prf"] == false)
        #expect(bare["userVerifyingPlatformAuthenticator"] == true)
        #expect(bare["somethingNew"] == nil)
        let full = WebAuthnClient(
            ScriptedAuthenticator(),
            ClientConfiguration(
                relatedOrigins: RelatedOriginsFetch { _ in [] },
                mayUpgrade: { _, _, _ in true },
                offersAutofill: true,
                signals: Heard().signals
            )
        )
        let capabilities = try await full.capabilities()
        let names = try #require(capabilities.value.objectValue).map(\.name)
        #expect(names == names.sorted())
        let expected = [
            "conditionalCreate", "conditionalGet", "passkeyPlatformAuthenticator", "relatedOrigins",
            "signalAllAcceptedCredentials", "signalCurrentUserDetails", "signalUnknownCredential",
            "userVerifyingPlatformAuthenticator", "extension:prf", "extension:largeBlob", "extension:credProps",
        ]
        for name in expected { #expect(capabilities[name] == true, "\(name)") }
        #expect(capabilities["hybridTransport"] == false)
        let locked = try await WebAuthnClient(ScriptedAuthenticator { $0.info.options[.userVerification] = false })
            .capabilities()
        #expect(locked["userVerifyingPlatformAuthenticator"] == false)
        #expect(locked["passkeyPlatformAuthenticator"] == false)
    }
}
