internal import Crypto
internal import WardCBOR
internal import WardLog

/// What a person compares on two screens, to see that both devices have the same entries.
package struct VaultComparison: Hashable, Sendable {
    /// Eight words that are the same exactly if the newest entries of all devices are the same.
    package var words: [String]
    /// The number of entries.
    package var entries: Int64
    /// The time of the newest entry by its device's clock, in seconds since 1970.
    package var newest: Int64

    /// Takes the newest entries of a log.
    init(_ chain: LogChain, _ vault: VaultID) {
        let heads = chain.devices.sorted { $0.key < $1.key }.flatMap { id, device in
            device.leaves.sorted(by: Self.isBefore).map { leaf in
                CBORValue.array([.bytes(id.bytes), .unsigned(leaf.sequence), .bytes(leaf.hash)])
            }
        }
        let value: CBORValue = [.bytes(vault.bytes), .array(heads)]
        let message = Array("ward/v1/sync/compare".utf8) + [0] + value.encoded()
        words = PairingWords.words(Array(SHA256.hash(data: message)))
        entries = chain.position
        newest = chain.time.seconds
    }

    private static func isBefore(_ one: LogChain.Leaf, _ other: LogChain.Leaf) -> Bool {
        one.sequence == other.sequence
            ? one.hash.lexicographicallyPrecedes(other.hash) : one.sequence < other.sequence
    }
}

extension Vault {
    /// What to compare with another device.
    ///
    /// A server or a folder can show two devices different entries, and each alone cannot see that. Nothing is read from the disk.
    ///
    /// - Throws: ``VaultError`` with `locked`.
    package func comparison() throws(VaultError) -> VaultComparison { VaultComparison(try open().chain, id) }
}
