internal import WardText
public import WardWebAuthn

/// The options of a backup.
public struct BackupRequest: Hashable, Sendable {
    /// The absolute path of a file, or of a folder in which the file gets a dated name.
    public var path: String
    /// The number of dated copies of this vault that stay in the folder; `nil` keeps all.
    public var keep: Int?
    /// Whether the Secret Key is written beside the copy.
    ///
    /// Then only the passphrase protects the copy.
    public var includesSecretKey: Bool
    /// Whether the person says that the path is on another disk or machine, if the system cannot see that.
    public var isElsewhere: Bool

    /// Asks for a copy.
    public init(path: String, keep: Int? = nil, includesSecretKey: Bool = false, isElsewhere: Bool = false) {
        self.path = path
        self.keep = keep
        self.includesSecretKey = includesSecretKey
        self.isElsewhere = isElsewhere
    }
}

/// A copy that was made and verified.
public struct VaultBackup: Hashable, Sendable {
    /// The file.
    public let path: String
    /// The number of log entries in the copy.
    public let entries: Int
    /// Whether every item was decrypted.
    ///
    /// If the vault was locked, only signatures and hashes were checked.
    public let areContentsChecked: Bool
    /// Items that cannot be read in the vault, and so not in the copy.
    public let unreadable: [ItemID]
    /// Older copies that were removed.
    public let removed: [String]
    /// Whether the copy survives the loss of the vault's disk.
    public let isElsewhere: Bool
}

/// Whether passkeys survive the loss of this disk, and what is missing for that.
public struct BackupState: Hashable, Sendable {
    /// The things that are missing.
    public enum Missing: String, Hashable, Sendable, Codable {
        /// No copy on another disk was verified.
        case copy
        /// No key that opens the copy was typed from paper.
        case key
        /// There are passkeys that were created after the copy.
        case passkeys
    }

    /// The time of the last verified copy, in seconds since 1970.
    public let copiedAt: Int64?
    /// The path of the copy.
    public let path: String?
    /// The number of passkeys, and the number of passkeys in the copy.
    public let passkeys: Int
    /// The number of passkeys in the copy.
    public let copiedPasskeys: Int
    /// The time when a key was typed from paper.
    public let confirmedAt: Int64?
    /// The things that are missing.
    ///
    /// The list is empty if all passkeys count as backed up.
    public let missing: [Missing]
}

extension Vault {
    /// Copies the vault into a file.
    ///
    /// It reads the copy from its first entry to its last before the copy gets its final path.
    ///
    /// It also works while the vault is locked. Then only signatures and hashes are checked, and items are not decrypted. An
    /// older copy of the same vault is replaced only after the new copy was verified. After a full disk or a power cut, the
    /// older copy is still there.
    ///
    /// - Throws: ``VaultError`` with `unusablePath`, `diskFull`, `damaged`, `secretKeyMissing`, `unavailable` or `closed`.
    public func backUp(_ request: BackupRequest) async throws(VaultError) -> VaultBackup {
        _ = try lockingCount()
        defer { releaseIfLocked() }
        let place = try BackupPlace(request.path, of: id, at: location, environment)
        let secretKey = request.includesSecretKey ? try findSecretKey() : nil
        if request.includesSecretKey, secretKey == nil {
            throw VaultError(.secretKeyMissing, "the Secret Key of this vault is not on this device")
        }
        let open = unlocked
        let items = open.map { $0.index.summaries(inTrash: false) + $0.index.summaries(inTrash: true) } ?? []
        let passkeys = items.flatMap(\.passkeys).map(\.credentialID)
        place.removeAbandonedDrafts()
        try database.copy(to: place.draft)
        defer { VaultDatabase.remove(place.draft) }
        let finding = try await CopyCheck.run(
            place.draft,
            of: id,
            keys: open?.keys,
            device: open?.device.device,
            circle: open?.head.circle,
            environment
        )
        guard finding.unreadable.isEmpty || !place.replaces else {
            throw VaultError(
                .damaged,
                "\(finding.unreadable.count) items cannot be read, so the older backup was not replaced"
            )
        }
        if let secretKey { try SecretKeyFile.write(secretKey, to: place.secretKey, environment) }
        try environment.willWrite(.placeDatabase)
        try SmallFile.move(place.draft, to: place.path)
        let removed = finding.unreadable.isEmpty ? request.keep.map { place.prune(keeping: $0) } ?? [] : []
        let isElsewhere = request.isElsewhere || Self.isOnOtherDisk(place.folder, than: location.directory)
        if let open, open === unlocked, isElsewhere, finding.unreadable.isEmpty {
            let header = try VaultHeader(encoded: finding.header)
            open.backup.copy = BackupRecord.Copy(
                time: environment.effects.now(),
                path: place.path,
                position: Int64(finding.entries),
                secretKeyCheck: header.secretKeyCheck,
                recoveryPublicKey: header.recoveryIdentity,
                passkeys: Set(passkeys.map { BackupRecord.fingerprint(of: $0) })
            )
            try open.saveBackupRecord()
        }
        return VaultBackup(
            path: place.path,
            entries: finding.entries,
            areContentsChecked: open != nil,
            unreadable: finding.unreadable,
            removed: removed,
            isElsewhere: isElsewhere
        )
    }

    /// Records that a person typed a key that opens copies of the vault.
    ///
    /// So the key is not only on this disk.
    ///
    /// - Parameter text: A recovery key or a Secret Key, as it stands on paper.
    /// - Returns: Which of the two it is.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, `wrongSecretKey` or `locked`.
    public func confirmKey(_ text: String) throws(VaultError) -> BackupKeyKind {
        let open = try open()
        if let key = try? RecoveryKey(text: text) {
            guard try isInForce(key, open) else {
                throw VaultError(.wrongRecoveryKey, "the recovery key belongs to another vault, or was replaced")
            }
            // A key that the header does not have yet opens no copy of today.
            let isSealed = try header.isSealed(to: key)
            try note(.recoveryKey, isSealed ? header.recoveryIdentity : key.signingSeed().publicKey, open)
            return .recoveryKey
        }
        guard let key = try? SecretKey(text: text) else {
            throw VaultError(.wrongRecoveryKey, "this is neither a recovery key nor a Secret Key")
        }
        guard isEqualInConstantTime(VaultHeader.check(of: key, id), header.secretKeyCheck) else {
            throw VaultError(.wrongSecretKey, "the Secret Key is another vault's")
        }
        try note(.secretKey, header.secretKeyCheck, open)
        return .secretKey
    }

    /// Whether a passkey survives the loss of this disk: it is in a verified copy, and the person typed a key that opens this
    /// copy.
    ///
    /// This is the backup state (BS) that sites see.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    public func isBackedUp(credentialID: CredentialID) throws(VaultError) -> Bool {
        try open().backup.covers(credentialID)
    }

    /// The record of backups.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    public func backupState() throws(VaultError) -> BackupState {
        let open = try open()
        let passkeys = open.index.summaries(inTrash: false).flatMap(\.passkeys).map(\.credentialID)
        let record = open.backup
        let copied = passkeys.filter { record.copy?.passkeys.contains(BackupRecord.fingerprint(of: $0)) ?? false }
        var missing: [BackupState.Missing] = []
        if record.copy == nil { missing.append(.copy) }
        if record.copy == nil ? record.confirmation == nil : !record.isConfirmed { missing.append(.key) }
        if record.copy != nil, copied.count < passkeys.count { missing.append(.passkeys) }
        return BackupState(
            copiedAt: record.copy?.time,
            path: record.copy?.path,
            passkeys: passkeys.count,
            copiedPasskeys: copied.count,
            confirmedAt: record.confirmation?.time,
            missing: missing
        )
    }

    private func note(_ kind: BackupKeyKind, _ fingerprint: [UInt8], _ open: OpenVault) throws(VaultError) {
        open.backup.confirmation = BackupRecord.Confirmation(
            kind: kind,
            time: environment.effects.now(),
            fingerprint: fingerprint
        )
        try open.saveBackupRecord()
    }

    private static func isOnOtherDisk(_ folder: String, than other: String) -> Bool {
        guard let copy = PhysicalDisk(of: folder), let vault = PhysicalDisk(of: other) else { return false }
        return copy.outlives(vault)
    }
}
