internal import WardLog

/// Reads revisions of items from their rows.
///
/// It refers to nothing that changes, so several revisions can be read at the same time.
struct RevisionReader: Sendable {
    let vault: VaultID
    let keys: VaultKeys
    let circle: CircleSummary?

    /// The entry of a row, which must be about the given item.
    func read(
        _ row: VaultDatabase.Row,
        of id: ItemID,
        at place: RevisionPlace
    ) throws(VaultError) -> (signed: SignedEntry, record: RevisionEntry) {
        let signed = try SignedEntry(row)
        guard case .revision(let record) = signed.entry.operation, record.item == id.logged, place.hash == signed.hash
        else { throw VaultError(.damaged, "The vault's file has other data in place of a revision of item \(id)") }
        return (signed, record)
    }

    /// Decrypts the item of an entry.
    func open(
        _ row: VaultDatabase.Row,
        _ signed: SignedEntry,
        _ record: RevisionEntry
    ) throws(VaultError) -> Item {
        guard let blob = row.blob else {
            throw VaultError(
                .damaged,
                "Revision \(record.number) of item \(record.itemText) was removed after its retention time"
            )
        }
        guard ItemSealing.hash(blob) == record.blobHash else {
            throw VaultError(.damaged, "Revision \(record.number) of item \(record.itemText) was changed")
        }
        var bytes: [UInt8]
        do throws(VaultError) {
            bytes = try ItemSealing.open(
                blob,
                for: record,
                device: signed.entry.device,
                sequence: signed.entry.sequence,
                vault: vault,
                keys: keys
            )
        } catch {
            guard keys.lacks(epoch: record.epoch, of: circle) else { throw error }
            // The blob is the one that the signed entry names, so nothing was changed.
            throw VaultError(
                .keyNotGiven,
                "Revision \(record.number) of item \(record.itemText) is encrypted with a key that this device was not "
                    + "given. On another device: ward devices rekey. Or here: ward unlock --recovery-key"
            )
        }
        defer { bytes.wipe() }
        let item = try Item(encoded: bytes)
        guard item.id.logged == record.item else { throw VaultError(.damaged, "A revision belongs to another item") }
        return item
    }
}
