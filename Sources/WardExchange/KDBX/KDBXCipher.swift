internal import CSodium
internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import WardText

/// The cipher of the whole content of a KDBX file.
package enum KDBXCipher: Sendable {
    /// AES with 256 bits in CBC mode, with the padding of PKCS#7.
    case aes
    /// ChaCha20 with a nonce of 12 bytes (RFC 8439, section 2.4).
    case chaCha20

    private static let aesIdentifier = "31c1f2e6bf714350be5805216afc5aff"
    private static let chaCha20Identifier = "d6038a2b8b6f4cb5a524339a31dbb59a"
    private static let twofishIdentifier = "ad68f29f576f4bb9a36ad47af965346c"

    init(identifier: [UInt8]) throws(ImportError) {
        switch Hex.encode(identifier) {
        case Self.aesIdentifier: self = .aes
        case Self.chaCha20Identifier: self = .chaCha20
        case Self.twofishIdentifier:
            throw ImportError(.unsupported, "the file is encrypted with Twofish; save it with AES-256 or ChaCha20")
        default:
            throw ImportError(.unsupported, "the file has an unknown cipher; save it with AES-256 or ChaCha20")
        }
    }

    /// The bytes that name the cipher in the header.
    var identifier: [UInt8] { Hex.decode(self == .aes ? Self.aesIdentifier : Self.chaCha20Identifier) ?? [] }

    /// The length of the field `EncryptionIV`.
    var nonceLength: Int { self == .aes ? 16 : 12 }

    /// The plain form of a content, or `nil` if the padding is wrong.
    func decrypt(_ bytes: [UInt8], key: SymmetricKey, nonce: [UInt8]) -> [UInt8]? {
        guard self == .aes else { return Self.chaCha20(bytes, key: key, nonce: nonce) }
        guard let iv = try? AES._CBC.IV(ivBytes: nonce), !bytes.isEmpty, bytes.count.isMultiple(of: 16),
            let plain = try? AES._CBC.decrypt(bytes, using: key, iv: iv)
        else { return nil }
        return [UInt8](plain)
    }

    /// The encrypted form of a content, or `nil` for a nonce of a wrong length.
    func encrypt(_ bytes: [UInt8], key: SymmetricKey, nonce: [UInt8]) -> [UInt8]? {
        guard self == .aes else { return Self.chaCha20(bytes, key: key, nonce: nonce) }
        guard let iv = try? AES._CBC.IV(ivBytes: nonce) else { return nil }
        return (try? AES._CBC.encrypt(bytes, using: key, iv: iv)).map { [UInt8]($0) }
    }

    private static func chaCha20(_ bytes: [UInt8], key: SymmetricKey, nonce: [UInt8]) -> [UInt8]? {
        // 32 bits count the blocks of 64 bytes.
        guard nonce.count == 12, key.bitCount == 256, bytes.count < 1 << 37 else { return nil }
        var result = [UInt8](repeating: 0, count: bytes.count)
        let keyBytes = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
        _ = unsafe crypto_stream_chacha20_ietf_xor_ic(&result, bytes, UInt64(bytes.count), nonce, 0, keyBytes)
        return result
    }
}

/// The stream that hides single values inside of the XML.
///
/// It goes on from one value to the next, so the values must be read in the order of the file.
struct KDBXInnerStream {
    private enum Kind {
        case none
        case salsa20
        case chaCha20
    }

    private let kind: Kind
    private let key: [UInt8]
    private let nonce: [UInt8]
    private var position = 0

    /// The number of ChaCha20 in the file.
    static let chaCha20: UInt32 = 3

    init(_ id: UInt32, key: [UInt8]) throws(ImportError) {
        switch id {
        case 0:
            (kind, self.key, nonce) = (.none, [], [])
        case 2:
            kind = .salsa20
            self.key = Array(SHA256.hash(data: key))
            nonce = [0xe8, 0x30, 0x09, 0x4b, 0x97, 0x20, 0x5d, 0x2a]
        case Self.chaCha20:
            kind = .chaCha20
            let hash = Array(SHA512.hash(data: key))
            self.key = Array(hash[..<32])
            nonce = Array(hash[32..<44])
        default:
            throw ImportError(.unsupported, "single values are hidden with an unknown cipher")
        }
    }

    /// Hides or shows the next value.
    mutating func next(_ value: [UInt8]) -> [UInt8] {
        guard kind != .none, !value.isEmpty else { return value }
        let (block, skipped) = (position / 64, position % 64)
        position += value.count
        let input = [UInt8](repeating: 0, count: skipped) + value
        var output = [UInt8](repeating: 0, count: input.count)
        if kind == .salsa20 {
            _ = unsafe crypto_stream_salsa20_xor_ic(&output, input, UInt64(input.count), nonce, UInt64(block), key)
        } else {
            _ = unsafe crypto_stream_chacha20_ietf_xor_ic(
                &output,
                input,
                UInt64(input.count),
                nonce,
                UInt32(truncatingIfNeeded: block),
                key
            )
        }
        return Array(output[skipped...])
    }
}
