internal import Crypto
package import WardLog

/// Data that may have been cleared although it is needed.
package struct DataInQuestion: Hashable, Sendable {
    /// The entries whose data is needed and not in the vault.
    package internal(set) var lacking: Set<[UInt8]> = []
    /// The devices that removed items for good, which does not count: others may have cleared the data.
    package let devices: Set<DeviceID>
    /// The attached contents of items that were removed for good, and that were changed beside that: others may have cleared them.
    package let contents: Set<[UInt8]>

    /// A hash of all of them.
    package var name: [UInt8] {
        var hash = SHA256()
        for entries in [lacking, contents] {
            for entry in entries.sorted(by: { $0.lexicographicallyPrecedes($1) }) { hash.update(data: entry) }
            hash.update(data: [0])
        }
        for device in devices.sorted() { hash.update(data: device.bytes) }
        return Array(hash.finalize())
    }
}
