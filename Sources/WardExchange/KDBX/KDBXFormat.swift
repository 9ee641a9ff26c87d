extension ImportFormat {
    /// KeePass 2, KeePassXC, Strongbox, KeePassDX and all others of the family.
    static let kdbx = ImportFormat(
        id: "kdbx",
        title: "KeePass (KDBX 4 and 3.1)",
        recognizes: {
            $0.bytes.starts(with: KDBXHeader.signature) || $0.bytes.starts(with: KDBXHeader.oldSignature)
        },
        read: { source throws(ImportError) in try KDBXItems(KDBXFile.read(source)).file(now: source.now) }
    )
}
