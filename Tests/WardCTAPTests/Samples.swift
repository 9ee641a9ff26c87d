import Foundation
import Testing
import WardCBOR
import WardCOSE
import WardCTAP
import WardTesting
import WardText
import WardWebAuthn

/// The parser and the writer of one kind of message, whichever it is.
struct MessageKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Reads and writes again.
    let again: @Sendable ([UInt8]) throws(CTAPStatus) -> [UInt8]

    static let makeCredentialRequest = Self(testDescription: "makeCredential request") {
        bytes throws(CTAPStatus) in try MakeCredentialRequest(bytes).encoded
    }
    static let makeCredentialResponse = Self(testDescription: "makeCredential response") {
        bytes throws(CTAPStatus) in try MakeCredentialResponse(bytes).encoded
    }
    static let getAssertionRequest = Self(testDescription: "getAssertion request") {
        bytes throws(CTAPStatus) in try GetAssertionRequest(bytes).encoded
    }
    static let getAssertionResponse = Self(testDescription: "getAssertion response") {
        bytes throws(CTAPStatus) in try GetAssertionResponse(bytes).encoded
    }
    static let info = Self(testDescription: "getInfo") {
        bytes throws(CTAPStatus) in try AuthenticatorInfo(bytes).encoded
    }
    static let clientPINRequest = Self(testDescription: "clientPIN request") {
        bytes throws(CTAPStatus) in try ClientPINRequest(bytes).encoded
    }
    static let clientPINResponse = Self(testDescription: "clientPIN response") {
        bytes throws(CTAPStatus) in try ClientPINResponse(bytes).encoded
    }
}

/// One message in its canonical form.
struct Sample: Sendable, CustomTestStringConvertible {
    let kind: MessageKind
    let bytes: [UInt8]
    var testDescription: String { "\(kind.testDescription), \(bytes.count) bytes" }

    static let hash = [UInt8](0..<32)
    static let handle = UserHandle([9, 8, 7])!
    static let id = CredentialID([UInt8](repeating: 5, count: 32))!
    static let salts = PRFSalts(
        first: [UInt8](repeating: 1, count: 32),
        second: [UInt8](repeating: 2, count: 32)
    )!

    /// A request with everything in it that CTAP 2.3 knows.
    static var fullMakeCredential: MakeCredentialRequest {
        var extensions: CTAPExtensions = [.hmacSecret: true, .minPinLength: true, "future": ["a": 1]]
        extensions.set(credProtect: .userVerificationRequired)
        extensions.set(prfInput: PRFExtensionInput(eval: salts))
        extensions.set(largeBlobInput: .init(support: .required))
        var request = MakeCredentialRequest(
            clientDataHash: hash,
            relyingParty: .init(id: "example.com", name: "Example"),
            user: .init(id: handle, name: "anna", displayName: "Anna"),
            pubKeyCredParams: [.init(.es256), .init(.edDSA), .init(.init(rawValue: 70_000))],
            excludeList: [.init(id: id, transports: [.usb, .internal]), .init(id: CredentialID([1])!)],
            extensions: extensions,
            options: .init(residentKey: true, userPresence: true, userVerification: false),
            pinUVAuthParam: [UInt8](repeating: 3, count: 32),
            pinUVAuthProtocol: .two,
            enterpriseAttestation: 1,
            attestationFormatsPreference: ["packed", "none"]
        )
        request.unknown = [CBORPair(key: 0x30, value: "later"), CBORPair(key: "text", value: 1)]
        request.options.unknown = [CBORPair(key: "future", value: true)]
        return request
    }

    static var fullGetAssertion: GetAssertionRequest {
        var extensions: CTAPExtensions = [:]
        extensions.set(prfInput: PRFExtensionInput(eval: salts, evalByCredential: [id: salts]))
        extensions.set(
            hmacSecretInput: HMACSecretInput(
                keyAgreement: KeyAgreementKey(x: hash, y: hash)!,
                saltEnc: [UInt8](repeating: 4, count: 48),
                saltAuth: hash,
                pinUVAuthProtocol: .two
            ),
            as: .hmacSecret
        )
        return GetAssertionRequest(
            rpID: "example.com",
            clientDataHash: hash,
            allowList: [.init(id: id, transports: [.hybrid])],
            extensions: extensions,
            options: .init(userPresence: false, userVerification: true),
            pinUVAuthParam: [],
            pinUVAuthProtocol: .one,
            enterpriseAttestation: 2,
            attestationFormatsPreference: ["packed"]
        )
    }

    /// Information with all thirty-one members, and two that nobody knows yet.
    static var fullInfo: AuthenticatorInfo {
        var info = AuthenticatorInfo(
            versions: [AuthenticatorInfo.u2f, AuthenticatorInfo.fido20, AuthenticatorInfo.fido23],
            extensions: [.credProtect, .hmacSecret],
            aaguid: AAGUID([UInt8](0..<16))!,
            options: [.residentKey: true, .clientPIN: false, "future": true],
            maximumMessageSize: 1_200,
            pinUVAuthProtocols: [.two, .one, .init(rawValue: 9)],
            transports: [.usb, "carrier-pigeon"],
            algorithms: [.init(.es256), .init(.mlDSA65)],
            attestationFormats: ["packed"]
        )
        info.maximumCredentialCountInList = 8
        info.maximumCredentialIDLength = 128
        info.maximumSerializedLargeBlobArray = 1_024
        info.forcesPINChange = false
        info.minimumPINLength = 4
        info.firmwareVersion = 0x0102_0304
        info.maximumCredBlobLength = 32
        info.maximumRPIDsForSetMinPINLength = 1
        info.preferredPlatformUvAttempts = 3
        info.uvModality = 0x8000_0000_0000_0002
        info.certifications = ["FIDO": 1]
        info.remainingDiscoverableCredentials = 100
        info.vendorPrototypeConfigCommands = [UInt64.max]
        info.uvCountSinceLastPINEntry = 2
        info.needsLongTouchForReset = true
        info.encryptedIdentifier = hash
        info.transportsForReset = []
        info.hasPINComplexityPolicy = true
        info.pinComplexityPolicyURL = Array("https://example.com".utf8)
        info.maximumPINLength = 63
        info.encryptedCredentialStoreState = hash
        info.authenticatorConfigCommands = [1, 2]
        info.unknown = [CBORPair(key: 0x63, value: 1_234), CBORPair(key: -1, value: true)]
        return info
    }

    static var fullMakeCredentialResponse: MakeCredentialResponse {
        var outputs: CTAPExtensions = [:]
        outputs.set(prfOutput: PRFOutputs(enabled: true, results: .init(first: hash, second: hash)))
        outputs.set(largeBlobOutput: .init(supported: true))
        outputs.set(isDiscoverable: true)
        return MakeCredentialResponse(
            format: "packed",
            authenticatorData: [UInt8](repeating: 6, count: 37),
            attestationStatement: ["alg": -7, "sig": .bytes([1, 2])],
            isEnterpriseAttestation: false,
            largeBlobKey: hash,
            unsignedExtensionOutputs: outputs
        )
    }

    static var fullGetAssertionResponse: GetAssertionResponse {
        var outputs: CTAPExtensions = [:]
        outputs.set(largeBlobOutput: .init(blob: [1, 2, 3], written: true))
        return GetAssertionResponse(
            credential: .init(id: id),
            authenticatorData: [UInt8](repeating: 6, count: 37),
            signature: [1, 2, 3],
            user: .init(id: handle, name: "anna", displayName: "Anna"),
            numberOfCredentials: 2,
            isUserSelected: false,
            largeBlobKey: hash,
            unsignedExtensionOutputs: outputs
        )
    }

    static var fullClientPINRequest: ClientPINRequest {
        ClientPINRequest(
            pinUVAuthProtocol: .two,
            subcommand: .getPINUVAuthTokenUsingPINWithPermissions,
            keyAgreement: KeyAgreementKey(x: hash, y: hash),
            pinUVAuthParam: hash,
            newPINEnc: hash,
            pinHashEnc: hash,
            permissions: 3,
            rpID: "example.com"
        )
    }

    static var fullClientPINResponse: ClientPINResponse {
        ClientPINResponse(
            keyAgreement: KeyAgreementKey(x: hash, y: hash),
            pinUVAuthToken: hash,
            pinRetries: 8,
            needsPowerCycle: false,
            uvRetries: 3
        )
    }

    /// One of each kind, with everything in it.
    static let all = [
        Sample(kind: .makeCredentialRequest, bytes: fullMakeCredential.encoded),
        Sample(kind: .getAssertionRequest, bytes: fullGetAssertion.encoded),
        Sample(kind: .info, bytes: fullInfo.encoded),
        Sample(kind: .makeCredentialResponse, bytes: fullMakeCredentialResponse.encoded),
        Sample(kind: .getAssertionResponse, bytes: fullGetAssertionResponse.encoded),
        Sample(kind: .clientPINRequest, bytes: fullClientPINRequest.encoded),
        Sample(kind: .clientPINResponse, bytes: fullClientPINResponse.encoded),
    ]

    /// Messages that others published: real devices, browsers' samples, and the standard's own example.
    static let published: [Sample] = {
        guard let messages = PublishedVectors("ctap/messages.json") else { return [] }
        var samples: [Sample] = []
        for entry in messages.json["getInfo"]?.arrayValue ?? [] {
            samples.append(Sample(kind: .info, bytes: messages.bytes(entry["response"])))
        }
        samples.append(
            Sample(kind: .makeCredentialResponse, bytes: messages.bytes(messages.json["makeCredentialResponse"]))
        )
        samples.append(
            Sample(kind: .getAssertionResponse, bytes: messages.bytes(messages.json["getAssertionResponse"]))
        )
        let frames = messages.json["cableFrames"]
        let request = messages.bytes(frames?["makeCredentialRequestFrame"])
        // A frame type and a command byte before the request, a frame type before the response.
        samples.append(Sample(kind: .makeCredentialRequest, bytes: Array(request.dropFirst(2))))
        let response = messages.bytes(frames?["makeCredentialResponseFrame"])
        samples.append(Sample(kind: .makeCredentialResponse, bytes: Array(response.dropFirst(1))))
        for entry in messages.json["hybridPostHandshake"]?.arrayValue ?? [] {
            guard let outer = try? CBORValue.decode(messages.bytes(entry["hex"])), let info = outer[1]?.bytesValue
            else { continue }
            samples.append(Sample(kind: .info, bytes: info))
        }
        return samples
    }()
}

/// A file of the folder of published answers.
struct PublishedVectors: Sendable {
    let json: JSONValue

    init?(_ path: String) {
        guard let bytes = TestVectors.bytes(path),
            let json = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        else { return nil }
        self.json = json
    }

    func bytes(_ value: JSONValue?) -> [UInt8] {
        value?.stringValue.flatMap { TestVectors.bytes(hex: $0) } ?? []
    }
}
