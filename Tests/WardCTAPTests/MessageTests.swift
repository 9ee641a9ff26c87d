import Testing
import WardCBOR
import WardCTAP

@Suite struct `Messages` {
    @Test(arguments: Sample.all) func `what is written reads and writes as itself`(sample: Sample) throws {
        #expect(try sample.kind.again(sample.bytes) == sample.bytes)
    }

    @Test func `what is written reads as the value it was`() throws {
        #expect(try MakeCredentialRequest(Sample.fullMakeCredential.encoded) == Sample.fullMakeCredential)
        #expect(try GetAssertionRequest(Sample.fullGetAssertion.encoded) == Sample.fullGetAssertion)
        #expect(try AuthenticatorInfo(Sample.fullInfo.encoded) == Sample.fullInfo)
        #expect(try ClientPINRequest(Sample.fullClientPINRequest.encoded) == Sample.fullClientPINRequest)
        #expect(try ClientPINResponse(Sample.fullClientPINResponse.encoded) == Sample.fullClientPINResponse)
        let made = Sample.fullMakeCredentialResponse
        #expect(try MakeCredentialResponse(made.encoded) == made)
        let signed = Sample.fullGetAssertionResponse
        #expect(try GetAssertionResponse(signed.encoded) == signed)
    }

    @Test(arguments: Sample.all + Sample.published)
    func `a message that is cut short is refused at every length`(sample: Sample) {
        for length in 0..<sample.bytes.count {
            #expect(throws: CTAPStatus.invalidCBOR) { _ = try sample.kind.again(Array(sample.bytes.prefix(length))) }
        }
        #expect(throws: CTAPStatus.invalidCBOR) { _ = try sample.kind.again(sample.bytes + [0]) }
    }

    @Test(arguments: Sample.all + Sample.published)
    func `a message with a flipped bit is refused or written as it reads`(sample: Sample) throws {
        for index in sample.bytes.indices {
            for bit in 0..<8 {
                var bytes = sample.bytes
                bytes[index] ^= 1 << bit
                guard let again = try? sample.kind.again(bytes) else { continue }
                // Whatever was accepted is stable from then on.
                #expect(try sample.kind.again(again) == again, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func `what is empty is left out`() throws {
        let request = GetAssertionRequest(rpID: "example.com", clientDataHash: Sample.hash)
        let value = try CBORValue.decode(request.encoded)
        #expect(value.mapValue?.count == 2)
        #expect(try GetAssertionRequest(request.encoded) == request)
    }

    @Test func `an attestation object is the response by its names`() throws {
        let response = Sample.fullMakeCredentialResponse
        let object = try CBORValue.decode(response.attestationObject)
        #expect(object["fmt"] == "packed")
        #expect(object["authData"]?.bytesValue == response.authenticatorData)
        #expect(object["attStmt"] == response.attestationStatement)
        var without = response
        without.attestationStatement = nil
        #expect(try CBORValue.decode(without.attestationObject)["attStmt"] == .map([]))
    }

    @Test func `unknown commands and status bytes are kept`() {
        #expect(CTAPCommand(rawValue: 0x77).rawValue == 0x77)
        #expect(CTAPCommand(rawValue: 0x77).description == "command 0x77")
        #expect(CTAPStatus(rawValue: 0xf1).description == "CTAP status 0xf1")
        #expect(CTAPStatus.missingParameter.description == "CTAP status 0x14")
    }

    @Test(
        arguments: zip(
            [
                CTAPCommand.makeCredential, .getAssertion, .getInfo, .clientPIN, .reset, .getNextAssertion,
                .bioEnrollment, .credentialManagement, .selection, .largeBlobs, .config, .prototypeBioEnrollment,
                .prototypeCredentialManagement,
            ],
            [0x01, 0x02, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x40, 0x41] as [UInt8]
        )
    )
    func `commands have the standard's numbers`(command: CTAPCommand, byte: UInt8) {
        #expect(command.rawValue == byte)
        #expect(!command.description.isEmpty)
    }
}

@Suite struct `What a wrong message is answered with` {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: CTAPStatus
        let spoil: @Sendable (inout [CBORPair]) -> Void

        init(_ description: String, _ status: CTAPStatus, _ spoil: @escaping @Sendable (inout [CBORPair]) -> Void) {
            testDescription = description
            self.status = status
            self.spoil = spoil
        }

        static func set(_ key: Int64, _ value: CBORValue, _ status: CTAPStatus, _ description: String) -> Wrong {
            Wrong(description, status) { pairs in
                pairs.removeAll { $0.key == .integer(key) }
                pairs.append(CBORPair(key: .integer(key), value: value))
            }
        }

        static func drop(_ key: Int64) -> Wrong {
            Wrong("without \(key)", .missingParameter) { pairs in pairs.removeAll { $0.key == .integer(key) } }
        }

        static let makeCredential: [Wrong] =
            [1, 2, 3, 4].map(drop)
            + (1...11).map { set($0, .null, .cborUnexpectedType, "null under \($0)") }
            + [
                set(1, .bytes([1]), .invalidLength, "a hash of one byte"),
                set(2, ["name": "x"], .missingParameter, "a relying party without an id"),
                set(2, ["id": ""], .invalidLength, "an empty RP ID"),
                set(2, ["id": .text(String(repeating: "a", count: 254))], .invalidLength, "an RP ID too long"),
                set(2, ["id": "a", "name": 1], .cborUnexpectedType, "a name that is a number"),
                set(3, ["name": "x"], .missingParameter, "a user without an id"),
                set(3, ["id": .bytes([])], .invalidLength, "an empty user handle"),
                set(3, ["id": .bytes(.init(repeating: 1, count: 65))], .invalidLength, "a handle of 65 bytes"),
                set(3, ["id": "text"], .cborUnexpectedType, "a handle that is text"),
                set(4, ["x"], .cborUnexpectedType, "a parameter that is text"),
                set(4, [["type": "public-key"]], .missingParameter, "a parameter without an algorithm"),
                set(4, [["alg": -7]], .missingParameter, "a parameter without a type"),
                set(4, [["alg": "x", "type": "public-key"]], .cborUnexpectedType, "an algorithm in text"),
                set(
                    4,
                    [["alg": .unsigned(.max), "type": "public-key"]],
                    .limitExceeded,
                    "an algorithm out of range"
                ),
                set(5, [["id": .bytes([])]], .invalidLength, "an empty credential id"),
                set(5, [["id": .bytes([1])]], .missingParameter, "a descriptor without a type"),
                set(5, [["type": "public-key"]], .missingParameter, "a descriptor without an id"),
                set(
                    6,
                    .map([CBORPair(key: 1, value: 1)]),
                    .cborUnexpectedType,
                    "an extension with a number for a name"
                ),
                set(7, ["rk": 1], .cborUnexpectedType, "an option that is a number"),
                set(9, -1, .cborUnexpectedType, "a protocol below zero"),
                set(0x0a, .unsigned(.max), .limitExceeded, "a number out of range"),
            ]

        static let getAssertion: [Wrong] =
            [1, 2].map(drop)
            + (1...9).map { set($0, .null, .cborUnexpectedType, "null under \($0)") }
            + [
                set(1, "", .invalidLength, "an empty RP ID"),
                set(2, .bytes([]), .invalidLength, "an empty hash"),
                set(
                    3,
                    [["id": .bytes(.init(repeating: 1, count: 1_024)), "type": "public-key"]],
                    .invalidLength,
                    "a credential id of 1,024 bytes"
                ),
                set(
                    3,
                    .array(.init(repeating: 1, count: 9_000)),
                    .limitExceeded,
                    "more items than a message may have"
                ),
            ]
    }

    private func spoiled(_ bytes: [UInt8], _ wrong: Wrong) throws -> [UInt8] {
        var pairs = try #require(try CBORValue.decode(bytes, rules: .webAuthn).mapValue)
        wrong.spoil(&pairs)
        return CBORValue.map(pairs).encoded()
    }

    @Test(arguments: Wrong.makeCredential) func `makeCredential says what is wrong`(wrong: Wrong) throws {
        let bytes = try spoiled(Sample.fullMakeCredential.encoded, wrong)
        #expect(throws: wrong.status) { try MakeCredentialRequest(bytes) }
    }

    @Test(arguments: Wrong.getAssertion) func `getAssertion says what is wrong`(wrong: Wrong) throws {
        let bytes = try spoiled(Sample.fullGetAssertion.encoded, wrong)
        #expect(throws: wrong.status) { try GetAssertionRequest(bytes) }
    }

    @Test func `information without versions or a model is refused`() throws {
        var pairs = try #require(try CBORValue.decode(Sample.fullInfo.encoded).mapValue)
        pairs.removeAll { $0.key == 3 }
        #expect(throws: CTAPStatus.missingParameter) { try AuthenticatorInfo(CBORValue.map(pairs).encoded()) }
        pairs.append(CBORPair(key: 3, value: .bytes([1])))
        #expect(throws: CTAPStatus.invalidLength) { try AuthenticatorInfo(CBORValue.map(pairs).encoded()) }
        #expect(throws: CTAPStatus.missingParameter) { try AuthenticatorInfo(CBORValue.map([]).encoded()) }
    }

    @Test(
        arguments: [
            (0x01, [1]), (0x02, ["x", 1]), (0x04, ["rk": 1]), (0x04, .map([CBORPair(key: 1, value: true)])),
            (0x05, -1), (0x06, ["x"]), (0x09, [1]), (0x0a, [1]), (0x12, "x"), (0x13, 1), (0x15, [-1]),
        ] as [(CBORValue, CBORValue)]
    )
    func `information of another type is refused`(key: CBORValue, value: CBORValue) throws {
        // Of pairs with the same key the last one counts.
        var pairs = try #require(try CBORValue.decode(Sample.fullInfo.encoded).mapValue)
        pairs.append(CBORPair(key: key, value: value))
        let bytes = CBORValue.map(pairs).encoded()
        #expect(throws: CTAPStatus.cborUnexpectedType) { try AuthenticatorInfo(bytes) }
    }

    @Test(
        arguments: [
            ([0x80], .cborUnexpectedType), ([0xa0], .missingParameter), ([], .invalidCBOR),
            ([0xbf, 0xff], .invalidCBOR),
            ([0xa2, 0x02, 0x60, 0x01, 0x60], .invalidCBOR), ([0xa1, 0x18, 0x01, 0x60], .invalidCBOR),
        ] as [([UInt8], CTAPStatus)]
    )
    func `what is not a canonical map is told apart`(bytes: [UInt8], status: CTAPStatus) {
        #expect(throws: status) { try GetAssertionRequest(bytes) }
    }

    @Test func `a message of more than a megabyte is not read`() {
        let bytes = [UInt8](repeating: 0, count: 1 << 20 + 1)
        #expect(throws: CTAPStatus.requestTooLarge) { try AuthenticatorInfo(bytes) }
    }

    @Test func `a string too long for a message is refused`() {
        let value: CBORValue = [1: "a", 2: .bytes([UInt8](repeating: 0, count: 70_000))]
        #expect(throws: CTAPStatus.limitExceeded) { try GetAssertionRequest(value.encoded()) }
    }
}
