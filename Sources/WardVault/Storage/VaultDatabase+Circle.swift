internal import WardLog

extension VaultDatabase {
    /// The hash of the first entry that begins a circle of devices; `nil` if there is none.
    ///
    /// Nothing confirms that it is the right one. So it serves only where this device has no record of the vault.
    func circle() throws(VaultError) -> [UInt8]? {
        var found: [UInt8]?
        try forEachRow(after: 0, withBlobs: false) { row in
            guard found == nil, let signed = try? SignedEntry(row), case .circle(.begin) = signed.entry.operation else {
                return
            }
            found = signed.hash
        }
        return found
    }

    /// Whether an entry names a header.
    func names(header hash: [UInt8]) throws(VaultError) -> Bool {
        var isNamed = false
        try forEachRow(after: 0, withBlobs: false) { row in
            guard !isNamed, let signed = try? SignedEntry(row) else { return }
            switch signed.entry.operation {
            case .header(_, let named): isNamed = named == hash
            case .circle(let record): isNamed = record.keys?.headerHash == hash
            case .genesis, .enrol, .revision, .purge, .content, .ignorable, .unknown: break
            }
        }
        return isNamed
    }
}
