internal import Crypto
internal import Foundation
internal import WardLog

/// An Ed25519 private key in locked memory.
struct SigningSeed: Sendable {
    private let seed: LockedBytes
    /// The public half, 32 bytes.
    let publicKey: [UInt8]

    /// Copies 32 bytes, and wipes the caller's copy of them.
    init(wiping bytes: inout [UInt8]) throws(VaultError) {
        defer { bytes.wipe() }
        if let substitute = SignatureScheme.inForce.substitute {
            publicKey = substitute.publicKey(bytes)
            seed = try LockedBytes(bytes)
            return
        }
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw VaultError(.damaged, "a signing key must have 32 bytes")
        }
        publicKey = [UInt8](key.publicKey.rawRepresentation)
        seed = try LockedBytes(bytes)
    }

    /// The private key.
    ///
    /// The caller must encrypt it at once.
    var bytes: [UInt8] { seed.copy }

    /// Signs a message (RFC 8032).
    func sign(_ message: [UInt8]) throws(VaultError) -> [UInt8] {
        if let substitute = SignatureScheme.inForce.substitute { return substitute.sign(message, publicKey) }
        do {
            let key = try unsafe seed.withBytes { bytes in
                unsafe try Curve25519.Signing.PrivateKey(rawRepresentation: Data(bytes))
            }
            return [UInt8](try key.signature(for: message))
        } catch {
            throw VaultError(.unavailable, "Ed25519 signing failed")
        }
    }
}
