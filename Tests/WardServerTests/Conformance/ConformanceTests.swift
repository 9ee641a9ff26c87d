import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `The FIDO conformance API` {
    private static let configuration = ServerConfiguration(servesFIDOConformance: true)

    private static func register(_ name: String, with tool: Visitor) async throws -> Answer {
        let options = try await tool.post(
            "/attestation/options",
            [
                "username": .string(name), "displayName": "Johnny", "attestation": "direct",
                "authenticatorSelection": ["requireResidentKey": false, "userVerification": "preferred"],
            ]
        )
        #expect(options["status"] == "ok" && options["errorMessage"] == "")
        #expect(options["attestation"] == "direct")
        let response = try tool.authenticator.create(.init(json: options.body))
        return try await tool.post("/attestation/result", response.value)
    }

    private static func signIn(_ name: String, with tool: Visitor) async throws -> Answer {
        let options = try await tool.post(
            "/assertion/options",
            ["username": .string(name), "userVerification": "required"]
        )
        #expect(options["status"] == "ok")
        let response = try tool.authenticator.get(.init(json: options.body))
        return try await tool.post("/assertion/result", response.value)
    }

    @Test func `registers and signs in`() async throws {
        try await withService(Self.configuration) { world in
            let tool = world.visitor()
            #expect(try await Self.register("johnny", with: tool).text == #"{"status":"ok","errorMessage":""}"#)
            #expect(try await Self.signIn("johnny", with: tool)["status"] == "ok")
            let options = try await tool.post("/attestation/options", ["username": "johnny", "displayName": "J"])
            #expect(options["excludeCredentials"]?.arrayValue?.count == 1)
            #expect(try await !tool.isSignedIn(), "it opens no session")
        }
    }

    @Test func `refuses what the API refuses, in its own words`() async throws {
        try await withService(Self.configuration) { world in
            let tool = world.visitor()
            _ = try await Self.register("johnny", with: tool)
            tool.authenticator.behaviour.isUserVerified = false
            let answer = try await Self.signIn("johnny", with: tool)
            #expect(answer["status"] == "failed")
            #expect(answer["errorMessage"]?.stringValue?.contains("user_not_verified") == true)
            for path in ["/attestation/options", "/attestation/result", "/assertion/options", "/assertion/result"] {
                for body: JSONValue in [[:], [], 1, ["username": 1], ["id": "x"]] {
                    let answer = try await tool.post(path, body)
                    #expect(answer["status"] == "failed" && (400..<500).contains(answer.status.code))
                    #expect(answer["errorMessage"] != "")
                }
            }
        }
    }

    @Test func `bug class 22: its ceremonies open no session, and the service's open nothing here`() async throws {
        try await withService(Self.configuration) { world in
            let tool = world.visitor()
            _ = try await Self.register("johnny", with: tool)
            let options = try await tool.post(
                "/assertion/options",
                ["username": "johnny", "userVerification": "discouraged"]
            )
            let ceremony = try #require(tool.cookie?.split(separator: "=").last.map(String.init))
            tool.authenticator.behaviour.isUserVerified = false
            let response = try tool.authenticator.get(.init(json: options.body))
            #expect(try await tool.finishSignIn(ceremony, response).refusal == "401 sign_in_failed")

            tool.authenticator.behaviour.isUserVerified = true
            let start = try await tool.beginSignIn()
            tool.cookie = "ward-conformance=\(start.ceremony)"
            let other = try await tool.post("/assertion/result", try tool.authenticator.get(start.options).value)
            #expect(other["status"] == "failed")

            let making = try await tool.post("/attestation/options", ["username": "bravo", "displayName": "B"])
            let added = try #require(tool.cookie?.split(separator: "=").last.map(String.init))
            var device = VirtualAuthenticator(origin: world.origins[0])
            let made = try device.create(.init(json: making.body))
            #expect(try await tool.finishRegistration(added, made).refusal == "400 malformed_request")
        }
    }
}
