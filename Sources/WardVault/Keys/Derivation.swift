internal import Crypto
internal import Foundation

extension LockedBytes {
    /// The same bytes in the type of swift-crypto.
    ///
    /// They are wiped with the last reference.
    var symmetricKey: SymmetricKey { unsafe withBytes { unsafe SymmetricKey(data: $0) } }
}

extension SymmetricKey {
    /// Derives another key: HKDF-SHA256 (RFC 5869) with `label`, a zero byte and `context` as info.
    func derive(_ label: String, salt: [UInt8], context: [UInt8], count: Int = 32) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self,
            salt: salt,
            info: Array(label.utf8) + [0] + context,
            outputByteCount: count
        )
    }

    /// The key's bytes in ordinary memory, for values that are not secret: commitments and check values.
    var published: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    /// The key's bytes in ordinary memory, for keys of other kinds.
    ///
    /// The caller must wipe its copy.
    var copy: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

extension Data {
    /// Takes the bytes out.
    ///
    /// The data itself is overwritten in place, if no other variable shares it.
    mutating func takeBytes() -> [UInt8] {
        let bytes = [UInt8](self)
        if !isEmpty { resetBytes(in: startIndex..<endIndex) }
        return bytes
    }
}

/// AES-256-GCM for all stored data.
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
            throw VaultError(.unavailable, "AES-GCM encryption failed")
        }
    }

    /// The plaintext, or `nil` if the data was changed or the key is wrong.
    static func open(_ sealed: some DataProtocol, key: SymmetricKey, associated: [UInt8]) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: associated)
    }

    static let nonceLength = 12
    static let overhead = 28
}
