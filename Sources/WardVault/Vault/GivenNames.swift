internal import WardLog

/// The names that devices gave themselves in the log, in its order.
///
/// The log is read once for them, and then only what is new in it.
struct GivenNames {
    /// An entry with a name.
    struct Note {
        let entry: [UInt8]
        let device: DeviceID
        let sealed: [UInt8]
    }

    private(set) var notes: [Note] = []
    /// The position up to which the log was read.
    private var position: Int64 = 0

    /// Reads what is new.
    ///
    /// - Parameters:
    ///   - database: The file with the log.
    ///   - name: The sealed name in an operation, if it has one.
    /// - Throws: ``VaultError`` with `damaged` or `unavailable`; nothing changes then.
    mutating func read(_ database: VaultDatabase, _ name: (LogOperation) -> [UInt8]?) throws(VaultError) {
        var (found, last): ([Note], Int64) = ([], position)
        try database.forEachRow(after: position, withBlobs: false) { row in
            let signed = try SignedEntry(row)
            last = row.position
            guard let sealed = name(signed.entry.operation) else { return }
            found.append(Note(entry: signed.hash, device: signed.entry.device, sealed: sealed))
        }
        notes += found
        position = last
    }
}
