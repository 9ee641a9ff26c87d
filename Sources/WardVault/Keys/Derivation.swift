internal import Crypto
internal import Foundation

extension LockedBytes {
    /// The same bytes as swift-crypto takes them; wiped with the last owner.
    var symmetricKey: SymmetricKey { unsafe withBytes { unsafe SymmetricKey(data: $0) } }
}

extension SymmetricKey {
    /// One more key out of this one: HKDF-SHA256 (RFC 5869) with `label`, a zero byte and `context` as its info.
    func derive(_ label: String, salt: [UInt8], context: [UInt8], count: Int = 32) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self,
            salt: salt,
            info: Array(label.utf8) + [0] + context,
            outputByteCount: count
        )
    }

    /// The key's bytes on the heap, for what is no secret: commitments and check values.
    var published: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

/// AES-256-GCM as everything at rest uses it.
enum Sealing {
    /// Nonce, ciphertext and tag.
    static func seal(
        _ plaintext: some DataProtocol,
        key: SymmetricKey,
        nonce: [UInt8],
        associated: [UInt8]
    ) throws(VaultError) -> [UInt8] {
        do {
            let nonce = try AES.GCM.Nonce(data: nonce)
            let box = try AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: associated)
            return Array(nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw VaultError(.unavailable, "AES-GCM refuses to seal")
        }
    }

    /// The plaintext, or `nil` when anything was changed or the key is another.
    static func open(_ sealed: some DataProtocol, key: SymmetricKey, associated: [UInt8]) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: associated)
    }

    static let nonceLength = 12
    static let overhead = 28
}

/// Two byte strings compared in time that does not depend on where they differ.
func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (mine, theirs) in zip(left, right) { difference |= mine ^ theirs }
    return difference == 0
}
