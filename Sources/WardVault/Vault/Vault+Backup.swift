internal import WardText
public import WardWebAuthn

/// What a person wants of a copy.
public struct BackupRequest: Hashable, Sendable {
    /// A file, or a folder in which the file gets a dated name; absolute.
    public var path: String
    /// How many dated copies of this vault a folder keeps; `nil` for all.
    public var keep: Int?
    /// Whether the Secret Key is written beside the copy, which the passphrase alone then protects.
    public var includesSecretKey: Bool
    /// Whether the person says that the place is on another disk or machine, where that cannot be seen.
    public var isElsewhere: Bool

    /// Asks for a copy.
    public init(path: String, keep: Int? = nil, includesSecretKey: Bool = false, isElsewhere: Bool = false) {
        self.path = path
        self.keep = keep
        self.includesSecretKey = includesSecretKey
        self.isElsewhere = isElsewhere
    }
}

/// A copy that was made and read again.
public struct VaultBackup: Hashable, Sendable {
    /// The file.
    public let path: String
    /// How many entries of the log are in it.
    public let entries: Int
    /// Whether every item was opened; otherwise signatures and hashes were checked, because the vault was locked.
    public let areContentsChecked: Bool
    /// Items that cannot be read in the vault, and therefore not in the copy either.
    public let unreadable: [ItemID]
    /// Older copies that were removed.
    public let removed: [String]
    /// Whether the copy outlives the disk that the vault is on.
    public let isElsewhere: Bool
}

/// Whether passkeys survive the loss of this disk, and what is missing.
public struct BackupState: Hashable, Sendable {
    /// What stands in the way.
    public enum Missing: String, Hashable, Sendable, Codable {
        /// No copy on another disk was verified.
        case copy
        /// No key that opens the copy was typed from paper.
        case key
        /// Passkeys were made since the copy.
        case passkeys
    }

    /// When the last verified copy was made, in seconds since 1970.
    public let copiedAt: Int64?
    /// Where it was put.
    public let path: String?
    /// How many passkeys there are, and how many of them are in the copy.
    public let passkeys: Int
    /// How many passkeys are in the copy.
    public let copiedPasskeys: Int
    /// When a key was typed from paper.
    public let confirmedAt: Int64?
    /// What stands in the way; empty when all passkeys count as backed up.
    public let missing: [Missing]
}

extension Vault {
    /// Copies the vault into a file, and reads the copy from its first entry to its last before it takes its place.
    ///
    /// Works while the vault is locked too; signatures and hashes are then checked, and contents are not opened. A file of the
    /// same vault is replaced when the new one is known to be good, and never before. What a full disk or a power cut leaves
    /// is the old copy.
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
        let finding = try await CopyCheck.run(place.draft, of: id, keys: open?.keys, environment)
        guard finding.unreadable.isEmpty || !place.replaces else {
            throw VaultError(.damaged, "\(finding.unreadable.count) items cannot be read, so the older copy stays")
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
                recoveryPublicKey: header.recoveryPublicKey,
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

    /// Remembers that a person typed a key that opens copies of the vault: it is not on this disk alone.
    ///
    /// - Parameter text: A recovery key or a Secret Key, as it stands on paper.
    /// - Returns: Which of the two it is.
    /// - Throws: ``VaultError`` with `wrongRecoveryKey`, `wrongSecretKey` or `locked`.
    public func confirmKey(_ text: String) throws(VaultError) -> BackupKeyKind {
        let open = try open()
        if let key = try? RecoveryKey(text: text) {
            guard try header.isSealed(to: key) else {
                throw VaultError(.wrongRecoveryKey, "the recovery key belongs to another vault, or was replaced")
            }
            try note(.recoveryKey, header.recoveryPublicKey, open)
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

    /// Whether a passkey survives the loss of this disk: it is in a verified copy, and a key from paper opens that copy.
    ///
    /// This is the backup state (BS) that sites see.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    public func isBackedUp(credentialID: CredentialID) throws(VaultError) -> Bool {
        try open().backup.covers(credentialID)
    }

    /// What is known of copies elsewhere.
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
