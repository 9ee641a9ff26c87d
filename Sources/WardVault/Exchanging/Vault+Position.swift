internal import WardLog

extension Vault {
    /// The position of the newest entry in the log.
    ///
    /// It grows with every entry, so a caller sees from it whether the vault has changed. Nothing is read from the disk.
    ///
    /// - Throws: ``VaultError`` with `locked` or `closed`.
    package func position() throws(VaultError) -> Int64 { try open().chain.position }

    /// The number of entries of other devices; nothing is read from the disk.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func countOfOthers() throws(VaultError) -> Int64 {
        try position() - Int64(clamping: lastOwnSequence())
    }
}
