/// Small records of this device, which the vault's key encrypts.
extension Vault {
    /// The record with this name.
    ///
    /// It is `nil` if there is no such record, or if this vault did not encrypt it.
    ///
    /// - Throws: ``VaultError`` with `locked` or `closed`.
    package func deviceRecord(_ name: String) throws(VaultError) -> [UInt8]? {
        try open().records.read(name)
    }

    /// Writes a record and replaces the earlier one of the same name.
    ///
    /// `nil` removes the record.
    ///
    /// - Throws: ``VaultError`` with `locked`, `closed`, `diskFull` or `unavailable`.
    package func keepDeviceRecord(_ record: [UInt8]?, _ name: String) throws(VaultError) {
        try open().records.keep(record, name)
    }
}
