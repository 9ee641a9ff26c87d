import Crypto
import WardLog
import WardVault

/// Signatures and sealing that cost next to nothing, and the same bytes in every run.
///
/// Anybody can make them: they protect nothing. A schedule of devices that are honest needs no more.
enum KeyedHash {
    /// Signatures.
    static let signatures = SignatureScheme(
        isValid: { signature, message, publicKey in signature == sign(message, publicKey) },
        substitute: SignatureScheme.Substitute(publicKey: { hash([1], $0) }, sign: sign)
    )

    /// Sealing in place of HPKE.
    static let sealing = SealingSubstitute(
        publicKey: { seed, length in hash([2], seed) + zeros(length - 32) },
        seal: { plaintext, publicKey, info, length in
            let encapsulation = hash([3], publicKey, info, plaintext)
            let ciphertext = mixed(plaintext, encapsulation, publicKey)
            let tag = hash([4], encapsulation, publicKey, info, ciphertext).prefix(16)
            return (encapsulation + zeros(length - 32), ciphertext + tag)
        },
        open: { ciphertext, encapsulation, publicKey, info in
            let (body, start) = (Array(ciphertext.dropLast(16)), Array(encapsulation.prefix(32)))
            guard
                Array(hash([4], start, publicKey, info, body).prefix(16)) == Array(ciphertext.suffix(16))
            else {
                return nil
            }
            return mixed(body, start, publicKey)
        }
    )

    private static func sign(_ message: [UInt8], _ publicKey: [UInt8]) -> [UInt8] {
        let half = hash(publicKey, message)
        return half + half
    }

    private static func mixed(_ bytes: [UInt8], _ start: [UInt8], _ publicKey: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = []
        var block: UInt8 = 0
        while stream.count < bytes.count {
            stream += hash([5, block], start, publicKey)
            block &+= 1
        }
        return zip(bytes, stream).map { $0 ^ $1 }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func hash(_ parts: [UInt8]...) -> [UInt8] {
        var hash = SHA256()
        for part in parts { hash.update(data: part) }
        return Array(hash.finalize())
    }
}
