import Foundation
import Testing
import WardCBOR
import WardTesting

/// Attestation objects that real authenticators and the specification's authors made, found anywhere in the recorded files.
enum RecordedAttestation {
    static let files = [
        "attestationAndroidKeyResponse", "attestationAppleResponse", "attestationNoneResponse",
        "attestationResultTrustKeyT110",
        "attestationResultsATKey", "attestationResultsNone", "attestationResultsPacked", "attestationResultsPacked512",
        "attestationResultsU2F", "attestationTPMSHA1Response", "attestationTPMSHA256Response",
    ]

    static func object(in file: String) throws -> [UInt8]? {
        guard let url = TestVectors.url("devices/\(file).json") else { return nil }
        return try text(JSONSerialization.jsonObject(with: Data(contentsOf: url))).flatMap(base64URL)
    }

    private static func text(_ json: Any) -> String? {
        guard let members = json as? [String: Any] else { return nil }
        if let found = members["attestationObject"] as? String ?? members["AttestationObject"] as? String {
            return found
        }
        return members.values.lazy.compactMap(text).first
    }

    private static func base64URL(_ text: String) -> [UInt8]? {
        var text = text.replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        return Data(base64Encoded: text).map { [UInt8]($0) }
    }
}

@Suite(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
struct `Attestation objects of others` {
    @Test(arguments: RecordedAttestation.files)
    func `what a real authenticator sent is canonical, but for the outermost map that a browser wrote`(
        file: String
    ) throws {
        let bytes = try #require(try RecordedAttestation.object(in: file))
        var rules = CBORRules.webAuthn
        rules.requiresSortedKeys = false
        let value = try CBORValue.decode(bytes, rules: rules)
        let pairs = try #require(value.mapValue)
        #expect(pairs.count == 3)
        for pair in pairs {
            let inside = pair.value.encoded()
            #expect(try CBORValue.decode(inside, rules: .webAuthn) == pair.value)
        }
        let isSorted = pairs.map(\.key) == ["fmt", "attStmt", "authData"]
        #expect(isSorted == (file != "attestationResultsPacked"))
        #expect(isSorted == (value.encoded() == bytes))
        #expect(isSorted == ((try? CBORValue.decode(bytes, rules: .webAuthn)) == value))
    }

    @Test func `the specification's examples are canonical`() throws {
        let url = try #require(TestVectors.url("webauthn-l3.json"))
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
        let vectors = try #require(document?["vectors"] as? [[String: Any]])
        #expect(vectors.count == 15)
        for vector in vectors {
            let registration = vector["registration"] as? [String: Any]
            let given = try #require(registration?["given"] as? [String: Any])
            let bytes = hex(try #require(given["attestationObject"] as? String))
            #expect(try CBORValue.decode(bytes, rules: .webAuthn).encoded() == bytes, "\(vector["name"] ?? "")")
        }
    }
}
