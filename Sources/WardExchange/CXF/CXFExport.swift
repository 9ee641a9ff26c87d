internal import WardText
internal import WardVault

/// The Credential Exchange Format as a file to write.
enum CXFExport {
    static let id = "cxf"
    static let title = "Credential Exchange Format 1.0 (CXF)"

    /// Writes a document with one account.
    static func file(_ source: ExportSource) -> [UInt8] {
        let account: JSONValue = [
            "id": .string(Base64URL.encode(ItemID().bytes)), "username": "", "email": "", "collections": [],
            "items": .array(source.items.map { CXFItemWriting($0).json }),
        ]
        let document: JSONValue = [
            "version": ["major": 1, "minor": 0], "exporterRpId": "ward.invalid", "exporterDisplayName": "Ward",
            "timestamp": .integer(source.now), "accounts": [account],
        ]
        return document.serialized
    }
}

extension ExportFormat {
    /// Apple Passwords, Bitwarden, 1Password, Dashlane, NordPass and others that know the FIDO Alliance's format.
    static let cxf = ExportFormat(
        id: CXFExport.id,
        title: CXFExport.title,
        isSealed: false,
        limits: ExportLimits(
            held: [
                .kind, .sites, .apps, .username, .password, .codes, .furtherCodes, .passkeys, .furtherPasskeys,
                .passkeyNames, .prf, .largeBlob, .notes, .fields, .fieldGroups, .tags, .furtherTags, .favorite, .times,
                .unknown,
            ],
            changed: [.counterCodes: "counter-based codes become fields, which Ward reads as codes again"],
            check: { item in CXFItemWriting(item).notices }
        ),
        write: { source, _ in CXFExport.file(source) }
    )
}
