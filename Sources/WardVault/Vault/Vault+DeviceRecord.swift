internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// Small things that this device keeps beside the vault, each in a file of the state folder and sealed with the vault's key.
///
/// Somebody without the open vault can neither read nor write one. They can delete it, and they can put an older one back.
///
/// `Documentation/formats/vault.md`, "This device".
extension Vault {
    /// How long a record may be, sealed.
    private static let maximumRecord = 65_536

    /// What is kept under a name; `nil` where there is nothing, or nothing that this vault sealed.
    ///
    /// - Throws: ``VaultError`` with `locked` or `closed`.
    package func deviceRecord(_ name: String) throws(VaultError) -> [UInt8]? {
        let open = try open()
        guard let sealed = try? SmallFile.read(path(name), limit: Self.maximumRecord),
            let key = try? key(name, open.keys),
            let padded = Sealing.open(sealed, key: key, associated: associated(name))
        else { return nil }
        return Padding.unpad([UInt8](padded))
    }

    /// Keeps a record in place of the one before; `nil` removes it.
    ///
    /// - Throws: ``VaultError`` with `locked`, `closed`, `diskFull` or `unavailable`.
    package func keepDeviceRecord(_ record: [UInt8]?, _ name: String) throws(VaultError) {
        let open = try open()
        guard let record else {
            guard unsafe unlink(path(name)) == 0 || errno == ENOENT else {
                throw SmallFile.refusal("removing", path(name))
            }
            return try SmallFile.synchronize(directory: location.stateDirectory)
        }
        let sealed = try Sealing.seal(
            Padding.pad(record),
            key: key(name, open.keys),
            nonce: environment.random(Sealing.nonceLength),
            associated: associated(name)
        )
        try SmallFile.replace(path(name), with: sealed, environment)
    }

    private func path(_ name: String) -> String { location.stateDirectory + "/" + name }

    private func key(_ name: String, _ keys: VaultKeys) throws(VaultError) -> SymmetricKey {
        try keys.key(0).derive("ward/v1/device-record", salt: id.bytes, context: Array(name.utf8))
    }

    private func associated(_ name: String) -> [UInt8] {
        CBORValue.array(["ward", 1, "device-record", .text(name), .bytes(id.bytes)]).encoded()
    }
}
