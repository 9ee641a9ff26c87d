internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// The encryption of an item in the file: padded, with a key that is used only once.
///
/// `Documentation/formats/vault.md`, "Sealed items".
enum ItemSealing {
    static let saltLength = 32

    /// Encrypts the encoding of an item for one log entry.
    ///
    /// The caller writes the hash of the result into the entry.
    static func seal(
        _ item: [UInt8],
        for record: RevisionEntry,
        device: DeviceID,
        sequence: UInt64,
        vault: VaultID,
        keys: VaultKeys,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> [UInt8] {
        let salt = try environment.random(saltLength)
        var padded = Padding.pad(item)
        defer { padded.wipe() }
        let sealed = try Sealing.seal(
            padded,
            key: itemKey(keys.key(keys.current), salt: salt, record, vault),
            nonce: environment.random(Sealing.nonceLength),
            associated: associated(record, device, sequence, vault)
        )
        return salt + sealed
    }

    /// Decrypts the encoding of an item.
    ///
    /// - Throws: ``VaultError`` with `damaged` if blob and entry do not match, or the blob was changed.
    static func open(
        _ blob: [UInt8],
        for record: RevisionEntry,
        device: DeviceID,
        sequence: UInt64,
        vault: VaultID,
        keys: VaultKeys
    ) throws(VaultError) -> [UInt8] {
        let salt = Array(blob.prefix(saltLength))
        let associated = associated(record, device, sequence, vault)
        // Two devices may have made a key of this epoch.
        var opened = try keys.keys(ofEpoch: record.epoch).lazy.compactMap { key in
            Sealing.open(
                blob.dropFirst(saltLength),
                key: itemKey(key, salt: salt, record, vault),
                associated: associated
            )
        }.first
        var padded = opened?.takeBytes() ?? []
        defer { padded.wipe() }
        guard blob.count > saltLength + Sealing.overhead, let item = Padding.unpad(padded) else {
            throw VaultError(.damaged, "Revision \(record.number) of item \(record.itemText) was changed")
        }
        return item
    }

    static func hash(_ blob: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: blob)) }

    private static func itemKey(
        _ key: SymmetricKey,
        salt: [UInt8],
        _ record: RevisionEntry,
        _ vault: VaultID
    ) -> SymmetricKey {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: record.number >> (56 - 8 * UInt64($0))) }
        return key.derive(
            "ward/v1/item",
            salt: salt,
            context: vault.bytes + record.item.bytes + number
        )
    }

    /// The associated data.
    ///
    /// It ensures that encrypted data can be decrypted only at its own position in its own log.
    private static func associated(
        _ record: RevisionEntry,
        _ device: DeviceID,
        _ sequence: UInt64,
        _ vault: VaultID
    ) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeArray(count: 9)
        writer.write(text: "ward")
        writer.write(unsigned: 1)
        writer.write(text: "item")
        writer.write(bytes: vault.bytes)
        writer.write(bytes: record.item.bytes)
        writer.write(unsigned: record.number)
        writer.writeArray(count: record.parents.count)
        for parent in record.parents { writer.write(bytes: parent) }
        writer.write(bytes: device.bytes)
        writer.write(unsigned: sequence)
        return writer.bytes
    }
}

/// Padding that hides sizes: encrypted items have one of a few lengths.
///
/// Four bytes of length, the content, and zeros up to the next multiple of 256; from 4096 bytes on, up to the length of
/// [Padmé](https://petsymposium.org/popets/2019/popets-2019-0056.php): at most an eighth more.
package enum Padding {
    /// The content with its length before it and zeros after it.
    package static func pad(_ content: [UInt8]) -> [UInt8] {
        let target = paddedLength(4 + content.count)
        var padded: [UInt8] = []
        padded.reserveCapacity(target)
        for shift in [24, 16, 8, 0] { padded.append(UInt8(truncatingIfNeeded: content.count >> shift)) }
        padded += content
        padded += repeatElement(0, count: target - padded.count)
        return padded
    }

    /// The content, or `nil` if length or padding differ from ``pad(_:)``.
    package static func unpad(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 4 else { return nil }
        let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - 4, bytes.count == paddedLength(4 + length) else { return nil }
        let content = bytes[4..<(4 + length)]
        guard bytes[content.endIndex...].allSatisfy({ $0 == 0 }) else { return nil }
        return Array(content)
    }

    static func paddedLength(_ length: Int) -> Int {
        let exponent = Int.bitWidth - 1 - max(1, length).leadingZeroBitCount
        let digits = Int.bitWidth - max(1, exponent).leadingZeroBitCount
        let step = max(256, length > 4096 ? 1 << max(0, exponent - digits) : 256)
        return (length + step - 1) / step * step
    }
}
