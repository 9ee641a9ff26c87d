package import WardDomains
package import WardWebAuthn

/// The world around a vault; tests put another one there.
package struct VaultEnvironment: Sendable {
    /// Time and randomness.
    package var effects: Effects
    /// Which domains strangers share.
    package var suffixes: PublicSuffixList
    /// Called before every step that writes; an error stands for a disk that refuses, or for the moment the power went.
    package var beforeWrite: @Sendable (WriteStep) throws -> Void
    /// Stands in for Argon2id, whose cost tests that unlock a thousand times cannot bear.
    ///
    /// The file's parameters are checked all the same.
    package var stretch: (@Sendable (_ passphrase: [UInt8], _ salt: [UInt8]) -> [UInt8])?
    /// Seconds after a change until everything is in the one file; `nil` for not before the vault is locked.
    package var checkpointDelay: Double?

    package init(
        effects: Effects = .live,
        suffixes: PublicSuffixList = .system,
        beforeWrite: @escaping @Sendable (WriteStep) throws -> Void = { _ in },
        stretch: (@Sendable (_ passphrase: [UInt8], _ salt: [UInt8]) -> [UInt8])? = nil,
        checkpointDelay: Double? = 0.3
    ) {
        self.effects = effects
        self.suffixes = suffixes
        self.beforeWrite = beforeWrite
        self.stretch = stretch
        self.checkpointDelay = checkpointDelay
    }

    /// The key of a passphrase, in a tenth of a second.
    func stretch(_ passphrase: Passphrase, _ derivation: KeyDerivation) throws(VaultError) -> LockedBytes {
        try derivation.check()
        guard let stretch else { return try derivation.run(passphrase.bytes) }
        return try LockedBytes(stretch(passphrase.bytes.copy, derivation.salt))
    }

    /// Announces a step that writes.
    func willWrite(_ step: WriteStep) throws(VaultError) {
        do {
            try beforeWrite(step)
        } catch let error as VaultError {
            throw error
        } catch {
            throw VaultError(.unavailable, "the disk refuses: \(step)")
        }
    }

    /// Random bytes, exactly as many as asked for.
    func random(_ count: Int) throws(VaultError) -> [UInt8] {
        let bytes = effects.randomBytes(count)
        guard bytes.count == count else { throw VaultError(.unavailable, "there is no randomness") }
        return bytes
    }
}

/// The steps in which a vault writes to the disk.
package enum WriteStep: Hashable, Sendable {
    /// A row of the log, or the header, within a transaction.
    case row
    /// The end of a transaction.
    case commit
    /// The database of a new vault moves to its place.
    case placeDatabase
    /// The contents of a small file, beside the one it will replace.
    case fileContents(String)
    /// A small file takes its place.
    case fileRename(String)
    /// This device's memory of the log's head.
    case head
}
