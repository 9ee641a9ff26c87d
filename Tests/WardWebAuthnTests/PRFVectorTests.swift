import Crypto
import CryptoExtras
import Foundation
import Testing
import WardTesting
import WardText
import WardWebAuthn

/// The three PRF cases of the specification's section 16, from a page's input to what comes back to it.
@Suite(.enabled(if: TestVectors.areAvailable, "the folder of published answers is absent"))
struct `PRF cases of the specification` {
    private func prf() throws -> JSONValue {
        let url = try #require(TestVectors.url("webauthn-l3.json"))
        let data = try Data(contentsOf: url)
        let value = try JSONDecoder().decode(JSONValue.self, from: data)
        return try #require(value["prf"])
    }

    private func bytes(_ value: JSONValue?) throws -> [UInt8] {
        let text = try #require(value?.stringValue)
        return try #require(TestVectors.bytes(hex: text))
    }

    /// AES-256-CBC without padding, as both PIN protocols use it; protocol 2 puts the vector in front.
    private func decrypt(_ encrypted: [UInt8], secret: [UInt8], protocol number: Int64) throws -> [UInt8] {
        let key = SymmetricKey(data: number == 2 ? Array(secret.suffix(32)) : secret)
        let vector = number == 2 ? Array(encrypted.prefix(16)) : [UInt8](repeating: 0, count: 16)
        let body = number == 2 ? Array(encrypted.dropFirst(16)) : encrypted
        return Array(try AES._CBC.decrypt(body, using: key, iv: .init(ivBytes: vector), noPadding: true))
    }

    @Test(arguments: 0..<3)
    func `inputs become salts, and salts become results`(index: Int) throws {
        let prf = try prf()
        let cases = try #require(prf["cases"]?.arrayValue)
        let example = cases[index]
        let second = try example["prf_eval_second"].map { try bytes($0) }
        let inputs = PRFInputs.Values(first: try bytes(example["prf_eval_first"]), second: second)
        var salts = [try bytes(example["salt1"])]
        var results = [try bytes(example["prf_results_first"])]
        if second != nil {
            salts.append(try bytes(example["salt2"]))
            results.append(try bytes(example["prf_results_second"]))
        }
        #expect(inputs.salts == salts)

        // What crosses to the authenticator and back, under the secret both sides agreed on.
        let secret = try bytes(example["shared_secret"])
        let number = try #require(example["pinProtocol"]?.integerValue)
        let sent = try decrypt(try bytes(example["salt_enc"]), secret: secret, protocol: number)
        #expect(sent == salts.flatMap { $0 })
        let credRandom = SymmetricKey(data: try bytes(prf["hmacSecret"]?["authenticator_cred_random"]))
        let outputs = salts.map { Array(HMAC<SHA256>.authenticationCode(for: $0, using: credRandom)) }
        #expect(outputs == results)
        let returned = try decrypt(try bytes(example["output_enc"]), secret: secret, protocol: number)
        #expect(returned == results.flatMap { $0 })
    }

    @Test func `equal inputs have equal salts, and others have others`() {
        #expect(PRFInputs.Values(first: [1, 2], second: [1, 2]).salts[0] == PRFInputs.Values(first: [1, 2]).salts[0])
        #expect(Set(PRFInputs.Values(first: [1, 2], second: [1, 3]).salts).count == 2)
    }
}
