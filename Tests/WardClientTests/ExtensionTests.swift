import Foundation
import Testing
import WardCTAP
import WardClient
import WardTesting
import WardText
import WardWebAuthn

private func inputs(_ json: String) throws -> AuthenticationExtensionsClientInputs {
    try AuthenticationExtensionsClientInputs(try JSONValue(Array(json.utf8)))
}

@Suite struct `Extensions of a registration` {
    private func create(
        _ json: String,
        _ authenticator: ScriptedAuthenticator = .init(),
        residentKey: ResidentKeyRequirement? = nil
    ) async throws -> RegistrationResponse {
        let extensions = try inputs(json)
        return try await WebAuthnClient(authenticator).create(
            ClientFixture.creation {
                $0.extensions = extensions
                $0.authenticatorSelection = .init(residentKey: residentKey, userVerification: .discouraged)
            },
            from: ClientFixture.caller()
        )
    }

    @Test(arguments: [
        // Nothing asked, nothing answered; what is unknown or belongs elsewhere is passed over.
        ("{}", "{}"), ("{\"unheardOf\":{\"a\":[1]}}", "{}"), ("{\"appid\":\"https://example.com\"}", "{}"),
        ("{\"appidExclude\":\"https://example.com\"}", "{}"), ("{\"uvm\":true}", "{}"), ("{\"prf\":null}", "{}"),
        ("{\"credProps\":false}", "{}"), ("{\"minPinLength\":true}", "{}"),
        ("{\"credentialProtectionPolicy\":\"userVerificationRequired\"}", "{}"),
        ("{\"credentialProtectionPolicy\":\"unheardOf\",\"enforceCredentialProtectionPolicy\":true}", "{}"),
        // Asked and answered.
        ("{\"credProps\":true}", "{\"credProps\":{\"rk\":true}}"),
        ("{\"prf\":{}}", "{\"prf\":{\"enabled\":true}}"),
        ("{\"largeBlob\":{}}", "{\"largeBlob\":{\"supported\":true}}"),
        ("{\"largeBlob\":{\"support\":\"preferred\"}}", "{\"largeBlob\":{\"supported\":true}}"),
        ("{\"largeBlob\":{\"support\":\"required\"}}", "{\"largeBlob\":{\"supported\":true}}"),
        ("{\"largeBlob\":{\"support\":\"unheardOf\"}}", "{\"largeBlob\":{\"supported\":true}}"),
        ("{\"hmacCreateSecret\":true}", "{\"hmacCreateSecret\":true}"),
    ])
    func `each is answered as its section says`(json: String, outputs: String) async throws {
        let response = try await create(json, residentKey: .required)
        #expect(response.clientExtensionResults.value.text == outputs)
    }

    @Test(arguments: [
        ("{\"prf\":{}}", "{\"prf\":{\"enabled\":false}}"),
        ("{\"prf\":{\"eval\":{\"first\":\"AQ\"}}}", "{\"prf\":{\"enabled\":false}}"),
        ("{\"largeBlob\":{\"support\":\"preferred\"}}", "{\"largeBlob\":{\"supported\":false}}"),
        ("{\"hmacCreateSecret\":true}", "{\"hmacCreateSecret\":false}"),
        ("{\"credentialProtectionPolicy\":\"userVerificationRequired\"}", "{}"),
        (
            "{\"credentialProtectionPolicy\":\"userVerificationOptional\",\"enforceCredentialProtectionPolicy\":true}",
            "{}"
        ),
    ])
    func `an authenticator without any says so`(json: String, outputs: String) async throws {
        let authenticator = ScriptedAuthenticator { $0.info.extensions = [] }
        #expect(try await create(json, authenticator).clientExtensionResults.value.text == outputs)
        #expect(authenticator.seen.made.first?.extensions.isEmpty == true)
    }

    @Test func `credProps claims what is known`() async throws {
        // Asked for and got.
        #expect(
            try await create("{\"credProps\":true}", residentKey: .required).clientExtensionResults.isDiscoverable
                == true
        )
        // Not asked for, and an authenticator that could have made one all the same.
        let open = try await create("{\"credProps\":true}", residentKey: .discouraged)
        #expect(open.clientExtensionResults["credProps"] == .object([]))
        // Not asked for, and nothing to make it with.
        let without = ScriptedAuthenticator { $0.info.options[.residentKey] = nil }
        let server = try await create("{\"credProps\":true}", without, residentKey: .discouraged)
        #expect(server.clientExtensionResults.isDiscoverable == false)
        // Not asked for, and the authenticator says what it made.
        let honest = ScriptedAuthenticator {
            $0.info.extensions.append(.credProps)
            $0.spoilMake = { $0.unsignedExtensionOutputs.set(isDiscoverable: true) }
        }
        let said = try await create("{\"credProps\":true}", honest, residentKey: .discouraged)
        #expect(said.clientExtensionResults.isDiscoverable == true)
        #expect(try honest.seen.made.first?.extensions.flag(.credProps) == true)
    }

    @Test(arguments: [
        ("{\"prf\":{\"evalByCredential\":{}}}", "NotSupportedError"),
        ("{\"prf\":{\"evalByCredential\":{\"AQ\":{\"first\":\"AQ\"}}}}", "NotSupportedError"),
        ("{\"prf\":{\"eval\":{}}}", "TypeError"), ("{\"prf\":{\"eval\":{\"first\":\"?\"}}}", "EncodingError"),
        ("{\"prf\":{\"eval\":{\"first\":\"AQ\",\"second\":7}}}", "TypeError"), ("{\"prf\":true}", "TypeError"),
        ("{\"largeBlob\":{\"read\":true}}", "NotSupportedError"),
        ("{\"largeBlob\":{\"read\":false}}", "NotSupportedError"),
        ("{\"largeBlob\":{\"write\":\"AQ\"}}", "NotSupportedError"), ("{\"largeBlob\":[]}", "TypeError"),
        ("{\"largeBlob\":{\"write\":\"?\"}}", "EncodingError"), ("{\"credProps\":\"true\"}", "TypeError"),
        ("{\"credentialProtectionPolicy\":3}", "TypeError"), ("{\"enforceCredentialProtectionPolicy\":1}", "TypeError"),
    ])
    func `inputs that contradict the request are refused before anybody is asked`(
        json: String,
        name: String
    ) async throws {
        let authenticator = ScriptedAuthenticator()
        let error = await ClientError.thrown { try await create(json, authenticator) }
        #expect(error?.code.name == name)
        #expect(authenticator.seen.contexts.isEmpty)
    }

    @Test(arguments: [
        "{\"largeBlob\":{\"support\":\"required\"}}",
        "{\"credentialProtectionPolicy\":\"userVerificationRequired\",\"enforceCredentialProtectionPolicy\":true}",
        "{\"credentialProtectionPolicy\":\"userVerificationOptionalWithCredentialIDList\",\"enforceCredentialProtectionPolicy\":true}",
    ])
    func `what is insisted on and not here makes no credential`(json: String) async throws {
        let authenticator = ScriptedAuthenticator { $0.info.extensions = [] }
        let error = await ClientError.thrown { try await create(json, authenticator) }
        #expect(error?.code == .constraint)
        #expect(authenticator.seen.selections == 1)
        #expect(authenticator.seen.made.isEmpty)
    }

    @Test func `inputs reach the authenticator in its own words`() async throws {
        let authenticator = ScriptedAuthenticator()
        let json = """
            {"credentialProtectionPolicy":"userVerificationRequired","minPinLength":true,"hmacCreateSecret":true,
             "prf":{"eval":{"first":"AQ","second":"Ag"}},"largeBlob":{"support":"required"}}
            """
        let response = try await create(json, authenticator)
        let request = try #require(authenticator.seen.made.first)
        #expect(try request.extensions.credProtect() == .userVerificationRequired)
        #expect(try request.extensions.flag(.minPinLength) == true)
        #expect(try request.extensions.flag(.hmacSecret) == true)
        let expected = PRFSalts(hashing: .init(first: [1], second: [2]))
        #expect(try request.extensions.prfInput() == PRFExtensionInput(eval: expected))
        #expect(try request.extensions.largeBlobInput() == LargeBlobInputs(support: .required))
        // The function is the one of verified persons, whatever the options say.
        #expect(request.options.userVerification == true)
        #expect(response.clientExtensionResults.prf?.enabled == true)
        #expect(response.clientExtensionResults.prf?.results?.first.count == 32)
        #expect(response.clientExtensionResults.prf?.results?.second?.count == 32)
    }

    @Test func `prf over hmac-secret alone is enabled without results`() async throws {
        let authenticator = ScriptedAuthenticator { $0.info.extensions = [.hmacSecret] }
        let response = try await create("{\"prf\":{\"eval\":{\"first\":\"AQ\"}}}", authenticator)
        #expect(response.clientExtensionResults.value.text == "{\"prf\":{\"enabled\":true}}")
        #expect(try authenticator.seen.made.first?.extensions.prfInput() == nil)
    }
}

@Suite struct `Extensions of a sign-in` {
    private func get(
        _ json: String,
        _ authenticator: ScriptedAuthenticator,
        allowing: [CredentialID] = [],
        mediation: CredentialMediationRequirement = .optional
    ) async throws -> AuthenticationResponse {
        let extensions = try inputs(json)
        return try await WebAuthnClient(authenticator, ClientConfiguration(offersAutofill: true)).get(
            ClientFixture.request {
                $0.extensions = extensions
                $0.allowCredentials = allowing.map { PublicKeyCredentialDescriptor(id: $0) }
                $0.userVerification = .discouraged
            },
            from: ClientFixture.caller(),
            mediation: mediation
        )
    }

    @Test(arguments: [
        ("{}", "{}"), ("{\"unheardOf\":1}", "{}"), ("{\"appid\":\"https://example.com\"}", "{}"),
        ("{\"credProps\":true}", "{}"), ("{\"prf\":{}}", "{\"prf\":{}}"),
        ("{\"prf\":{\"evalByCredential\":{}}}", "{\"prf\":{}}"), ("{\"largeBlob\":{}}", "{}"),
        ("{\"largeBlob\":{\"read\":false}}", "{}"), ("{\"largeBlob\":{\"read\":true}}", "{\"largeBlob\":{}}"),
    ])
    func `each is answered as its section says`(json: String, outputs: String) async throws {
        let (authenticator, _) = try await ClientFixture.holder()
        #expect(try await get(json, authenticator).clientExtensionResults.value.text == outputs)
        #expect(authenticator.seen.got.first?.options.userVerification == nil)
    }

    @Test func `errors of prf come before anybody is asked`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let asked = authenticator.seen.contexts.count
        let other = ClientFixture.otherID.base64URL
        let mine = held.id.base64URL
        let eval = "{\"first\":\"AQ\"}"
        let cases: [(String, [CredentialID], String)] = [
            // Step 1: without an allow list.
            ("{\"prf\":{\"evalByCredential\":{\"\(mine)\":\(eval)}}}", [], "NotSupportedError"),
            // Step 2: keys that are empty, no base64url, or of nobody allowed.
            ("{\"prf\":{\"evalByCredential\":{\"\":\(eval)}}}", [held.id], "SyntaxError"),
            ("{\"prf\":{\"evalByCredential\":{\"\(mine)=\":\(eval)}}}", [held.id], "SyntaxError"),
            ("{\"prf\":{\"evalByCredential\":{\"\(mine)\":\(eval),\"\(other)\":\(eval)}}}", [held.id], "SyntaxError"),
            ("{\"prf\":{\"evalByCredential\":{\"\(mine)\":{}}}}", [held.id], "TypeError"),
            ("{\"prf\":{\"evalByCredential\":[]}}", [held.id], "TypeError"),
            ("{\"prf\":{\"eval\":{\"first\":\"A\"}}}", [held.id], "EncodingError"),
        ]
        for (json, allowed, name) in cases {
            let error = await ClientError.thrown { try await get(json, authenticator, allowing: allowed) }
            #expect(error?.code.name == name, "\(json)")
        }
        // A conditional request has no allow list (step 3), whatever the page listed.
        let error = await ClientError.thrown {
            try await get(cases[0].0, authenticator, allowing: [held.id], mediation: .conditional)
        }
        #expect(error?.code == .notSupported)
        #expect(authenticator.seen.contexts.count == asked)
    }

    @Test func `inputs by credential go before those for all`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        func results(_ json: String) async throws -> PRFInputs.Values? {
            try await get(json, authenticator, allowing: [held.id, ClientFixture.otherID]).clientExtensionResults.prf?
                .results
        }
        let mine = held.id.base64URL
        let other = ClientFixture.otherID.base64URL
        let one = try await results("{\"prf\":{\"eval\":{\"first\":\"AQ\"}}}")
        let two = try await results("{\"prf\":{\"eval\":{\"first\":\"Ag\"}}}")
        #expect(one != nil)
        #expect(one != two)
        #expect(
            try await results(
                "{\"prf\":{\"eval\":{\"first\":\"AQ\"},\"evalByCredential\":{\"\(mine)\":{\"first\":\"Ag\"}}}}"
            ) == two
        )
        #expect(
            try await results(
                "{\"prf\":{\"eval\":{\"first\":\"AQ\"},\"evalByCredential\":{\"\(other)\":{\"first\":\"Ag\"}}}}"
            ) == one
        )
        #expect(try await results("{\"prf\":{\"evalByCredential\":{\"\(other)\":{\"first\":\"Ag\"}}}}") == nil)
        #expect(authenticator.seen.got.allSatisfy { $0.options.userVerification == true })
        #expect(
            try await get("{\"prf\":{\"eval\":{\"first\":\"AQ\"}}}", authenticator).clientExtensionResults.prf?.enabled
                == nil
        )
    }

    @Test func `large blobs are written and read`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let written = try await get("{\"largeBlob\":{\"write\":\"AQID\"}}", authenticator, allowing: [held.id])
        #expect(written.clientExtensionResults.largeBlob == LargeBlobOutputs(written: true))
        let read = try await get("{\"largeBlob\":{\"read\":true}}", authenticator)
        #expect(read.clientExtensionResults.largeBlob == LargeBlobOutputs(blob: [1, 2, 3]))
        authenticator.change { $0.info.extensions = [] }
        let failed = try await get("{\"largeBlob\":{\"write\":\"AQID\"}}", authenticator, allowing: [held.id])
        #expect(failed.clientExtensionResults.largeBlob == LargeBlobOutputs(written: false))
    }

    @Test(arguments: [
        "{\"largeBlob\":{\"support\":\"preferred\"}}", "{\"largeBlob\":{\"read\":true,\"write\":\"AQ\"}}",
        "{\"largeBlob\":{\"read\":false,\"write\":\"AQ\"}}",
        "{\"largeBlob\":{\"write\":\"AQ\"}}",
    ])
    func `rules of largeBlob are kept`(json: String) async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let lists =
            json.contains("read") || json.contains("support") ? [[held.id]] : [[], [held.id, ClientFixture.otherID]]
        for allowed in lists {
            let error = await ClientError.thrown { try await get(json, authenticator, allowing: allowed) }
            #expect(error?.code == .notSupported)
        }
        #expect(authenticator.seen.got.isEmpty)
    }
}

@Suite(.enabled(if: TestVectors.areAvailable, "the folder of published answers is absent"))
struct `PRF cases of the specification, through the client` {
    @Test(arguments: 0..<3)
    func `inputs of a page become the published results`(index: Int) async throws {
        let bytes = try #require(TestVectors.bytes("webauthn-l3.json"))
        let document = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        let prf = try #require(document["prf"])
        let example = try #require(prf["cases"]?.arrayValue)[index]
        func field(_ value: JSONValue?) -> [UInt8]? { value?.stringValue.flatMap(TestVectors.bytes(hex:)) }
        let secret = try #require(field(prf["hmacSecret"]?["authenticator_cred_random"]))
        let first = try #require(field(example["prf_eval_first"]))
        let second = field(example["prf_eval_second"])

        let (authenticator, held) = try await ClientFixture.holder { $0.credRandom = secret }
        let inputs = PRFInputs(eval: .init(first: first, second: second))
        let response = try await WebAuthnClient(authenticator).get(
            ClientFixture.request {
                $0.extensions.prf = inputs
                $0.allowCredentials = [.init(id: held.id)]
            },
            from: ClientFixture.caller()
        )
        let salts = try #require(try authenticator.seen.got.last?.extensions.prfInput()?.eval)
        #expect(salts.first == field(example["salt1"]))
        #expect(salts.second == field(example["salt2"]))
        let results = try #require(response.clientExtensionResults.prf?.results)
        #expect(results.first == field(example["prf_results_first"]))
        #expect(results.second == field(example["prf_results_second"]))
    }
}
