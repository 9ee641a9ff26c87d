package import Crypto
import Foundation
package import WardAccounts
import WardText

/// The key that signs the audit log's heads.
///
/// Only the service's user can read its file.
///
/// The file is one line: 32 bytes as hexadecimal digits, the private key of Ed25519 (RFC 8032).
package enum AuditKey {
    /// Reads a key.
    ///
    /// If the file does not exist, it is created with a new key.
    ///
    /// - Throws: ``ServerStartError`` if the file cannot be read or written, others can read it, or it has no key.
    package static func readOrCreate(at path: String) throws(ServerStartError) -> Curve25519.Signing.PrivateKey {
        if !FileManager.default.fileExists(atPath: path) { try create(at: path) }
        return try read(path)
    }

    /// Reads a key.
    ///
    /// - Throws: ``ServerStartError`` if the file cannot be read, others can read it, or it has no key.
    package static func read(_ path: String) throws(ServerStartError) -> Curve25519.Signing.PrivateKey {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ServerStartError("the audit key \(path) cannot be read: give the right file with --audit-key")
        }
        defer { close(descriptor) }
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & 0o077 == 0 else {
            throw ServerStartError("other users can read the audit key \(path): chmod 600 \(path)")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        let bytes = (try? file.read(upToCount: 256)) ?? nil
        let text = String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n").first ?? ""
        guard let secret = Hex.decode(text), let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret)
        else {
            throw ServerStartError(
                "\(path) is not an audit key: give the right file with --audit-key, or restore the file from a backup"
            )
        }
        return key
    }

    /// Writes a new key, unless another process wrote one first.
    ///
    /// The file gets its name only after it is complete.
    private static func create(at path: String) throws(ServerStartError) {
        let key = Curve25519.Signing.PrivateKey()
        let draft = "\(path).\(getpid()).new"
        let refusal = ServerStartError(
            "the audit key \(path) cannot be written: give a file with --audit-key whose folder belongs to the service's user"
        )
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw refusal }
        defer {
            close(descriptor)
            unsafe unlink(draft)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            try file.write(contentsOf: Data("\(Hex.encode(key.rawRepresentation))\n".utf8))
            try file.synchronize()
        } catch { throw refusal }
        guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw refusal }
    }
}

extension AuditVerification {
    /// Verifies with a key from a file.
    ///
    /// - Throws: ``ServerStartError`` if the file is not an audit key.
    package init(checkpoint: AuditSeal?, heads: [AuditSeal], keyAt path: String) throws(ServerStartError) {
        self.init(checkpoint: checkpoint, heads: heads, key: try AuditKey.read(path).publicKey)
    }
}
