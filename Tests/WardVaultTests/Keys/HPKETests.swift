import Crypto
import Foundation
import Testing
import WardTesting

@Suite struct `Hybrid encryption` {
    private struct Case: Decodable {
        let mode: Int
        let kemID: Int
        let kdfID: Int
        let aeadID: Int
        let info: String
        let skRm: String
        let pkRm: String
        let enc: String

        enum CodingKeys: String, CodingKey {
            case mode, info, skRm, pkRm, enc
            case kemID = "kem_id"
            case kdfID = "kdf_id"
            case aeadID = "aead_id"
        }
    }

    /// RFC 9180's vectors are published as digests over a thousand messages, and swift-crypto cannot be made to send with a given
    /// key.
    ///
    /// So `test_vault_format.py` computes the digests with its own HPKE, finds them right, and gives the message and the exported
    /// secret that are opened and compared here.
    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `the recipient of RFC 9180 opens what another implementation sealed`() throws {
        let url = try #require(TestVectors.url("hpke/rfc9180.json"))
        let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: url))
        let found = try #require(
            cases.first { $0.mode == 0 && $0.kemID == 0x20 && $0.kdfID == 1 && $0.aeadID == 2 }
        )
        let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes(hex: found.skRm))
        #expect(hex(key.publicKey.rawRepresentation) == found.pkRm)
        var recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256),
            info: Data(bytes(hex: found.info)),
            encapsulatedKey: Data(bytes(hex: found.enc))
        )
        let sealed = Data(bytes(hex: "d0dc5fc437caabedc5e5cc63050cf960d8ab3663"))
        #expect(try recipient.open(sealed, authenticating: Data("aad".utf8)) == Data("ward".utf8))
        let secret = try recipient.exportSecret(context: Data("ward".utf8), outputByteCount: 32)
        let text = unsafe secret.withUnsafeBytes { unsafe hex([UInt8]($0)) }
        #expect(text == "f5a45c2083738785beda5da2cd47724feeadc256ca49f531e356b86a34efd875")
    }
}
