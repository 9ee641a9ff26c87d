internal import Foundation

/// Makes sure that a vault's files are accessible only to their owner.
///
/// A copy, an archive or another program may have made them accessible to other users. The access is removed from this user's
/// files. Files of another user are refused, because that user can change them at any time.
enum FileProtection {
    /// Removes other users' access to the folders and files of a vault.
    ///
    /// - Throws: ``VaultError`` with `unsafeFile` that names the first file of another user, or one that cannot be
    ///   closed.
    static func apply(to location: VaultLocation) throws(VaultError) {
        try close(location.directory, to: 0o700)
        try close(location.stateDirectory, to: 0o700)
        let files =
            VaultDatabase.sidecars.map { location.database + $0 } + [
                location.database, location.secretKey, location.pendingSecretKey, location.device,
                location.pendingDevice,
                location.head, location.headerCopy, location.backup, location.index, location.pairing,
            ]
        for file in files { try close(file, to: 0o600) }
    }

    /// Removes other users' access to one file or folder, if it is there.
    ///
    /// - Throws: ``VaultError`` with `unsafeFile`.
    static func close(_ path: String, to mode: mode_t) throws(VaultError) {
        var status = stat()
        // Links are followed, because the target is the file that will be read.
        guard unsafe stat(path, &status) == 0 else { return }
        guard status.st_uid == getuid() else {
            throw VaultError(.unsafeFile, "\(path) belongs to another user: chown it, or move it away")
        }
        guard status.st_mode & 0o077 != 0 else { return }
        // On a read-only file system other users cannot write either.
        guard unsafe chmod(path, mode) == 0 || errno == EROFS else {
            throw VaultError(
                .unsafeFile,
                "other users can read or change \(path): run chmod \(String(mode, radix: 8)) on it"
            )
        }
    }
}
