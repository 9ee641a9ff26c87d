internal import Crypto
internal import Foundation
internal import WardVault

/// A public key of age that a file is encrypted to: `age1…`.
public struct AgeRecipient: Hashable, Sendable {
    /// The X25519 key.
    let bytes: [UInt8]

    /// Reads `age1` and the key.
    ///
    /// It is `nil` for anything else, such as a recipient of a plugin.
    ///
    /// - Parameter text: The text of `age-keygen`, also with white space around it.
    public init?(_ text: String) {
        guard let bytes = Bech32.decode(text.trimmedSpace, prefix: "age"), bytes.count == 32,
            (try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)) != nil
        else { return nil }
        self.bytes = bytes
    }

    init(bytes: [UInt8]) { self.bytes = bytes }
}

/// A private key of age: `AGE-SECRET-KEY-1…`.
struct AgeIdentity {
    let key: Curve25519.KeyAgreement.PrivateKey

    /// The keys in an identity file, which can have comments.
    static func all(in file: SecretBytes) -> [AgeIdentity] {
        String(decoding: file.revealed, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
            guard let bytes = Bech32.decode(String(line).trimmedSpace.lowercased(), prefix: "age-secret-key-"),
                let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            else { return nil }
            return AgeIdentity(key: key)
        }
    }
}

/// The text form of keys with a checksum, BIP 173, in lower case.
enum Bech32 {
    private static let digits = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]

    /// The bytes after a prefix, or `nil` for another prefix, a wrong character or a wrong checksum.
    static func decode(_ text: String, prefix: String) -> [UInt8]? {
        let head = Array((prefix + "1").utf8)
        let all = Array(text.utf8)
        guard all.count <= 256, all.starts(with: head) else { return nil }
        var values: [UInt8] = []
        for byte in all.dropFirst(head.count) {
            guard let value = digits.firstIndex(of: byte) else { return nil }
            values.append(UInt8(value))
        }
        let name = Array(prefix.utf8)
        let expanded = name.map { $0 >> 5 } + [0] + name.map { $0 & 31 }
        guard values.count >= 6, checksum(expanded + values) == 1 else { return nil }
        var (bytes, buffer, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for value in values.dropLast(6) {
            buffer = (buffer << 5 | UInt32(value)) & 0xfff
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard bits < 5, buffer & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
        return bytes
    }

    private static func checksum(_ values: [UInt8]) -> UInt32 {
        var sum: UInt32 = 1
        for value in values {
            let top = sum >> 25
            sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
            for (index, number) in generator.enumerated() where top >> UInt32(index) & 1 == 1 { sum ^= number }
        }
        return sum
    }
}
