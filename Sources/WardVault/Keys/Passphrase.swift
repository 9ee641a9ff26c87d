internal import Foundation

/// What a person types to open a vault, in locked memory.
///
/// Two ways of typing the same letters are the same passphrase: the text is brought to Unicode's compatibility decomposition
/// (NFKD). Letters, case, spaces and length are taken as they are.
public final class Passphrase: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: LockedBytes

    /// Takes a text.
    ///
    /// The string itself stays in memory until Swift uses it for something else; prefer bytes where they are at hand.
    ///
    /// - Throws: ``VaultError`` with `emptyPassphrase`, or `unavailable` when there is no memory.
    public convenience init(_ text: String) throws(VaultError) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            try self.init(normalized: Array(text.utf8))
        } else {
            try self.init(normalized: Array(text.decomposedStringWithCompatibilityMapping.utf8))
        }
    }

    /// Takes UTF-8, as read from a terminal or a pipe; bytes that are no UTF-8 are taken as they are.
    ///
    /// - Throws: ``VaultError`` with `emptyPassphrase`, or `unavailable` when there is no memory.
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
        guard !copy.isEmpty else { throw VaultError(.emptyPassphrase, "a passphrase has at least one character") }
        guard copy.count <= Self.maximumLength else {
            throw VaultError(.unavailable, "a passphrase has at most \(Self.maximumLength) bytes")
        }
        bytes = try LockedBytes(copy)
    }

    static let maximumLength = 4096

    /// Nothing of the passphrase.
    public var description: String { "Passphrase" }
    /// Shows nothing to whoever dumps the value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
