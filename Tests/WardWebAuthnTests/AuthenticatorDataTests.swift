import Crypto
import Testing
import WardCBOR
import WardCOSE
import WardTesting
import WardWebAuthn

/// Authenticator data made by hand.
enum Made {
    static let rpIDHash = [UInt8](repeating: 0xaa, count: 32)
    static let credentialID = [UInt8](repeating: 0xcc, count: 20)
    static let key = try! COSEPrivateKey(algorithm: .es256, rawRepresentation: [UInt8](repeating: 1, count: 32))
        .publicKey
    /// The same key as other libraries write it.
    static let keyInfo = Array(
        try! P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32)).publicKey.derRepresentation
    )
    static let aaguid = AAGUID("cd8c395c-26ed-eede-653b-00797d03ca3c")!
    static let ed448 = CBORValue.map([
        CBORPair(key: 1, value: 1), CBORPair(key: 3, value: -53), CBORPair(key: -1, value: 7),
        CBORPair(key: -2, value: .bytes([UInt8](repeating: 5, count: 57))),
    ]).encoded()
    /// `{"credProtect": 2}`
    static let extensions = CBORValue.map([CBORPair(key: "credProtect", value: 2)]).encoded()

    static func assertion(_ flags: AuthenticatorData.Flags = [.userPresent], extensions: [UInt8]? = nil) -> [UInt8] {
        AuthenticatorData.assemble(rpIDHash: rpIDHash, flags: flags, signCount: 0x0102_0304, extensions: extensions)
    }

    static func registration(
        id: [UInt8] = credentialID,
        key: [UInt8] = key.encoded,
        extensions: [UInt8]? = nil
    ) -> [UInt8] {
        AuthenticatorData.assemble(
            rpIDHash: rpIDHash,
            flags: [.userPresent, .userVerified],
            signCount: 7,
            credential: (aaguid, id, key),
            extensions: extensions
        )
    }
}

@Suite struct `Authenticator data` {
    @Test func `an assertion's 37 bytes are read`() throws {
        let data = try AuthenticatorData(Made.assertion([.userPresent, .backupEligible, .backupState]))
        #expect(data.rpIDHash == Made.rpIDHash)
        #expect(data.flags == [.userPresent, .backupEligible, .backupState])
        #expect(data.signCount == 0x0102_0304)
        #expect(data.attestedCredential == nil && data.extensions == nil)
    }

    @Test func `a registration's credential is read`() throws {
        let bytes = Made.registration()
        let data = try AuthenticatorData(bytes)
        #expect(data.bytes == bytes)
        #expect(data.flags == [.userPresent, .userVerified, .attestedCredentialData])
        let credential = try #require(data.attestedCredential)
        #expect(credential.aaguid == Made.aaguid && credential.credentialID == Made.credentialID)
        #expect(credential.publicKey == Made.key && credential.publicKey.encoded == Made.key.encoded)
    }

    @Test func `extension outputs are read behind a credential and without one`() throws {
        #expect(try AuthenticatorData(Made.assertion(extensions: Made.extensions)).extensions == Made.extensions)
        let both = try AuthenticatorData(Made.registration(extensions: Made.extensions))
        #expect(both.extensions == Made.extensions && both.attestedCredential?.publicKey == Made.key)
        #expect(both.flags.contains(.extensionData))
    }

    @Test func `flags are the standard's bits, and reserved ones are kept`() throws {
        #expect(AuthenticatorData.Flags.userPresent.rawValue == 1 && AuthenticatorData.Flags.userVerified.rawValue == 4)
        #expect(AuthenticatorData.Flags.backupEligible.rawValue == 8)
        #expect(AuthenticatorData.Flags.backupState.rawValue == 16)
        #expect(AuthenticatorData.Flags.attestedCredentialData.rawValue == 64)
        #expect(AuthenticatorData.Flags.extensionData.rawValue == 128)
        #expect(try AuthenticatorData(Made.assertion(.init(rawValue: 0x23))).flags.rawValue == 0x23)
    }

    static let refused: [Case<[UInt8], WebAuthnError.Code>] = [
        Case("nothing", [], .malformedAuthenticatorData),
        Case("36 bytes", Array(Made.assertion().dropLast()), .malformedAuthenticatorData),
        Case("bug class 24: a byte behind an assertion", Made.assertion() + [0], .malformedAuthenticatorData),
        Case("bug class 24: a byte behind a credential", Made.registration() + [0], .malformedAuthenticatorData),
        Case(
            "bug class 24: a byte behind extensions",
            Made.assertion(extensions: Made.extensions + [0]),
            .malformedAuthenticatorData
        ),
        Case("extensions without their flag", Made.assertion() + Made.extensions, .malformedAuthenticatorData),
        Case("AT without a credential", Made.assertion(.attestedCredentialData), .malformedAuthenticatorData),
        Case("ED without extensions", Made.assertion(.extensionData), .malformedAuthenticatorData),
        Case("extensions that are not a map", Made.assertion(extensions: [0x80]), .malformedAuthenticatorData),
        Case(
            "extensions with a key twice",
            Made.assertion(extensions: hex("a2616101616101")),
            .malformedAuthenticatorData
        ),
        Case("extensions unsorted", Made.assertion(extensions: hex("a2616201616101")), .malformedAuthenticatorData),
        Case("extensions of no length", Made.assertion(extensions: hex("bf6161f5ff")), .malformedAuthenticatorData),
        Case("extensions with a tag", Made.assertion(extensions: hex("a16161c000")), .malformedAuthenticatorData),
        Case(
            "extensions too deep",
            Made.assertion(extensions: hex("a161618181818181818181818100")),
            .malformedAuthenticatorData
        ),
        Case("an empty credential id", Made.registration(id: []), .malformedAuthenticatorData),
        Case("no key", Made.registration(key: []), .malformedPublicKey),
        Case("a key that is not a map", Made.registration(key: [0x80]), .malformedPublicKey),
        Case("a key cut short", Made.registration(key: Array(Made.key.encoded.dropLast())), .malformedPublicKey),
        Case("a key of Ed448", Made.registration(key: Made.ed448), .unsupportedAlgorithm),
        Case("more than 64 KiB", [UInt8](repeating: 0, count: 65_537), .malformedAuthenticatorData),
    ]

    @Test(arguments: refused)
    func `bytes that are not authenticator data are refused`(bytes: Case<[UInt8], WebAuthnError.Code>) {
        #expect(throws: WebAuthnError(bytes.expected, "")) { try AuthenticatorData(bytes.input) }
    }

    @Test func `a credential id longer than the bytes does not fit`() {
        var bytes = Made.registration()
        (bytes[53], bytes[54]) = (0xff, 0xff)
        #expect(throws: WebAuthnError(.malformedAuthenticatorData, "")) { try AuthenticatorData(bytes) }
    }

    @Test func `a credential id of 1,023 bytes and one of 1,024 are read; the limit is the relying party's`() throws {
        for length in [1, 1_023, 1_024] {
            let id = [UInt8](repeating: 1, count: length)
            #expect(try AuthenticatorData(Made.registration(id: id)).attestedCredential?.credentialID == id)
        }
    }

    @Test func `data cut anywhere is refused, and damaged anywhere refused or kept as it is`() {
        for whole in [Made.assertion(extensions: Made.extensions), Made.registration(extensions: Made.extensions)] {
            for end in 0..<whole.count {
                #expect(throws: WebAuthnError.self) { try AuthenticatorData(Array(whole[..<end])) }
            }
            for damaged in Damage.everywhere(in: whole, masks: [0x01, 0x20, 0x40, 0x80, 0xff]) {
                #expect(throws: Never.self) { try ParserProperty.authenticatorData.check(damaged) }
            }
        }
    }
}

@Suite struct `Attestation objects` {
    /// An attestation object with members in the order given.
    private static func object(_ members: [(CBORValue, CBORValue)]) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMap(count: members.count)
        for (key, value) in members {
            writer.write(value: key)
            writer.write(value: value)
        }
        return writer.bytes
    }

    private static let data = Made.registration()
    private static let fmt: (CBORValue, CBORValue) = ("fmt", "none")
    private static let attStmt: (CBORValue, CBORValue) = ("attStmt", .map([]))
    private static let authData: (CBORValue, CBORValue) = ("authData", .bytes(data))

    @Test func `format, statement and data are read`() throws {
        let statement = CBORValue.map([CBORPair(key: "alg", value: -7)]).encoded()
        let bytes = AttestationObject.assemble(format: "packed", statement: statement, authenticatorData: Self.data)
        let object = try AttestationObject(bytes)
        #expect(object.bytes == bytes && object.format == "packed" && object.statement == statement)
        #expect(object.authenticatorData.bytes == Self.data)
    }

    @Test func `the members may stand in any order, and members of the future among them`() throws {
        let members = [Self.fmt, Self.attStmt, Self.authData, ("epAtt", true), (7, [1, 2])]
        for shift in members.indices {
            let bytes = Self.object(Array(members[shift...] + members[..<shift]))
            #expect(try AttestationObject(bytes).format == "none")
        }
    }

    @Test func `a name that only begins like one is another`() throws {
        let others: [(CBORValue, CBORValue)] = [
            ("fm", 0), ("fmtt", 0), ("attStmtx", 0), ("authDat", 0), ("authDataa", 0),
        ]
        let object = try AttestationObject(Self.object(others + [Self.fmt, Self.attStmt, Self.authData]))
        #expect(object.format == "none" && object.statement == [0xa0] && object.authenticatorData.bytes == Self.data)
        let bytes = Self.object([("fmtt", "none"), Self.attStmt, Self.authData])
        #expect(throws: WebAuthnError(.malformedAttestationObject, "")) { try AttestationObject(bytes) }
    }

    @Test func `a compound statement is an array`() throws {
        let object = try AttestationObject(Self.object([("fmt", "compound"), ("attStmt", [[:], [:]]), Self.authData]))
        #expect(object.statement == [0x82, 0xa0, 0xa0])
    }

    static let refused: [Case<[UInt8], Void>] = [
        Case("nothing", [], ()), Case("no map", [0x80], ()), Case("an empty map", [0xa0], ()),
        Case("no fmt", object([attStmt, authData]), ()), Case("no attStmt", object([fmt, authData]), ()),
        Case("no authData", object([fmt, attStmt]), ()),
        Case("fmt in bytes", object([("fmt", .bytes([0x6e])), attStmt, authData]), ()),
        Case("fmt null", object([("fmt", .null), attStmt, authData]), ()),
        Case("a number for a statement", object([fmt, ("attStmt", 0), authData]), ()),
        Case("a text for a statement", object([fmt, ("attStmt", ""), authData]), ()),
        Case("null for a statement", object([fmt, ("attStmt", .null), authData]), ()),
        Case("authData in text", object([fmt, attStmt, ("authData", "x")]), ()),
        Case("fmt twice", object([fmt, fmt, attStmt, authData]), ()),
        Case("authData twice", object([fmt, attStmt, authData, authData]), ()),
        Case("a name in bytes", object([(.bytes(utf8("fmt")), "none"), attStmt, authData]), ()),
        Case("bug class 24: a byte behind", object([fmt, attStmt, authData]) + [0], ()),
        Case("a map without length", [0xbf] + object([fmt, attStmt, authData]).dropFirst() + [0xff], ()),
        Case("a tag in front", [0xd9, 0xd9, 0xf7] + object([fmt, attStmt, authData]), ()),
        Case("an unsorted statement", statement("a2616201616101"), ()),
        Case("a statement with a key twice", statement("a2616101616101"), ()),
        Case("a statement with a long length", statement("b80161611801"), ()),
        Case(
            "more than 64 KiB",
            object([fmt, attStmt, ("authData", .bytes([UInt8](repeating: 0, count: 65_530)))]),
            ()
        ),
    ]

    private static func statement(_ text: String) -> [UInt8] {
        AttestationObject.assemble(format: "packed", statement: hex(text), authenticatorData: data)
    }

    @Test(arguments: refused)
    func `bytes that are not an attestation object are refused`(bytes: Case<[UInt8], Void>) {
        #expect(throws: WebAuthnError(.malformedAttestationObject, "")) { try AttestationObject(bytes.input) }
    }

    @Test func `an object cut anywhere is refused, and damaged anywhere refused or kept as it is`() {
        let statement = CBORValue.map([CBORPair(key: "alg", value: -7), CBORPair(key: "sig", value: .bytes([1, 2]))])
        let whole = AttestationObject.assemble(
            format: "packed",
            statement: statement.encoded(),
            authenticatorData: Self.data
        )
        for end in 0..<whole.count {
            #expect(throws: WebAuthnError.self) { try AttestationObject(Array(whole[..<end])) }
        }
        for damaged in Damage.everywhere(in: whole) {
            #expect(throws: Never.self) { try ParserProperty.attestationObject.check(damaged) }
        }
    }
}
