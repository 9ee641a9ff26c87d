internal import WardText
internal import WardVault

/// The Credential Exchange Format as a file to write.
enum CXFExport {
    static let id = "cxf"
    static let title = "Credential Exchange Format 1.0 (CXF)"

    static let limits = ExportLimits(
        held: [
            .kind, .sites, .apps, .username, .password, .codes, .furtherCodes, .passkeys, .furtherPasskeys,
            .passkeyNames, .prf, .largeBlob, .notes, .fields, .fieldGroups, .tags, .furtherTags, .favorite, .times,
            .unknown,
        ],
        changed: [.counterCodes: "counter-based codes become fields, which Ward reads as codes again"],
        check: { item in CXFItemWriting(item).notices }
    )

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
    /// The format in which managers exchange credentials, after the standard of the FIDO Alliance.
    static let cxf = ExportFormat(
        id: CXFExport.id,
        title: CXFExport.title,
        isSealed: false,
        limits: CXFExport.limits,
        write: { source, _ in CXFExport.file(source) }
    )

    /// The same document in a file of age: for a passphrase or for somebody's key.
    static let cxfAge = ExportFormat(
        id: CXFExport.id + "-age",
        title: CXFExport.title + ", encrypted with age",
        isSealed: true,
        takesRecipients: true,
        limits: CXFExport.limits,
        write: { source, seal throws(ImportError) in
            guard let seal else { throw ImportError(.passphraseNeeded) }
            return try AgeFile.seal(CXFExport.file(source), seal)
        }
    )
}
