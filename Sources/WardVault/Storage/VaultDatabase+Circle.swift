internal import WardLog

extension VaultDatabase {
    /// The hash of the entry that begins the circle of devices, for a vault of which this device has no record; `nil` if there is no
    /// circle.
    ///
    /// The header names it. If the header is the one of this entry itself, the entry is looked for.
    func circle(_ header: VaultHeader) throws(VaultError) -> [UInt8]? {
        guard let circle = header.circle else { return nil }
        if let root = circle.root { return root }
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
