import Crypto
import Testing
import WardCBOR
import WardCOSE
import WardCTAP
import WardTesting
import WardText
import WardWebAuthn

@Suite(.enabled(if: TestVectors.areAvailable, "the folder of published answers is absent"))
struct `Published answers` {
    private let protocols = PublishedVectors("ctap/pin-uv-auth-protocol.json")
    private let standard = PublishedVectors("webauthn-l3.json")
    private let misc = PublishedVectors("ctap/misc.json")

    private func secret(_ number: PINUVAuthProtocol) throws -> PINUVSharedSecret {
        let vectors = try #require(protocols)
        let agreement = vectors.json["keyAgreement"]
        let platform = try #require(
            PINUVKeyAgreement(rawRepresentation: vectors.bytes(agreement?["platformPrivateKey"]))
        )
        #expect(platform.publicKey.x == vectors.bytes(agreement?["platformPublicX"]))
        #expect(platform.publicKey.y == vectors.bytes(agreement?["platformPublicY"]))
        let authenticator = try #require(
            KeyAgreementKey(
                x: vectors.bytes(agreement?["authenticatorPublicX"]),
                y: vectors.bytes(agreement?["authenticatorPublicY"])
            )
        )
        return try platform.decapsulate(authenticator, using: number)
    }

    /// A PIN as it is sent: filled up with zeros to 64 bytes.
    private func padded(_ pin: String) -> [UInt8] {
        Array(pin.utf8) + [UInt8](repeating: 0, count: 64 - pin.utf8.count)
    }

    private func pinHash(_ pin: String) -> [UInt8] { Array(SHA256.hash(data: Array(pin.utf8)).prefix(16)) }

    @Test func `protocol one encrypts and authenticates as published`() throws {
        let vectors = try #require(protocols)
        let secret = try secret(.one)
        let one = try #require(vectors.json["protocol1"])
        #expect(try secret.encrypt(padded("1234")) == vectors.bytes(one["setPIN"]?["newPinEnc"]))
        #expect(try secret.decrypt(vectors.bytes(one["setPIN"]?["newPinEnc"])) == padded("1234"))
        #expect(
            secret.authenticate(vectors.bytes(one["setPIN"]?["newPinEnc"]))
                == vectors.bytes(one["setPIN"]?["pinUvAuthParam"])
        )
        let change = try #require(one["changePIN"])
        #expect(try secret.encrypt(padded("4321")) == vectors.bytes(change["newPinEnc"]))
        #expect(try secret.encrypt(pinHash("1234")) == vectors.bytes(change["pinHashEnc"]))
        let both = vectors.bytes(change["newPinEnc"]) + vectors.bytes(change["pinHashEnc"])
        #expect(secret.verify(both, signature: vectors.bytes(change["pinUvAuthParam"])))
        let token = try #require(one["getPinToken"])
        #expect(try secret.decrypt(vectors.bytes(token["pinTokenEnc"])) == vectors.bytes(token["pinToken"]))
        #expect(
            secret.authenticate(vectors.bytes(one["authenticate"]?["message"]))
                == vectors.bytes(one["authenticate"]?["result"])
        )
    }

    @Test func `protocol two encrypts and authenticates as published`() throws {
        let vectors = try #require(protocols)
        let secret = try secret(.two)
        let two = try #require(vectors.json["protocol2"])
        #expect(
            secret.authenticate(vectors.bytes(two["authenticate"]?["message"]))
                == vectors.bytes(two["authenticate"]?["result"])
        )
        let generated = try #require(two["generated"])
        let iv = vectors.bytes(generated["iv"])
        let fixed = Effects(now: { 0 }, randomBytes: { Array(iv.prefix($0)) })
        #expect(try secret.encrypt(padded("1234"), effects: fixed) == vectors.bytes(generated["newPinEnc"]))
        #expect(try secret.encrypt(pinHash("1234"), effects: fixed) == vectors.bytes(generated["pinHashEnc"]))
        #expect(try secret.decrypt(vectors.bytes(generated["newPinEnc"])) == padded("1234"))
        #expect(
            secret.authenticate(vectors.bytes(generated["newPinEnc"]))
                == vectors.bytes(generated["pinUvAuthParam_setPIN"])
        )
    }

    @Test(arguments: Sample.published) func `messages of others read, and write as they were`(sample: Sample) throws {
        #expect(try sample.kind.again(sample.bytes) == sample.bytes)
    }

    @Test func `a YubiKey's information says what it says`() throws {
        let sample = try #require(Sample.published.first { $0.kind.testDescription == "getInfo" })
        let info = try AuthenticatorInfo(sample.bytes)
        #expect(info.versions == [AuthenticatorInfo.u2f, AuthenticatorInfo.fido20])
        #expect(info.extensions == ["uvm", .hmacSecret])
        #expect(info.supports(.hmacSecret) && !info.supports(.prf))
        #expect(info.aaguid.description == "f8a011f3-8c0a-4d15-8006-17111f9edc7d")
        #expect(info.options[.residentKey] == true && info.options[.clientPIN] == false)
        #expect(info.options[.platformDevice] == false && info.options[.userVerification] == nil)
        #expect(info.maximumMessageSize == 1_200)
        #expect(info.pinUVAuthProtocols == [.one])
    }

    @Test func `the standard's example request says what it says`() throws {
        let sample = try #require(Sample.published.first { $0.kind.testDescription == "makeCredential request" })
        let request = try MakeCredentialRequest(sample.bytes)
        #expect(request.relyingParty == .init(id: "test.ctap", name: "test.ctap"))
        #expect(request.user.name == "testctap@ctap.com" && request.user.displayName == "Test Ctap")
        #expect(request.pubKeyCredParams.map(\.alg.rawValue) == [-7, -257, -37])
        #expect(request.options == .init(residentKey: true))
    }

    @Test func `a member of information that nobody knows is kept`() throws {
        let info = try #require(
            Sample.published.lazy.compactMap { try? AuthenticatorInfo($0.bytes) }.first { !$0.unknown.isEmpty }
        )
        #expect(info.unknown == [CBORPair(key: 99, value: 1_234)])
    }

    @Test func `every member of information has the standard's number`() throws {
        let keys = try #require(misc?.json["getInfoKeys"]?.objectValue)
        let value = try CBORValue.decode(Sample.fullInfo.encoded)
        #expect(keys.count == 31)
        for key in keys {
            let number = try #require(Int(key.name.dropFirst(2), radix: 16))
            #expect(value[number] != nil, "\(key.name)")
        }
        #expect(value[0x10]?.integerValue == 1 && value[0x1d]?.integerValue == 63)
        #expect(value[0x16] == ["packed"] && value[0x1a] == .array([]))
    }

    @Test(arguments: 0..<3) func `hmac-secret crosses the wire as the standard's PRF cases do`(index: Int) throws {
        let vectors = try #require(standard)
        let prf = try #require(vectors.json["prf"])
        let example = try #require(prf["cases"]?.arrayValue?[index])
        let number = PINUVAuthProtocol(rawValue: Int(try #require(example["pinProtocol"]?.integerValue)))
        func pair(_ name: String) throws -> PINUVKeyAgreement {
            try #require(PINUVKeyAgreement(rawRepresentation: vectors.bytes(prf["hmacSecret"]?[name])))
        }
        let authenticator = try pair("authenticator_key_agreement_private_key")
        let platform = try pair("platform_key_agreement_private_key")
        let salts = vectors.bytes(example["salt_enc"])
        let secret = try platform.decapsulate(authenticator.publicKey, using: number)
        let input = HMACSecretInput(
            keyAgreement: platform.publicKey,
            saltEnc: salts,
            saltAuth: vectors.bytes(example["_saltAuth_computed"]),
            pinUVAuthProtocol: number
        )
        let opened = try input.open(with: authenticator)
        #expect(opened.salts.first == vectors.bytes(example["salt1"]))
        #expect(opened.salts.second ?? [] == vectors.bytes(example["salt2"]))
        let results = vectors.bytes(example["prf_results_first"]) + vectors.bytes(example["prf_results_second"])
        #expect(try secret.decrypt(vectors.bytes(example["output_enc"])) == results)
        let iv = Array(vectors.bytes(example["output_enc"]).prefix(16))
        let fixed = Effects(now: { 0 }, randomBytes: { Array(iv.prefix($0)) })
        #expect(try opened.secret.encrypt(results, effects: fixed) == vectors.bytes(example["output_enc"]))
    }
}

@Suite struct `Agreeing on keys` {
    @Test(arguments: [PINUVAuthProtocol.one, .two])
    func `both sides know the same, and nobody else does`(number: PINUVAuthProtocol) throws {
        let authenticator = PINUVKeyAgreement()
        let (key, secret) = try PINUVSharedSecret.encapsulate(to: authenticator.publicKey, using: number)
        let other = try authenticator.decapsulate(key, using: number)
        let message = [UInt8](repeating: 7, count: 32)
        #expect(try other.decrypt(try secret.encrypt(message)) == message)
        #expect(other.verify(message, signature: secret.authenticate(message)))
        let stranger = try PINUVKeyAgreement().decapsulate(key, using: number)
        #expect(!stranger.verify(message, signature: secret.authenticate(message)))
        #expect(secret.description == "PINUVSharedSecret(\(number))")
        #expect(Mirror(reflecting: secret).children.count == 1)
    }

    @Test(arguments: [PINUVAuthProtocol.one, .two])
    func `salts are opened by whom they are for, unless somebody touched them`(number: PINUVAuthProtocol) throws {
        let authenticator = PINUVKeyAgreement()
        let (input, secret) = try HMACSecretInput.seal(Sample.salts, to: authenticator.publicKey, using: number)
        let opened = try input.open(with: authenticator)
        #expect(opened.salts == Sample.salts)
        #expect(opened.secret.authenticate([1]) == secret.authenticate([1]))
        #expect(throws: CTAPStatus.pinAuthInvalid) { try input.open(with: PINUVKeyAgreement()) }
        for index in input.saltEnc.indices {
            var touched = input
            touched.saltEnc[index] ^= 1 << (index % 8)
            #expect(throws: CTAPStatus.pinAuthInvalid) { try touched.open(with: authenticator) }
        }
        for index in input.saltAuth.indices {
            var touched = input
            touched.saltAuth[index] ^= 1 << (index % 8)
            #expect(throws: CTAPStatus.pinAuthInvalid) { try touched.open(with: authenticator) }
        }
        var shortened = input
        shortened.saltAuth.removeLast()
        #expect(throws: CTAPStatus.pinAuthInvalid) { try shortened.open(with: authenticator) }
        var unknown = input
        unknown.pinUVAuthProtocol = .init(rawValue: 3)
        #expect(throws: CTAPStatus.invalidParameter) { try unknown.open(with: authenticator) }
        var swapped = input
        swapped.pinUVAuthProtocol = number == .one ? .two : .one
        #expect(throws: CTAPStatus.pinAuthInvalid) { try swapped.open(with: authenticator) }
    }

    @Test func `a protocol that is not named is one`() throws {
        let authenticator = PINUVKeyAgreement()
        var input = try HMACSecretInput.seal(Sample.salts, to: authenticator.publicKey, using: .one).input
        input.pinUVAuthProtocol = nil
        #expect(try input.open(with: authenticator).salts == Sample.salts)
    }

    @Test(arguments: [0, 16, 48, 80]) func `salts are one or two, never another number of bytes`(count: Int) throws {
        let authenticator = PINUVKeyAgreement()
        let (key, secret) = try PINUVSharedSecret.encapsulate(to: authenticator.publicKey, using: .two)
        let sealed = try secret.encrypt([UInt8](repeating: 1, count: count))
        let input = HMACSecretInput(
            keyAgreement: key,
            saltEnc: sealed,
            saltAuth: secret.authenticate(sealed),
            pinUVAuthProtocol: .two
        )
        #expect(throws: CTAPStatus.invalidLength) { try input.open(with: authenticator) }
    }

    @Test func `half blocks are refused`() throws {
        for number in [PINUVAuthProtocol.one, .two] {
            let secret = try PINUVSharedSecret.encapsulate(to: PINUVKeyAgreement().publicKey, using: number).secret
            #expect(throws: CTAPStatus.invalidLength) { try secret.encrypt([1]) }
            #expect(throws: CTAPStatus.invalidLength) { try secret.decrypt([UInt8](repeating: 0, count: 17)) }
        }
        let two = try PINUVSharedSecret.encapsulate(to: PINUVKeyAgreement().publicKey, using: .two).secret
        #expect(throws: CTAPStatus.invalidLength) { try two.decrypt([1]) }
    }

    @Test func `protocol two draws a new vector each time`() throws {
        let secret = try PINUVSharedSecret.encapsulate(to: PINUVKeyAgreement().publicKey, using: .two).secret
        #expect(try secret.encrypt(Sample.hash) != secret.encrypt(Sample.hash))
    }

    @Test func `a point off the curve is refused`() throws {
        let point = try #require(KeyAgreementKey(x: Sample.hash, y: Sample.hash))
        #expect(throws: CTAPStatus.invalidParameter) { try PINUVKeyAgreement().decapsulate(point, using: .one) }
        let zero = [UInt8](repeating: 0, count: 32)
        let nowhere = try #require(KeyAgreementKey(x: zero, y: zero))
        #expect(throws: CTAPStatus.invalidParameter) { try PINUVKeyAgreement().decapsulate(nowhere, using: .two) }
        #expect(KeyAgreementKey(x: [1], y: zero) == nil)
        #expect(KeyAgreementKey(x: zero, y: [1]) == nil)
        #expect(PINUVKeyAgreement(rawRepresentation: [1]) == nil)
    }

    @Test(
        arguments: [
            ([1: 3], .invalidParameter), ([-1: 2], .invalidParameter), ([-2: .bytes([1])], .invalidParameter),
            ([-3: "y"], .cborUnexpectedType), ([1: "x"], .cborUnexpectedType),
        ] as [(CBORValue, CTAPStatus)]
    )
    func `a key of another kind is refused`(change: CBORValue, status: CTAPStatus) throws {
        let message = ClientPINResponse(keyAgreement: PINUVKeyAgreement().publicKey)
        let value = try CBORValue.decode(message.encoded)
        // Of pairs with the same key the last one counts.
        let key = try #require(value[1]?.mapValue) + (change.mapValue ?? [])
        #expect(throws: status) { try ClientPINResponse((([1: .map(key)]) as CBORValue).encoded()) }
    }
}
