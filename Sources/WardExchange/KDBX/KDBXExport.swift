internal import WardVault

extension ExportFormat {
    /// KeePass 2, KeePassXC, Strongbox, KeePassDX and all others of the family.
    static let kdbx = ExportFormat(
        id: "kdbx",
        title: "KeePass (KDBX 4)",
        isSealed: true,
        limits: ExportLimits(
            held: [
                .sites, .apps, .username, .password, .history, .codes, .passkeys, .backupFlags, .notes, .fields, .tags,
                .furtherTags, .favorite, .times, .attachments,
            ],
            changed: [
                .kind: "the item becomes an entry with fields",
                .furtherCodes: "further codes get field names that only Ward reads",
                .counterCodes: "other programs may not read counter-based codes in this form",
                .furtherPasskeys: "each further passkey becomes an entry of its own",
                .fieldGroups: "the labels of groups become part of the field names, and types are lost",
            ],
            check: { item in
                let isSplit = item.tags.contains { $0.contains(";") || $0.contains(",") }
                return isSplit ? [(.tags, .changed, "a tag with a comma or a semicolon becomes several tags")] : []
            }
        ),
        write: { source, seal throws(ImportError) in
            guard case .passphrase(let passphrase) = seal else { throw ImportError(.passphraseNeeded) }
            return try KDBXWriter().file(source, passphrase: passphrase)
        }
    )
}
