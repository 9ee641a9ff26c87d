import Foundation
import Testing
import WardCOSE
import WardText
import WardWebAuthn

@Suite struct `Creation options` {
    static let full = #"""
        {"rp":{"id":"example.com","name":"Example"},
        "user":{"id":"AQID","name":"ann@example.com","displayName":"Ann é"},
        "challenge":"AAECAwQFBgcICQoLDA0ODw",
        "pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257},{"type":"future","alg":-70000}],
        "timeout":300000,
        "excludeCredentials":[{"type":"public-key","id":"_w","transports":["internal","telepathy"]},
        {"type":"public-key","id":"AA"}],
        "authenticatorSelection":{"authenticatorAttachment":"platform","residentKey":"required",
        "requireResidentKey":true,"userVerification":"preferred"},
        "hints":["security-key","telepathy"],"attestation":"direct","attestationFormats":["packed","future"],
        "extensions":{"zeta":{"b":[1,null],"a":true},"credProps":true,"alpha":"x"}}
        """#

    @Test func `every member is read, what is unknown included`() throws {
        let options = try PublicKeyCredentialCreationOptions(json: utf8(Self.full))
        #expect(options.rp == .init(id: "example.com", name: "Example"))
        #expect(options.user.id.bytes == [1, 2, 3] && options.user.displayName == "Ann é")
        #expect(options.challenge.bytes == [UInt8](0..<16))
        #expect(options.pubKeyCredParams.map(\.alg.rawValue) == [-7, -257, -70000])
        #expect(options.pubKeyCredParams.last?.type == "future")
        #expect(options.timeout == 300_000)
        #expect(options.excludeCredentials.map(\.id.bytes) == [[255], [0]])
        #expect(options.excludeCredentials.first?.transports == [.internal, "telepathy"])
        #expect(options.authenticatorSelection?.authenticatorAttachment == .platform)
        #expect(options.authenticatorSelection?.residentKey == .required)
        #expect(options.authenticatorSelection?.userVerification == .preferred)
        #expect(options.hints == [.securityKey, "telepathy"])
        #expect(options.attestation == .direct && options.attestationFormats == ["packed", "future"])
        #expect(options.extensions.members.map(\.name) == ["zeta", "credProps", "alpha"])
    }

    @Test func `what was read is written as it came, unknown extensions in their order`() throws {
        let options = try PublicKeyCredentialCreationOptions(json: utf8(Self.full))
        #expect(try JSONValue(options.json) == JSONValue(utf8(Self.full)))
        #expect(try PublicKeyCredentialCreationOptions(json: options.json) == options)
    }

    @Test func `Foundation's coders carry them`() throws {
        var options = try PublicKeyCredentialCreationOptions(json: utf8(Self.full))
        // Coders promise no order.
        options.extensions.members.sort { $0.name < $1.name }
        options.extensions["zeta"] = ["a": true, "b": [1, nil]]
        let data = try JSONEncoder().encode(options)
        #expect(try JSONDecoder().decode(PublicKeyCredentialCreationOptions.self, from: data) == options)
        #expect(try PublicKeyCredentialCreationOptions(json: [UInt8](data)).user == options.user)
    }

    @Test func `what may be absent has the standard's defaults`() throws {
        let text = #"""
            {"rp":{"name":"E"},"user":{"id":"AA","name":"","displayName":""},"challenge":"AAECAwQFBgcICQoLDA0ODw",
            "pubKeyCredParams":[],"timeout":null,"unknown":{}}
            """#
        let options = try PublicKeyCredentialCreationOptions(json: utf8(text))
        #expect(options.rp.id == nil && options.timeout == nil && options.excludeCredentials.isEmpty)
        #expect(options.authenticatorSelection == nil && options.hints.isEmpty && options.attestation == .none)
        #expect(options.attestationFormats.isEmpty && options.extensions.members.isEmpty)
    }

    @Test func `Level 1's requireResidentKey counts where residentKey is absent`() throws {
        #expect(try AuthenticatorSelectionCriteria(["requireResidentKey": true]).residentKey == .required)
        #expect(try AuthenticatorSelectionCriteria(["requireResidentKey": false]).residentKey == nil)
        let both: JSONValue = ["requireResidentKey": true, "residentKey": "discouraged"]
        #expect(try AuthenticatorSelectionCriteria(both).residentKey == .discouraged)
        #expect(try AuthenticatorSelectionCriteria([:]).userVerification == .preferred)
        #expect(AuthenticatorSelectionCriteria().value["requireResidentKey"] == true)
        #expect(AuthenticatorSelectionCriteria(residentKey: .preferred).value["requireResidentKey"] == false)
        #expect(AuthenticatorSelectionCriteria(residentKey: nil).value["requireResidentKey"] == nil)
    }

    static let refused: [Case<(String, JSONValue?), WebAuthnError.Code>] = [
        Case("no rp", ("rp", nil), .missingMember),
        Case("rp null", ("rp", .null), .missingMember),
        Case("rp a text", ("rp", "example.com"), .wrongType),
        Case("rp without a name", ("rp", ["id": "example.com"]), .missingMember),
        Case("rp's id a number", ("rp", ["id": 1, "name": ""]), .wrongType),
        Case("no user", ("user", nil), .missingMember),
        Case("user without an id", ("user", ["name": "", "displayName": ""]), .missingMember),
        Case("user's id empty", ("user", ["id": "", "name": "", "displayName": ""]), .valueOutOfRange),
        Case("user's id padded", ("user", ["id": "AA==", "name": "", "displayName": ""]), .notBase64URL),
        Case("user's id bytes", ("user", ["id": [1, 2], "name": "", "displayName": ""]), .wrongType),
        Case("user without a display name", ("user", ["id": "AA", "name": ""]), .missingMember),
        Case("no challenge", ("challenge", nil), .missingMember),
        Case("a short challenge", ("challenge", "AAAA"), .valueOutOfRange),
        Case("a challenge in plain base64", ("challenge", "++++++++++++++++++++++"), .notBase64URL),
        Case("a challenge in bytes", ("challenge", [0, 1]), .wrongType),
        Case("no pubKeyCredParams", ("pubKeyCredParams", nil), .missingMember),
        Case("pubKeyCredParams an object", ("pubKeyCredParams", [:]), .wrongType),
        Case("pubKeyCredParams of numbers", ("pubKeyCredParams", [-7]), .wrongType),
        Case("an alg of text", ("pubKeyCredParams", [["type": "public-key", "alg": "-7"]]), .wrongType),
        Case("no alg", ("pubKeyCredParams", [["type": "public-key"]]), .missingMember),
        Case("no type", ("pubKeyCredParams", [["alg": -7]]), .missingMember),
        Case("an alg that is not whole", ("pubKeyCredParams", [["type": "", "alg": .number(1.5)]]), .wrongType),
        Case("a timeout of text", ("timeout", "1"), .wrongType),
        Case("an empty credential id", ("excludeCredentials", [["type": "public-key", "id": ""]]), .valueOutOfRange),
        Case("excludeCredentials of texts", ("excludeCredentials", ["AA"]), .wrongType),
        Case(
            "transports a text",
            ("excludeCredentials", [["type": "x", "id": "AA", "transports": "usb"]]),
            .wrongType
        ),
        Case("authenticatorSelection an array", ("authenticatorSelection", []), .wrongType),
        Case("residentKey true", ("authenticatorSelection", ["residentKey": true]), .wrongType),
        Case("requireResidentKey a text", ("authenticatorSelection", ["requireResidentKey": "true"]), .wrongType),
        Case("hints a text", ("hints", "hybrid"), .wrongType),
        Case("attestation a number", ("attestation", 1), .wrongType),
        Case("attestationFormats of numbers", ("attestationFormats", [1]), .wrongType),
        Case("extensions an array", ("extensions", []), .wrongType),
    ]

    @Test(arguments: refused)
    func `a member that is absent or wrong is refused`(change: Case<(String, JSONValue?), WebAuthnError.Code>) throws {
        guard case .object(var members) = try JSONValue(utf8(Self.full)) else { return }
        members.removeAll { $0.name == change.input.0 }
        if let value = change.input.1 { members.append(.init(change.input.0, value)) }
        #expect(throws: WebAuthnError(change.expected, "")) {
            try PublicKeyCredentialCreationOptions(JSONValue.object(members))
        }
    }

    @Test func `what is not an object is refused`() {
        #expect(throws: WebAuthnError(.malformedJSON, "")) { try PublicKeyCredentialCreationOptions(json: utf8("{")) }
        #expect(throws: WebAuthnError(.wrongType, "")) { try PublicKeyCredentialCreationOptions(json: utf8("[]")) }
    }
}

@Suite struct `Request options` {
    static let full = #"""
        {"challenge":"AAECAwQFBgcICQoLDA0ODw","timeout":60000,"rpId":"example.com",
        "allowCredentials":[{"type":"public-key","id":"_w","transports":["usb"]}],"userVerification":"whatever",
        "hints":["hybrid"],"extensions":{"zeta":1,"appid":"https://example.com/u2f.json","alpha":[{"x":null}]}}
        """#

    @Test func `what is read is written as it came`() throws {
        let options = try PublicKeyCredentialRequestOptions(json: utf8(Self.full))
        #expect(options.rpID == "example.com" && options.timeout == 60_000)
        #expect(options.userVerification == "whatever" && options.hints == [.hybrid])
        #expect(options.extensions["appid"] == "https://example.com/u2f.json")
        #expect(try JSONValue(options.json) == JSONValue(utf8(Self.full)))
        #expect(try PublicKeyCredentialRequestOptions(json: options.json) == options)
    }

    @Test func `Foundation's coders carry them`() throws {
        var options = try PublicKeyCredentialRequestOptions(json: utf8(Self.full))
        options.extensions.members.sort { $0.name < $1.name }
        let data = try JSONEncoder().encode(options)
        #expect(try JSONDecoder().decode(PublicKeyCredentialRequestOptions.self, from: data) == options)
    }

    @Test func `only the challenge is required`() throws {
        let text = #"{"challenge":"AAECAwQFBgcICQoLDA0ODw"}"#
        let options = try PublicKeyCredentialRequestOptions(json: utf8(text))
        #expect(options.rpID == nil && options.timeout == nil && options.allowCredentials.isEmpty)
        #expect(options.userVerification == .preferred && options.hints.isEmpty)
        #expect(throws: WebAuthnError(.missingMember, "")) { try PublicKeyCredentialRequestOptions(json: utf8("{}")) }
        #expect(throws: WebAuthnError(.wrongType, "")) {
            try PublicKeyCredentialRequestOptions(json: utf8(text.dropLast() + ",\"rpId\":1}"))
        }
        #expect(throws: WebAuthnError(.wrongType, "")) {
            try PublicKeyCredentialRequestOptions(json: utf8(text.dropLast() + ",\"allowCredentials\":{}}"))
        }
    }
}

@Suite struct `Extension members` {
    @Test func `one is read, replaced, added and taken out, the others stay in order`() {
        var inputs = AuthenticationExtensionsClientInputs([.init("b", 1), .init("a", 2)])
        inputs["b"] = 3
        inputs["c"] = true
        #expect(inputs.value.text == #"{"b":3,"a":2,"c":true}"#)
        inputs["b"] = nil
        inputs["none"] = nil
        #expect(inputs.value.text == #"{"a":2,"c":true}"#)
        #expect(inputs["a"]?.integerValue == 2 && inputs["b"] == nil)
        var outputs = AuthenticationExtensionsClientOutputs()
        outputs["credProps"] = ["rk": true]
        #expect(outputs.value.text == #"{"credProps":{"rk":true}}"#)
        #expect(throws: WebAuthnError(.wrongType, "")) { try AuthenticationExtensionsClientOutputs(.array([])) }
        #expect(throws: WebAuthnError(.wrongType, "")) { try AuthenticationExtensionsClientInputs(.string("")) }
    }

    @Test func `open strings travel as strings`() throws {
        let data = try JSONEncoder().encode([AuthenticatorTransport.smartCard, "telepathy"])
        #expect(String(decoding: data, as: UTF8.self) == #"["smart-card","telepathy"]"#)
        #expect(try JSONDecoder().decode([PublicKeyCredentialHint].self, from: data) == ["smart-card", "telepathy"])
        #expect(AuthenticatorAttachment.crossPlatform.description == "cross-platform")
    }
}
