internal import WardLog

/// What the headers of a circle have beside their keys.
///
/// A header never changes, so each is opened once. No key is kept here, only check values of keys.
struct OpenedHeaders {
    /// One header.
    struct Header {
        /// The key with which the header is sealed.
        let name: VaultKeys.Name
        /// The check value of this key, as the header says it.
        let commitment: [UInt8]
        /// The check values of the other keys in the header; `nil` if this device does not have the header's key.
        let others: [VaultKeys.Name: [UInt8]]?
    }

    /// By the hashes of their entries.
    private var headers: [[UInt8]: Header] = [:]

    /// The header of the entry with a hash; `nil` if it has none, or one that cannot be read.
    func header(of entry: [UInt8]) -> Header? { headers[entry] }

    /// Opens the header of the entry with a hash, unless that was done with its key before.
    mutating func open(_ encoded: [UInt8], of entry: [UInt8], _ keys: VaultKeys, _ vault: VaultID) {
        let known = headers[entry]
        if let known, known.others != nil || !keys.has(known.name) { return }
        guard let header = try? VaultHeader(encoded: encoded) else { return }
        var found: [VaultKeys.Name: [UInt8]]?
        if let current = keys.locked(header.keyName),
            let others = try? header.circle?.open(with: current, epoch: header.epoch, vault: vault)
        {
            found = others.names.reduce(into: [:]) { found, name in
                found[name] = others.locked(name).map { VaultKeys.commitment(of: $0, vault) }
            }
        }
        headers[entry] = Header(name: header.keyName, commitment: header.keyCommitment, others: found)
    }
}
