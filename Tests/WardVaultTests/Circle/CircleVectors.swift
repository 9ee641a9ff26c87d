import Foundation
import WardLog

/// The keys in `Tests/TestVectors/circle/keys.json`, which another program made.
struct CircleVectors: Decodable {
    /// Bytes that are hexadecimal text in the file.
    struct Hexadecimal: Decodable {
        let value: [UInt8]

        init(from decoder: any Decoder) throws {
            value = bytes(hex: try decoder.singleValueContainer().decode(String.self))
        }
    }

    struct Sealed: Decodable {
        let recipient: Hexadecimal
        let suite: UInt64
        let encapsulation: Hexadecimal
        let ciphertext: Hexadecimal
        /// The key pair of a device.
        let seed: Hexadecimal?
        let publicKey: Hexadecimal?

        var key: CircleSealedKey {
            CircleSealedKey(
                recipient: recipient.value,
                suite: suite,
                encapsulation: encapsulation.value,
                ciphertext: ciphertext.value
            )
        }
    }

    struct CircleKeys: Decodable {
        let epoch: UInt64
        let vaultKey: Hexadecimal
        let secretKey: Hexadecimal
        let commitment: Hexadecimal
        let sealed: [Sealed]
        let lowOrder: Sealed
    }

    struct Recovery: Decodable {
        let key: Hexadecimal
        let publicKey: Hexadecimal
        let circleKey: Hexadecimal
        let circle: Hexadecimal
        let circleProof: Hexadecimal
        let content: Hexadecimal
        let signature: Hexadecimal
    }

    struct Owner: Decodable {
        let seed: Hexadecimal
        let publicKey: Hexadecimal
        let stretched: Hexadecimal
        let secretKey: Hexadecimal
        let salt: Hexadecimal
        let nonce: Hexadecimal
        let sealed: Hexadecimal
        let toRecoveryKey: Sealed
        let content: Hexadecimal
        let signature: Hexadecimal
    }

    struct Device: Decodable {
        let keys: [Hexadecimal]
        let seed: Hexadecimal
        let circleSeed: Hexadecimal
        let circleKey: Hexadecimal
        let nonce: Hexadecimal
        let versions: [Hexadecimal]
    }

    struct Bundle: Decodable {
        let owners: [Hexadecimal]
        let keys: [Hexadecimal]
        let before: Hexadecimal
        let bundle: Hexadecimal
    }

    let genesis: Hexadecimal
    let vault: Hexadecimal
    let circleKeys: CircleKeys
    let recovery: Recovery
    let owner: Owner
    let device: Device
    let bundle: Bundle

    static func load() throws -> CircleVectors { try load(CircleVectors.self, "keys.json") }

    static func load<Content: Decodable>(_ type: Content.Type, _ name: String) throws -> Content {
        let folder = FormatVectors.folder.deletingLastPathComponent()
        return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appendingPathComponent("circle/" + name)))
    }
}
