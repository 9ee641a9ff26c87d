internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// Small records of a device.
///
/// Each is a file in the state folder, encrypted with the vault's key.
///
/// A person who cannot open the vault cannot read or write a record. But they can delete it or restore an older one.
///
/// `Documentation/formats/vault.md`, "This device".
struct DeviceRecords {
    private let location: VaultLocation
    private let vault: VaultID
    private let keys: VaultKeys
    private let environment: VaultEnvironment

    /// The maximum length of an encrypted record, in bytes.
    private static let maximumRecord = 65_536

    /// Takes the place of the records and their keys.
    init(_ location: VaultLocation, _ vault: VaultID, _ keys: VaultKeys, _ environment: VaultEnvironment) {
        self.location = location
        self.vault = vault
        self.keys = keys
        self.environment = environment
    }

    /// The record with this name.
    ///
    /// It is `nil` if there is no such record, or if this vault did not encrypt it.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there may be a record that cannot be read now.
    func read(_ name: String) throws(VaultError) -> [UInt8]? {
        let sealed: [UInt8]?
        do { sealed = try SmallFile.read(path(name), limit: Self.maximumRecord) } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
        guard let sealed, let padded = try Sealing.open(sealed, key: key(name), associated: associated(name)) else {
            return nil
        }
        return Padding.unpad([UInt8](padded))
    }

    /// Writes a record and replaces the earlier one of the same name.
    ///
    /// `nil` removes the record.
    ///
    /// - Throws: ``VaultError`` with `diskFull` or `unavailable`.
    func keep(_ record: [UInt8]?, _ name: String) throws(VaultError) {
        guard let record else { return try SmallFile.remove(path(name)) }
        let sealed = try Sealing.seal(
            Padding.pad(record),
            key: key(name),
            nonce: environment.random(Sealing.nonceLength),
            associated: associated(name)
        )
        try SmallFile.replace(path(name), with: sealed, environment)
    }

    private func path(_ name: String) -> String { location.stateDirectory + "/" + name }

    private func key(_ name: String) throws(VaultError) -> SymmetricKey {
        try keys.first.derive("ward/v1/device-record", salt: vault.bytes, context: Array(name.utf8))
    }

    private func associated(_ name: String) -> [UInt8] {
        CBORValue.array(["ward", 1, "device-record", .text(name), .bytes(vault.bytes)]).encoded()
    }
}
