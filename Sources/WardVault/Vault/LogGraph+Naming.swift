internal import WardLog

extension LogGraph {
    /// Takes entries that only name others, if one entry of a device would name too many.
    ///
    /// A device that signs many entries beside each other, or the holder of the first vault key, can bring it so far.
    ///
    /// - Returns: The rows of the entries.
    /// - Throws: ``VaultError`` with `damaged` or `unavailable`.
    mutating func nameOthers(
        by device: DeviceFile,
        after chain: inout LogChain,
        now: Int64
    ) throws(VaultError) -> [(entry: SignedEntry, row: VaultDatabase.Row)] {
        guard mustNameFirst(device.device, after: chain) else { return [] }
        var written: [(entry: SignedEntry, row: VaultDatabase.Row)] = []
        while case let named = named(alone: device.device), !named.isEmpty {
            let entry = try chain.next(.naming, device.device, now: now, naming: named)
            let signed = try entry.signed(vault: vault, by: device.key.sign)
            let row = VaultDatabase.Row(
                position: chain.position + 1,
                previous: 0,
                entry: signed.encoded,
                blob: nil
            )
            try take(signed, at: row.position, checksSignature: false)
            chain = LogChain(self)
            written.append((signed, row))
        }
        return written
    }
}
