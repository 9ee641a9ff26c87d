internal import Crypto

/// SHA-256, as bytes.
enum Digest {
    static func sha256(_ message: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: message)) }
}
