internal import Foundation

/// Makes sure that a vault's files are their owner's alone, as they were made.
///
/// A copy, an archive or another program may have left them open to others. What belongs to this user is closed again; what
/// belongs to somebody else is refused, because its owner can change it at any time.
enum FileProtection {
    /// Closes the folders and files of a vault.
    ///
    /// - Throws: ``VaultError`` with `unsafeFile` naming the first file that belongs to another user, or that cannot be closed.
    static func apply(to location: VaultLocation) throws(VaultError) {
        try close(location.directory, to: 0o700)
        try close(location.stateDirectory, to: 0o700)
        let files =
            VaultDatabase.sidecars.map { location.database + $0 } + [
                location.database, location.secretKey, location.secretKey + Vault.pendingSuffix, location.device,
                location.head, location.headerCopy, location.backup, location.index,
            ]
        for file in files { try close(file, to: 0o600) }
    }

    private static func close(_ path: String, to mode: mode_t) throws(VaultError) {
        var status = stat()
        // A link is followed: what it leads to is what is read.
        guard unsafe stat(path, &status) == 0 else { return }
        guard status.st_uid == getuid() else {
            throw VaultError(.unsafeFile, "\(path) belongs to another user: chown it, or move it away")
        }
        guard status.st_mode & 0o077 != 0 else { return }
        // Where nothing can be written, nobody else can write either.
        guard unsafe chmod(path, mode) == 0 || errno == EROFS else {
            throw VaultError(.unsafeFile, "others may read or change \(path): chmod \(String(mode, radix: 8)) it")
        }
    }
}
