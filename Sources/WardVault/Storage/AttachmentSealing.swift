internal import Crypto
internal import WardCBOR
internal import WardLog

/// The encrypted content of an attached file, before it is written to the log.
struct SealedContent {
    let hash: [UInt8]
    let blob: [UInt8]
}

/// The encryption of an attached file: padded, with a random key that is stored in the item.
///
/// `Documentation/formats/vault.md`, "Attachments".
enum AttachmentSealing {
    static let keyLength = 32

    /// Encrypts a content for one item and attachment.
    static func seal(
        _ content: [UInt8],
        key: [UInt8],
        _ id: Attachment.ID,
        of item: ItemID,
        _ vault: VaultID,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> [UInt8] {
        var padded = Padding.pad(content)
        defer { padded.wipe() }
        return try Sealing.seal(
            padded,
            key: SymmetricKey(data: key),
            nonce: environment.random(Sealing.nonceLength),
            associated: associated(id, item, vault)
        )
    }

    /// Decrypts a content; `nil` if it does not belong to this attachment, or was changed.
    static func open(
        _ blob: [UInt8],
        key: [UInt8],
        _ id: Attachment.ID,
        of item: ItemID,
        _ vault: VaultID
    ) -> [UInt8]? {
        let key = SymmetricKey(data: key)
        guard var opened = Sealing.open(blob, key: key, associated: associated(id, item, vault)) else { return nil }
        var padded = opened.takeBytes()
        defer { padded.wipe() }
        return Padding.unpad(padded)
    }

    /// The associated data: a content opens only as this attachment of this item.
    private static func associated(_ id: Attachment.ID, _ item: ItemID, _ vault: VaultID) -> [UInt8] {
        let value: CBORValue = [
            "ward", 1, "attachment", .bytes(vault.bytes), .bytes(item.bytes), .bytes(id.bytes),
        ]
        return value.encoded()
    }
}
