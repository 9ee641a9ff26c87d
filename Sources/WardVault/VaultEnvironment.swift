package import WardDomains
package import WardWebAuthn

/// The effects of a vault on the outside world.
///
/// Tests replace them.
package struct VaultEnvironment: Sendable {
    /// Time and randomness.
    package var effects: Effects
    /// The public suffix list, which says which domains are shared by many owners.
    package var suffixes: PublicSuffixList
    /// It is called before every step that writes.
    ///
    /// If it throws, that simulates a disk error or a power cut.
    package var beforeWrite: @Sendable (WriteStep) throws -> Void
    /// A replacement for Argon2id, for tests that unlock a vault a thousand times.
    ///
    /// The settings in the file are still checked.
    package var stretch: (@Sendable (_ passphrase: [UInt8], _ salt: [UInt8]) -> [UInt8])?
    /// The number of seconds after a change until the write-ahead log is copied into the file.
    ///
    /// With `nil` that happens only when the vault is locked.
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

    /// Derives the key of a passphrase.
    ///
    /// It takes a tenth of a second.
    func stretch(_ passphrase: Passphrase, _ derivation: KeyDerivation) throws(VaultError) -> LockedBytes {
        try derivation.check()
        guard let stretch else { return try derivation.run(passphrase.bytes) }
        return try LockedBytes(stretch(passphrase.bytes.copy, derivation.salt))
    }

    /// Reports a step that writes.
    func willWrite(_ step: WriteStep) throws(VaultError) {
        do {
            try beforeWrite(step)
        } catch let error as VaultError {
            throw error
        } catch {
            throw VaultError(.unavailable, "the disk refuses: \(step)")
        }
    }

    /// Random bytes: exactly the requested number.
    func random(_ count: Int) throws(VaultError) -> [UInt8] {
        let bytes = effects.randomBytes(count)
        guard bytes.count == count else { throw VaultError(.unavailable, "the system has no random bytes") }
        return bytes
    }
}

/// The steps in which a vault writes to the disk.
package enum WriteStep: Hashable, Sendable {
    /// A row of the log or the header, inside a transaction.
    case row
    /// The end of a transaction.
    case commit
    /// The database of a new vault is moved to its final path.
    case placeDatabase
    /// The contents of a small file are written under a temporary name.
    case fileContents(String)
    /// A small file is moved to its final path.
    case fileRename(String)
    /// The file with the last log entry that this device saw is written.
    case head
}
