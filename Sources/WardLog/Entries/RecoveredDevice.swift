/// A device that joins the circle with a recovery key, as its first entry says.
///
/// The entry shows it to somebody who does not have the entries that it names. Whether the recovery key is in force, nothing here says.
///
/// `Documentation/formats/sync.md`, "Operations" and "Server".
package struct RecoveredDevice: Hashable, Sendable {
    /// The device.
    package let device: CircleDevice
    /// The Ed25519 key of the recovery key that signed the entry, 32 bytes.
    package let recoveryKey: [UInt8]
    private let entry: SignedEntry

    /// Reads an operation 8 with the signature of a recovery key; ``isSigned(vault:_:)`` checks it.
    ///
    /// - Returns: `nil` if the entry is anything else.
    package init?(_ entry: SignedEntry) {
        guard case .circle(.joinRecovered(let device)) = entry.entry.operation, device.id == entry.entry.device,
            entry.entry.isFirst, let approval = entry.entry.recoveryApproval
        else { return nil }
        self.device = device
        recoveryKey = approval.publicKey
        self.entry = entry
    }

    /// Whether the recovery key and the device signed the entry, for this vault.
    package func isSigned(vault: VaultID, _ scheme: SignatureScheme = .inForce) -> Bool {
        guard let approval = entry.entry.recoveryApproval,
            let content = try? LogEntry.approvedContent(entry.payload)
        else { return false }
        return scheme.isValid(approval.signature, LogEntry.recoveryMessage(content, vault: vault), recoveryKey)
            && entry.isSigned(by: device.publicKey, vault: vault, scheme)
    }
}
