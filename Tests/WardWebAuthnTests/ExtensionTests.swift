import Testing
import WardCBOR
import WardText
import WardWebAuthn

@Suite struct `Typed extensions` {
    @Test func `inputs are written in the standard's form and read from it`() throws {
        var inputs = AuthenticationExtensionsClientInputs([.init("zeta", [1])])
        inputs.credProps = true
        inputs.appID = "https://example.com/u2f.json"
        inputs.appIDExclude = "https://example.com/u2f.json"
        inputs.credentialProtectionPolicy = .userVerificationRequired
        inputs.enforceCredentialProtectionPolicy = false
        inputs.hmacCreateSecret = true
        inputs.minPinLength = true
        inputs.credBlob = [1, 2]
        inputs.getCredBlob = true
        inputs.uvm = true
        inputs.largeBlob = LargeBlobInputs(support: .preferred)
        let id = try #require(CredentialID([255]))
        inputs.prf = PRFInputs(eval: .init(first: [1], second: [2]), evalByCredential: [id: .init(first: [3])])
        let text = #"""
            {"zeta":[1],"credProps":true,"appid":"https://example.com/u2f.json",
            "appidExclude":"https://example.com/u2f.json","credentialProtectionPolicy":"userVerificationRequired",
            "enforceCredentialProtectionPolicy":false,"hmacCreateSecret":true,"minPinLength":true,"credBlob":"AQI",
            "getCredBlob":true,"uvm":true,"largeBlob":{"support":"preferred"},
            "prf":{"eval":{"first":"AQ","second":"Ag"},"evalByCredential":{"_w":{"first":"Aw"}}}}
            """#
        #expect(try inputs.value == JSONValue(utf8(text)))
        let read = try AuthenticationExtensionsClientInputs(json: utf8(text))
        #expect(read == inputs && read.prf == inputs.prf && read.largeBlob == inputs.largeBlob)
        #expect(read.credBlob == [1, 2] && read.credentialProtectionPolicy == .userVerificationRequired)
        #expect(read.credProps == true && read.appID == read.appIDExclude && read.uvm == true)
        inputs.prf = nil
        inputs.credProps = nil
        #expect(inputs["prf"] == nil && inputs["credProps"] == nil && inputs["zeta"] == [1])
    }

    @Test func `outputs are read from the standard's form`() throws {
        let text = #"""
            {"credProps":{"rk":true,"future":1},"prf":{"enabled":true,"results":{"first":"AQ","second":"Ag"}},
            "largeBlob":{"supported":true,"blob":"AQI","written":false},"appid":false,"appidExclude":true,
            "hmacCreateSecret":true,"uvm":[[2,4,2],[1,1,1]],"future":null}
            """#
        let outputs = try AuthenticationExtensionsClientOutputs(json: utf8(text))
        #expect(outputs.isDiscoverable == true && outputs.appID == false && outputs.appIDExclude == true)
        #expect(outputs.prf == PRFOutputs(enabled: true, results: .init(first: [1], second: [2])))
        #expect(outputs.largeBlob == LargeBlobOutputs(supported: true, blob: [1, 2], written: false))
        #expect(outputs.hmacCreateSecret == true && outputs.uvm == [[2, 4, 2], [1, 1, 1]])
        #expect(try outputs.value == JSONValue(utf8(text)))
    }

    @Test func `outputs of another form are none`() throws {
        let text = #"""
            {"credProps":true,"prf":{"enabled":"yes","results":{"second":"Ag"}},"largeBlob":{"blob":"A=="},"appid":"true",
            "appidExclude":1,"hmacCreateSecret":null,"uvm":[[2,4],[1,1,1]]}
            """#
        let outputs = try AuthenticationExtensionsClientOutputs(json: utf8(text))
        #expect(outputs.isDiscoverable == nil && outputs.appID == nil && outputs.appIDExclude == nil)
        #expect(outputs.prf == PRFOutputs() && outputs.largeBlob == LargeBlobOutputs())
        #expect(outputs.hmacCreateSecret == nil && outputs.uvm == nil)
    }

    @Test func `outputs of authenticators are read from their signed bytes`() throws {
        func outputs(_ pairs: [(CBORValue, CBORValue)]) throws -> AuthenticatorExtensionOutputs {
            try .init(CBORValue.map(pairs.map { CBORPair(key: $0.0, value: $0.1) }).encoded())
        }
        let created = try outputs([
            ("credProtect", 2), ("hmac-secret", true), ("minPinLength", 6), ("credBlob", true),
            ("uvm", [[2, 4, 2], [1, 1, 1]]), ("zeta", "x"),
        ])
        #expect(created.credProtect == .userVerificationOptionalWithCredentialIDList && created.hasHMACSecret == true)
        #expect(created.minPinLength == 6 && created.isCredBlobStored == true && created.credBlob == nil)
        #expect(created.uvm == [[2, 4, 2], [1, 1, 1]] && created["zeta"] == "x" && created["none"] == nil)
        let asserted = try outputs([("credBlob", .bytes([1, 2])), ("hmac-secret", .bytes([3]))])
        #expect(asserted.credBlob == [1, 2] && asserted.isCredBlobStored == nil && asserted.hasHMACSecret == nil)
        let wrong = try outputs([
            ("credProtect", 4), ("minPinLength", -1), ("uvm", [[1, 1], [1, 1, 1]]), ("credBlob", 1),
        ])
        #expect(wrong.credProtect == nil && wrong.minPinLength == nil && wrong.uvm == nil && wrong.credBlob == nil)
        #expect(try outputs([("uvm", [[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]])]).uvm == nil)
        #expect(try outputs([("uvm", [[1, 1, 1, 1]])]).uvm == nil)
        for bytes in [[], [0x80], hex("a2616101616101"), [0xa0, 0x00]] as [[UInt8]] {
            #expect(throws: WebAuthnError(.malformedAuthenticatorData, "")) { try AuthenticatorExtensionOutputs(bytes) }
        }
    }

    @Test func `levels of protection are numbers to authenticators and words to clients`() {
        for level in UInt64(1)...3 {
            #expect(CredentialProtectionPolicy(level: level)?.level == level)
        }
        #expect(CredentialProtectionPolicy(level: 0) == nil && CredentialProtectionPolicy(level: 4) == nil)
        #expect(CredentialProtectionPolicy(rawValue: "future").level == nil)
    }
}
