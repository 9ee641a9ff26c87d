import Foundation
import Testing
import WardCOSE
import WardTesting
import WardText
import WardWebAuthn

/// Answers as browsers write them.
enum Answer {
    static let id = Base64URL.encode(Made.credentialID)
    static let attestationObject = AttestationObject.assemble(
        format: "none",
        statement: [0xa0],
        authenticatorData: Made.registration()
    )
    static let clientDataJSON = utf8(`Client data`.plain)

    static var registration: JSONValue {
        [
            "id": .string(id), "rawId": .string(id),
            "response": [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "authenticatorData": .string(Base64URL.encode(Made.registration())),
                "publicKey": .string(Base64URL.encode(Made.keyInfo)), "publicKeyAlgorithm": -7,
                "transports": ["internal", "hybrid", "telepathy"],
                "attestationObject": .string(Base64URL.encode(attestationObject)),
            ],
            "authenticatorAttachment": "platform",
            "clientExtensionResults": ["zeta": [1, ["x": nil]], "credProps": ["rk": true]],
            "type": "public-key",
        ]
    }

    static var authentication: JSONValue {
        [
            "id": .string(id), "rawId": .string(id),
            "response": [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "authenticatorData": .string(Base64URL.encode(Made.assertion())), "signature": "MEUCIQ",
                "userHandle": "AQID",
            ],
            "authenticatorAttachment": "cross-platform", "clientExtensionResults": [:], "type": "public-key",
        ]
    }
}

/// One change to an answer: a member, or a member of its `response`, set or (with `nil`) taken out.
struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let member: String
    let isInner: Bool
    let value: JSONValue?
    let code: WebAuthnError.Code?

    init(_ description: String, _ member: String, inner: Bool = false, _ value: JSONValue?, _ code: WebAuthnError.Code?)
    {
        testDescription = description
        self.member = member
        isInner = inner
        self.value = value
        self.code = code
    }

    func applied(to answer: JSONValue) -> JSONValue {
        guard isInner, let response = answer["response"] else { return Self.set(member, value, in: answer) }
        return Self.set("response", Self.set(member, value, in: response), in: answer)
    }

    private static func set(_ name: String, _ value: JSONValue?, in object: JSONValue) -> JSONValue {
        var members = object.objectValue ?? []
        if let index = members.firstIndex(where: { $0.name == name }) {
            if let value { members[index].value = value } else { members.remove(at: index) }
        } else if let value {
            members.append(.init(name, value))
        }
        return .object(members)
    }
}

@Suite struct `Registration responses` {
    @Test func `what toJSON makes is read, and written in its shape`() throws {
        let response = try RegistrationResponse(json: Answer.registration.serialized)
        #expect(response.id.bytes == Made.credentialID)
        #expect(response.clientDataJSON == Answer.clientDataJSON)
        #expect(response.attestationObject == Answer.attestationObject)
        #expect(response.transports == [.internal, .hybrid, "telepathy"])
        #expect(response.authenticatorAttachment == .platform)
        #expect(response.clientExtensionResults["credProps"] == ["rk": true])
        #expect(response.value == Answer.registration)
        #expect(try RegistrationResponse(json: response.json) == response)
    }

    @Test func `a key whose numbers are not a key is not handed out`() throws {
        let ones = [UInt8](repeating: 1, count: 32)
        let key = try COSEKey(algorithm: .es256, material: .ec2(curve: .p256, x: ones, y: ones))
        let object = AttestationObject.assemble(
            format: "none",
            statement: [0xa0],
            authenticatorData: Made.registration(key: key.encoded)
        )
        let response = RegistrationResponse(
            id: try #require(CredentialID(Made.credentialID)),
            clientDataJSON: Answer.clientDataJSON,
            attestationObject: object
        )
        #expect(response.value["response"]?["publicKey"] == nil)
        #expect(response.value["response"]?["publicKeyAlgorithm"] == -7)
    }

    @Test func `Foundation's coders carry it`() throws {
        var response = try RegistrationResponse(json: Answer.registration.serialized)
        response.clientExtensionResults = .init([.init("credProps", ["rk": true])])
        let data = try JSONEncoder().encode(response)
        #expect(try JSONDecoder().decode(RegistrationResponse.self, from: data) == response)
        #expect(throws: WebAuthnError(.missingMember, "")) {
            try JSONDecoder().decode(RegistrationResponse.self, from: Data("{}".utf8))
        }
    }

    static let changes: [Change] = [
        Change("no id", "id", nil, .missingMember),
        Change("no rawId", "rawId", nil, .missingMember),
        Change("bug class 23: rawId of another", "rawId", "AAAA", .identifierMismatch),
        Change("bug class 23: id of another", "id", "AAAA", .identifierMismatch),
        Change("bug class 33: id a number", "id", 0, .wrongType),
        Change("bug class 33: id true", "id", true, .wrongType),
        Change("bug class 33: rawId padded", "rawId", .string(Answer.id + "="), .notBase64URL),
        Change("bug class 33: rawId with a line break", "rawId", .string(Answer.id + "\r\n"), .notBase64URL),
        Change("no type", "type", nil, .missingMember),
        Change("another type", "type", "password", .wrongType),
        Change("type null", "type", .null, .wrongType),
        Change("no response", "response", nil, .missingMember),
        Change("response null", "response", .null, .wrongType),
        Change("response a text", "response", "{}", .wrongType),
        Change("extension results an array", "clientExtensionResults", [], .wrongType),
        Change("attachment a number", "authenticatorAttachment", 1, .wrongType),
        Change("attachment null", "authenticatorAttachment", .null, nil),
        Change("attachment unknown", "authenticatorAttachment", "implanted", nil),
        Change("no attachment", "authenticatorAttachment", nil, nil),
        Change("no extension results", "clientExtensionResults", nil, nil),
        Change("an unknown member", "future", [["x": nil]], nil),
        Change("no client data", "clientDataJSON", inner: true, nil, .missingMember),
        Change("bug class 33: client data in bytes", "clientDataJSON", inner: true, [123, 125], .wrongType),
        Change("bug class 33: client data not encoded", "clientDataJSON", inner: true, "{}", .notBase64URL),
        Change("client data null", "clientDataJSON", inner: true, .null, .wrongType),
        Change("no attestation object", "attestationObject", inner: true, nil, .missingMember),
        Change(
            "bug class 33: attestation object in plain base64",
            "attestationObject",
            inner: true,
            "o2+/",
            .notBase64URL
        ),
        Change("bug class 33: attestation object a number", "attestationObject", inner: true, 1, .wrongType),
        Change("no transports", "transports", inner: true, nil, nil),
        Change("transports null", "transports", inner: true, .null, nil),
        Change("16 transports", "transports", inner: true, many(16), nil),
        Change("believed by nobody: public key", "publicKey", inner: true, [1, nil], nil),
        Change("believed by nobody: algorithm", "publicKeyAlgorithm", inner: true, "ES256", nil),
        Change("believed by nobody: authenticator data", "authenticatorData", inner: true, "AAAA", nil),
        Change("an unknown member inside", "future", inner: true, 1, nil),
    ]

    private static func many(_ count: Int) -> JSONValue { .array((0..<count).map { .string("t\($0)") }) }

    @Test(arguments: changes)
    func `a member that is absent, wrong or unknown is dealt with`(change: Change) throws {
        let json = change.applied(to: Answer.registration).serialized
        guard let code = change.code else {
            let response = try RegistrationResponse(json: json)
            #expect(response.attestationObject == Answer.attestationObject && response.id.bytes == Made.credentialID)
            return
        }
        #expect(throws: WebAuthnError(code, "")) { try RegistrationResponse(json: json) }
    }

    static let oddLists: [JSONValue] = [
        "usb", [1], ["usb", nil], many(17), ["usb", .string(String(repeating: "x", count: 33))], [:], 7,
    ]

    @Test(arguments: oddLists)
    func `an odd list of transports is dropped, and the response is read`(list: JSONValue) throws {
        let json = Change("", "transports", inner: true, list, nil).applied(to: Answer.registration).serialized
        let response = try RegistrationResponse(json: json)
        #expect(response.transports.isEmpty && response.attestationObject == Answer.attestationObject)
        // Behind an odd list the text is still checked.
        #expect(throws: WebAuthnError.self) { try RegistrationResponse(json: json + [0x7d]) }
    }

    @Test func `an error names the member`() {
        for (member, isInner) in [
            ("id", false), ("rawId", false), ("type", false), ("response", false), ("authenticatorAttachment", false),
            ("clientExtensionResults", false), ("clientDataJSON", true), ("attestationObject", true),
        ] {
            let json = Change("", member, inner: isInner, 1, nil).applied(to: Answer.registration).serialized
            let error = #expect(throws: WebAuthnError.self) { try RegistrationResponse(json: json) }
            let place = isInner ? "credential.response.\(member)" : "credential.\(member)"
            #expect(error?.detail.hasPrefix(place + ",") == true, "\(error?.detail ?? "") instead of \(place)")
        }
        for member in ["authenticatorData", "signature", "userHandle"] {
            let json = Change("", member, inner: true, "=", nil).applied(to: Answer.authentication).serialized
            let error = #expect(throws: WebAuthnError.self) { try AuthenticationResponse(json: json) }
            #expect(error?.detail.hasPrefix("credential.response.\(member),") == true, "\(error?.detail ?? "")")
        }
        let future = Change("", "future", .string("\u{1}"), nil).applied(to: Answer.registration)
        #expect(throws: Never.self) { try RegistrationResponse(json: future.serialized) }
    }

    @Test func `a transport named twice counts once`() throws {
        let change = Change("", "transports", inner: true, ["usb", "nfc", "usb"], nil)
        let json = change.applied(to: Answer.registration).serialized
        #expect(try RegistrationResponse(json: json).transports == [.usb, .nfc])
    }

    @Test func `a credential id of 1,023 bytes is read and one more is not`() throws {
        for (length, isRead) in [(1_023, true), (1_024, false), (0, false)] {
            let id = JSONValue.string(Base64URL.encode([UInt8](repeating: 1, count: length)))
            var answer = Change("", "id", id, nil).applied(to: Answer.registration)
            answer = Change("", "rawId", id, nil).applied(to: answer)
            if isRead {
                #expect(try RegistrationResponse(json: answer.serialized).id.bytes.count == length)
            } else {
                #expect(throws: WebAuthnError(.valueOutOfRange, "")) {
                    try RegistrationResponse(json: answer.serialized)
                }
            }
        }
    }

    static let repeated = [
        "id", "\\u0069d", "rawId", "type", "response", "clientExtensionResults", "future", "futur\\u0065",
    ]

    @Test(arguments: repeated)
    func `bug class 33: a member twice is refused, however it is written`(name: String) {
        let plain = Change("", "future", 1, nil).applied(to: Answer.registration).text
        let json = utf8(plain.dropLast() + ",\"\(name)\":\"AAAA\"}")
        #expect(throws: WebAuthnError(.malformedJSON, "")) { try RegistrationResponse(json: json) }
    }

    @Test func `an escaped value is the value`() throws {
        let text = Answer.registration.text.replacingOccurrences(of: "\"id\":\"zM", with: "\"\\u0069d\":\"\\u007aM")
        #expect(text.contains("u007a"))
        #expect(try RegistrationResponse(json: utf8(text)).id.bytes == Made.credentialID)
    }
}

@Suite struct `Authentication responses` {
    @Test func `what toJSON makes is read, and written in its shape`() throws {
        let response = try AuthenticationResponse(json: Answer.authentication.serialized)
        #expect(response.id.bytes == Made.credentialID && response.userHandle?.bytes == [1, 2, 3])
        #expect(response.authenticatorData == Made.assertion() && response.signature == hex("30450221"))
        #expect(response.authenticatorAttachment == .crossPlatform)
        #expect(response.value == Answer.authentication)
        #expect(try AuthenticationResponse(json: response.json) == response)
        let data = try JSONEncoder().encode(response)
        #expect(try JSONDecoder().decode(AuthenticationResponse.self, from: data) == response)
    }

    static let changes: [Change] = [
        Change("bug class 23: rawId of another", "rawId", "AAAA", .identifierMismatch),
        Change("no type", "type", nil, .missingMember),
        Change("no client data", "clientDataJSON", inner: true, nil, .missingMember),
        Change("no authenticator data", "authenticatorData", inner: true, nil, .missingMember),
        Change("bug class 33: authenticator data true", "authenticatorData", inner: true, true, .wrongType),
        Change("no signature", "signature", inner: true, nil, .missingMember),
        Change("bug class 33: signature padded", "signature", inner: true, "MEUCIQ==", .notBase64URL),
        Change("bug class 33: signature in bytes", "signature", inner: true, [48], .wrongType),
        Change("bug class 33: signature with unused bits", "signature", inner: true, "MEUCIR", .notBase64URL),
        Change("bug class 33: user handle a number", "userHandle", inner: true, 1, .wrongType),
        Change("a user handle of 65 bytes", "userHandle", inner: true, handle(65), .valueOutOfRange),
        Change("a user handle of 64 bytes", "userHandle", inner: true, handle(64), nil),
        Change("an attestation object, which nobody asked for", "attestationObject", inner: true, "o2", .notBase64URL),
    ]

    private static func handle(_ count: Int) -> JSONValue {
        .string(Base64URL.encode([UInt8](repeating: 1, count: count)))
    }

    @Test(arguments: changes)
    func `a member that is absent or wrong is dealt with`(change: Change) throws {
        let json = change.applied(to: Answer.authentication).serialized
        guard let code = change.code else {
            #expect(try AuthenticationResponse(json: json).signature == hex("30450221"))
            return
        }
        #expect(throws: WebAuthnError(code, "")) { try AuthenticationResponse(json: json) }
    }

    @Test(arguments: [nil, JSONValue.null, ""])
    func `bug class 34: a user handle that is absent, null or empty counts as absent`(value: JSONValue?) throws {
        let json = Change("", "userHandle", inner: true, value, nil).applied(to: Answer.authentication).serialized
        #expect(try AuthenticationResponse(json: json).userHandle == nil)
    }
}

@Suite struct `Answers with their ceremony` {
    private func body(_ credential: JSONValue, _ rest: String = "") -> [UInt8] {
        utf8("{\"ceremony\":\"AAAA\",\"credential\":\(credential.text)\(rest)}")
    }

    @Test func `both are read in one pass`() throws {
        let registration = try CredentialEnvelope<RegistrationResponse>(registration: body(Answer.registration))
        #expect(registration.ceremony == "AAAA" && registration.response.attestationObject == Answer.attestationObject)
        let authentication = try CredentialEnvelope<AuthenticationResponse>(
            authentication: body(Answer.authentication, ",\"future\":[1]")
        )
        #expect(authentication.ceremony == "AAAA" && authentication.response.userHandle?.bytes == [1, 2, 3])
        #expect(authentication.passkeyName == nil)
    }

    @Test func `a page can give the new passkey a name`() throws {
        let named = body(Answer.registration, #","passkeyName":"Chromium on Linux, \u0032\u0032 Nov""#)
        let registration = try CredentialEnvelope<RegistrationResponse>(registration: named)
        #expect(registration.passkeyName == "Chromium on Linux, 22 Nov")
        for wrong in ["1", "null", "{}"] {
            #expect(throws: WebAuthnError(.wrongType, ""), "\(wrong)") {
                try CredentialEnvelope<RegistrationResponse>(
                    registration: body(Answer.registration, ",\"passkeyName\":\(wrong)")
                )
            }
        }
    }

    static let refused = [
        "", "{}", "[]", "{\"ceremony\":\"AAAA\"}", "{\"credential\":{}}", "{\"ceremony\":\"AAAA\",\"credential\":null}",
        "{\"ceremony\":\"AAAA\",\"credential\":{}}", "{\"ceremony\":1,\"credential\":{}}",
        "{\"ceremony\":null,\"credential\":{}}",
    ]

    @Test(arguments: refused)
    func `a body without either is refused`(text: String) {
        #expect(throws: WebAuthnError.self) { try CredentialEnvelope<RegistrationResponse>(registration: utf8(text)) }
        #expect(throws: WebAuthnError.self) {
            try CredentialEnvelope<AuthenticationResponse>(authentication: utf8(text))
        }
    }

    @Test func `members twice and bytes behind are refused`() {
        for rest in [",\"ceremony\":\"AAAB\"", ",\"\\u0063eremony\":\"AAAB\"", ",\"x\":1,\"x\":1", "}"] {
            #expect(throws: WebAuthnError(.malformedJSON, ""), "\(rest)") {
                try CredentialEnvelope<AuthenticationResponse>(authentication: body(Answer.authentication, rest))
            }
        }
    }

    @Test func `an answer damaged anywhere is refused or written as it reads`() {
        for json in [Answer.registration.serialized, Answer.authentication.serialized] {
            for damaged in Damage.everywhere(in: json, masks: [0x01]) {
                #expect(throws: Never.self) { try ParserProperty.response.check(damaged) }
            }
        }
    }
}
