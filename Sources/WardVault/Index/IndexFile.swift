internal import Crypto
internal import Foundation
internal import WardLog

/// The encrypted index on disk.
///
/// Its only purpose is to save time.
///
/// If it is damaged, it is rebuilt from the vault.
///
/// `Documentation/formats/vault.md`, "This device".
enum IndexFile {
    private static let magic = Array("WARDIDX1".utf8)
    private static let saltLength = 32
    private static let limit = 1 << 30

    /// Reads the index.
    ///
    /// It is `nil` if there is no valid index.
    static func read(_ path: String, _ vault: VaultID, _ keys: VaultKeys) -> IndexSnapshot? {
        guard let bytes = try? SmallFile.read(path, limit: limit), bytes.starts(with: magic) else { return nil }
        let salt = Array(bytes.dropFirst(magic.count).prefix(saltLength))
        guard salt.count == saltLength,
            let key = try? keys.first.derive("ward/v1/index", salt: salt, context: vault.bytes),
            let data = Sealing.open(
                bytes.dropFirst(magic.count + saltLength),
                key: key,
                associated: magic + vault.bytes
            )
        else { return nil }
        return IndexSnapshot([UInt8](data))
    }

    /// Writes an index.
    static func write(
        _ path: String,
        _ index: [UInt8],
        _ vault: VaultID,
        _ keys: VaultKeys,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        let salt = try environment.random(saltLength)
        let sealed = try Sealing.seal(
            index,
            key: keys.first.derive("ward/v1/index", salt: salt, context: vault.bytes),
            nonce: environment.random(Sealing.nonceLength),
            associated: magic + vault.bytes
        )
        try SmallFile.replace(path, with: magic + salt + sealed, environment)
    }
}
