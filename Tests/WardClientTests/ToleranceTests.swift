import Testing
import WardClient
import WardText
import WardWebAuthn

/// One oddity of a real site: what came, where, and what it became.
private struct Quirk: CustomTestStringConvertible {
    let testDescription: String
    let member: String
    let came: String
    let became: String
    let quirks: [OptionsRepair.Quirk]

    init(_ name: String, _ member: String, _ came: String, _ became: String, _ quirks: OptionsRepair.Quirk...) {
        (testDescription, self.member, self.came, self.became, self.quirks) = (name, member, came, became, quirks)
    }
}

/// Good options as JSON, one member of which is replaced, added, or (as an empty text) taken out.
private func creation(_ path: String, _ json: String) -> [UInt8] {
    var rp: [(String, String)] = [("id", "\"example.com\""), ("name", "\"Example\"")]
    var user: [(String, String)] = [("id", "\"AQID\""), ("name", "\"ada\""), ("displayName", "\"Ada\"")]
    var top: [(String, String)] = [
        ("challenge", "\"AAECAwQFBgcICQoLDA0ODw\""),
        ("pubKeyCredParams", "[{\"type\":\"public-key\",\"alg\":-7}]"),
    ]
    func put(_ members: inout [(String, String)], _ name: String) {
        members.removeAll { $0.0 == name }
        if !json.isEmpty { members.append((name, json)) }
    }
    let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("rp", 2): put(&rp, parts[1])
    case ("user", 2): put(&user, parts[1])
    default: put(&top, path)
    }
    func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
    return Array(object([("rp", object(rp)), ("user", object(user))].filter { $0.0 != path } + top).utf8)
}

private func request(_ name: String, _ json: String) -> [UInt8] {
    let challenge = name == "challenge" ? json : "\"AAECAwQFBgcICQoLDA0ODw\""
    let rest = name == "challenge" ? "" : ",\"\(name)\":\(json)"
    return Array("{\"challenge\":\(challenge)\(rest)}".utf8)
}

private func look(_ path: String, in value: JSONValue) -> String {
    let found = path.split(separator: ".").reduce(Optional(value)) { value, name in
        if let index = Int(name) { return value?.arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
        return value?[String(name)]
    }
    return found?.text ?? "absent"
}

@Suite struct `Options of real sites` {
    private static let alg = "[{\"type\":\"public-key\",\"alg\":"
    private static let key = "{\"type\":\"public-key\",\"id\":"

    private static let quirks: [Quirk] = [
        // Numbers
        Quirk("alg as text", "pubKeyCredParams", alg + "\"-7\"}]", alg.swapped("-7"), .textForNumber),
        Quirk("alg with a fraction", "pubKeyCredParams", alg + "-7.0}]", alg.swapped("-7"), .fractionForNumber),
        Quirk(
            "alg as text with a fraction",
            "pubKeyCredParams",
            alg + "\"-257.0\"}]",
            alg.swapped("-257"),
            .textForNumber
        ),
        Quirk(
            "alg -1 beside a real one",
            "pubKeyCredParams",
            alg + "-1},{\"type\":\"public-key\",\"alg\":-7}]",
            alg.swapped("-7"),
            .unknownAlgorithm
        ),
        Quirk(
            "alg null beside a real one",
            "pubKeyCredParams",
            alg + "null},{\"type\":\"public-key\",\"alg\":-8}]",
            alg.swapped("-8"),
            .nullMember,
            .unknownAlgorithm
        ),
        Quirk(
            "alg as a word beside a real one",
            "pubKeyCredParams",
            alg + "\"ES256\"},{\"type\":\"public-key\",\"alg\":-7}]",
            alg.swapped("-7"),
            .unknownAlgorithm
        ),
        Quirk(
            "an algorithm nobody registered",
            "pubKeyCredParams",
            alg + "-999},{\"type\":\"public-key\",\"alg\":-7}]",
            alg.swapped("-7"),
            .unknownAlgorithm
        ),
        Quirk("timeout as text", "timeout", "\"60000\"", "60000", .textForNumber),
        Quirk("timeout with a fraction of nought", "timeout", "60000.0", "60000", .fractionForNumber),
        Quirk("timeout with a fraction", "timeout", "1800000.7", "1800000", .fractionForNumber),
        Quirk("timeout with an exponent", "timeout", "3e5", "300000", .fractionForNumber),
        Quirk("timeout below nought", "timeout", "-1", "absent", .malformedHint),
        Quirk("timeout as a word", "timeout", "\"long\"", "absent", .malformedHint),
        Quirk(
            "timeout as a text longer than any number",
            "timeout",
            "\"" + String(repeating: "0", count: 28) + "60000\"",
            "absent",
            .malformedHint
        ),
        Quirk("timeout null", "timeout", "null", "absent", .nullMember),
        // Truth values
        Quirk(
            "requireResidentKey as text",
            "authenticatorSelection",
            "{\"requireResidentKey\":\"true\"}",
            "{\"residentKey\":\"required\",\"requireResidentKey\":true,\"userVerification\":\"preferred\"}",
            .textForBoolean
        ),
        Quirk(
            "requireResidentKey as 0",
            "authenticatorSelection",
            "{\"requireResidentKey\":0}",
            "{\"userVerification\":\"preferred\"}",
            .numberForBoolean
        ),
        Quirk("credProps as text", "extensions", "{\"credProps\":\"true\"}", "{\"credProps\":true}", .textForBoolean),
        Quirk("credProps as a word", "extensions", "{\"credProps\":\"yes\"}", "{}", .malformedHint),
        // Bytes
        Quirk(
            "an id as an object of signed bytes",
            "user.id",
            "{\"0\":-58,\"1\":1,\"2\":255}",
            "\"xgH_\"",
            .bytesAsObject
        ),
        Quirk("an id as an object out of order", "user.id", "{\"1\":2,\"0\":1}", "\"AQI\"", .bytesAsObject),
        Quirk("an id as an array", "user.id", "[-1,0,127,-128,255]", "\"_wB_gP8\"", .bytesAsArray),
        Quirk(
            "an id as Node.js writes a buffer",
            "user.id",
            "{\"type\":\"Buffer\",\"data\":[1,2,3]}",
            "\"AQID\"",
            .bytesAsBuffer
        ),
        Quirk(
            "a challenge with padding",
            "challenge",
            "\"AAECAwQFBgcICQoLDA0ODw==\"",
            "\"AAECAwQFBgcICQoLDA0ODw\"",
            .padding
        ),
        Quirk(
            "a challenge with padding escaped once",
            "challenge",
            "\"AAECAwQFBgcICQoLDA0ODw\\u003d\\u003d\"",
            "\"AAECAwQFBgcICQoLDA0ODw\"",
            .padding
        ),
        Quirk(
            "a challenge with padding escaped twice",
            "challenge",
            "\"AAECAwQFBgcICQoLDA0ODw\\\\u003d\\\\u003D\"",
            "\"AAECAwQFBgcICQoLDA0ODw\"",
            .escapedPadding
        ),
        Quirk("an id in plain base64", "user.id", "\"+/+/\"", "\"-_-_\"", .base64Alphabet),
        Quirk("an id in plain base64 with padding", "user.id", "\"+/8=\"", "\"-_8\"", .padding, .base64Alphabet),
        Quirk("an id broken into lines", "user.id", "\"AQ\\r\\nID\\n\"", "\"AQID\"", .whiteSpace),
        Quirk(
            "an excluded id as an array",
            "excludeCredentials",
            "[" + key + "[1,2]}]",
            "[" + key + "\"AQI\"}]",
            .bytesAsArray
        ),
        Quirk(
            "a prf input as an object",
            "extensions",
            "{\"prf\":{\"eval\":{\"first\":{\"0\":1}}}}",
            "{\"prf\":{\"eval\":{\"first\":\"AQ\"}}}",
            .bytesAsObject
        ),
        // Names
        Quirk("displayName null", "user.displayName", "null", "\"\"", .nullMember, .missingName),
        Quirk("displayName missing", "user.displayName", "", "\"\"", .missingName),
        Quirk("name missing", "user.name", "", "\"Ada\"", .missingName),
        Quirk("name as a number", "user.name", "4711", "\"4711\"", .numberForText),
        Quirk("rp.name missing", "rp.name", "", "\"example.com\"", .missingName),
        Quirk("rp.name null", "rp.name", "null", "\"example.com\"", .nullMember, .missingName),
        Quirk("rp.id null", "rp.id", "null", "absent", .nullMember),
        // What may be missing
        Quirk("excludeCredentials null", "excludeCredentials", "null", "[]", .nullMember),
        Quirk(
            "transports null",
            "excludeCredentials",
            "[{\"type\":\"public-key\",\"id\":\"AQ\",\"transports\":null}]",
            "[{\"type\":\"public-key\",\"id\":\"AQ\"}]",
            .nullMember
        ),
        Quirk(
            "a transport null",
            "excludeCredentials",
            "[{\"type\":\"public-key\",\"id\":\"AQ\",\"transports\":[null,\"usb\"]}]",
            "[{\"type\":\"public-key\",\"id\":\"AQ\",\"transports\":[\"usb\"]}]",
            .malformedHint
        ),
        Quirk("extensions as PHP writes none", "extensions", "[]", "{}", .emptyArrayForObject),
        Quirk(
            "authenticatorSelection as PHP writes none",
            "authenticatorSelection",
            "[]",
            "absent",
            .emptyArrayForObject
        ),
        Quirk(
            "an empty attachment",
            "authenticatorSelection",
            "{\"authenticatorAttachment\":\"\"}",
            "{\"userVerification\":\"preferred\"}",
            .malformedHint
        ),
        Quirk("attestation null", "attestation", "null", "\"none\"", .nullMember),
        Quirk("hints as a word", "hints", "\"hybrid\"", "[]", .malformedHint),
    ]

    @Test(arguments: quirks)
    private func `each becomes what the site meant, and is reported`(quirk: Quirk) throws {
        let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: creation(quirk.member, quirk.came))
        #expect(look(quirk.member, in: read.options.value) == quirk.became)
        #expect(read.repairs.map(\.quirk) == quirk.quirks)
    }

    @Test func `what is right is not touched`() throws {
        let json = creation("attestation", "\"direct\"")
        let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: json)
        #expect(read.repairs.isEmpty)
        #expect(try read.options == PublicKeyCredentialCreationOptions(json: json))
    }

    @Test func `options inside publicKey are taken out, and every repair says where`() throws {
        let inner = String(decoding: creation("pubKeyCredParams", Self.alg + "\"-7\"}]"), as: UTF8.self)
        let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: Array("{\"publicKey\":\(inner)}".utf8))
        #expect(read.repairs.map(\.description) == ["publicKey: wrapped", "pubKeyCredParams[0].alg: text_for_number"])
    }

    @Test(arguments: [
        ("timeout", "\"60000\"", "60000"), ("allowCredentials", "null", "[]"),
        (
            "allowCredentials", "[{\"type\":\"public-key\",\"id\":{\"0\":-1}}]",
            "[{\"type\":\"public-key\",\"id\":\"_w\"}]"
        ),
        ("rpId", "null", "absent"), ("userVerification", "null", "\"preferred\""), ("extensions", "[]", "{}"),
        ("challenge", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,-1]", "\"AAECAwQFBgcICQoLDA0O_w\""),
    ])
    func `requests are read as generously`(member: String, came: String, became: String) throws {
        let read = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: request(member, came))
        #expect(look(member, in: read.options.value) == became)
        #expect(read.repairs.count == 1)
    }

    @Test(arguments: [
        // Identity and scope are never guessed.
        ("rp.id", "7", "TypeError"), ("user.id", "\"\"", "TypeError"), ("user.id", "null", "TypeError"),
        ("user.id", "4711", "TypeError"), ("user.id", "\"ada@example.com\"", "EncodingError"),
        ("user.id", "{\"0\":1,\"2\":3}", "TypeError"), ("user.id", "{\"00\":1}", "TypeError"),
        ("user.id", "[1,256]", "TypeError"), ("user.id", "[-129]", "TypeError"), ("user.id", "[1.5]", "TypeError"),
        ("user.id", "[\"1\"]", "TypeError"), ("user.name", "{}", "TypeError"),
        // Bytes that could mean two things.
        ("challenge", "\"AAECAwQFBgcICQoLDA0OD_\"", "EncodingError"),
        ("challenge", "\"AA==AA==AA==AA==AA==AA==\"", "EncodingError"),
        ("challenge", "\"AAECAwQFBgcICQoLDA0ODw=\"", "EncodingError"),
        ("challenge", "\"AAECAwQFBgcICQoLDA0+-w==\"", "EncodingError"),
        ("challenge", "\"AAECAwQ=\"", "TypeError"), ("challenge", "", "TypeError"), ("challenge", "true", "TypeError"),
        // Lists that would lose a member.
        ("excludeCredentials", "[{\"type\":\"public-key\",\"id\":\"?\"}]", "EncodingError"),
        ("excludeCredentials", "[{\"type\":\"public-key\",\"id\":null}]", "TypeError"),
        ("excludeCredentials", "[{\"type\":\"public-key\"}]", "TypeError"), ("excludeCredentials", "{}", "TypeError"),
        ("excludeCredentials", "[null]", "TypeError"),
        ("pubKeyCredParams", "[{\"type\":\"public-key\",\"alg\":-1}]", "NotSupportedError"),
        ("pubKeyCredParams", "null", "TypeError"), ("pubKeyCredParams", "{}", "TypeError"),
        ("pubKeyCredParams", "[{\"alg\":-7}]", "TypeError"),
        ("extensions", "{\"prf\":{\"eval\":{\"first\":\"?\"}}}", "EncodingError"),
        ("rp", "null", "TypeError"), ("user", "[]", "TypeError"),
    ])
    func `what could mean something else is refused`(member: String, json: String, name: String) async throws {
        let error = #expect(throws: ClientError.self) {
            try TolerantOptions<PublicKeyCredentialCreationOptions>(json: creation(member, json))
        }
        #expect(error?.code.name == name)
    }

    @Test(arguments: ["", "null", "[]", "{\"a\":1,\"a\":2}", "{} {}", "{\"challenge\":\"\\ud800\"}"])
    func `what is no JSON object is a TypeError`(text: String) {
        let error = #expect(throws: ClientError.self) {
            try TolerantOptions<PublicKeyCredentialRequestOptions>(json: Array(text.utf8))
        }
        #expect(error?.code == .type)
    }

    @Test func `the strict reader still refuses what the tolerant one mends`() {
        #expect(throws: WebAuthnError.self) {
            try PublicKeyCredentialCreationOptions(json: creation("timeout", "\"60000\""))
        }
    }
}

extension String {
    /// The list of one algorithm that this beginning of a list becomes.
    fileprivate func swapped(_ alg: String) -> String { self + alg + "}]" }
}
