internal import Foundation

/// The passphrase of a vault, in locked memory.
///
/// Different encodings of the same letters are the same passphrase: the text is converted to Unicode's compatibility
/// decomposition (NFKD). Letters, case, spaces and length stay.
public final class Passphrase: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: LockedBytes

    /// Creates a passphrase from text.
    ///
    /// The string itself stays in memory until Swift reuses it, so prefer the initialiser for bytes.
    ///
    /// - Throws: ``VaultError`` with `emptyPassphrase`, or `unavailable` if there is no memory.
    public convenience init(_ text: String) throws(VaultError) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            try self.init(normalized: Array(text.utf8))
        } else {
            try self.init(normalized: Array(text.decomposedStringWithCompatibilityMapping.utf8))
        }
    }

    /// Creates a passphrase from UTF-8, as read from a terminal or a pipe.
    ///
    /// Bytes that are not UTF-8 stay unchanged.
    ///
    /// - Throws: ``VaultError`` with `emptyPassphrase`, or `unavailable` if there is no memory.
    public convenience init(utf8 bytes: [UInt8]) throws(VaultError) {
        if !bytes.allSatisfy({ $0 < 0x80 }), let text = String(validating: bytes, as: UTF8.self) {
            try self.init(text)
        } else {
            try self.init(normalized: bytes)
        }
    }

    private init(normalized: [UInt8]) throws(VaultError) {
        var copy = normalized
        defer { copy.wipe() }
        guard !copy.isEmpty else { throw VaultError(.emptyPassphrase, "a passphrase must have at least one character") }
        guard copy.count <= Self.maximumLength else {
            throw VaultError(.unavailable, "a passphrase can have at most \(Self.maximumLength) bytes")
        }
        bytes = try LockedBytes(copy)
    }

    static let maximumLength = 4096

    /// The text that is shown instead of the passphrase.
    public var description: String { "Passphrase" }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
