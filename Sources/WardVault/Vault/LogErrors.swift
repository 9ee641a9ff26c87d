package import WardLog

extension VaultError {
    /// Creates the errors for a damaged log.
    init(_ error: LogError) {
        self.init(.damaged, "The log is broken: \(error)")
    }
}

extension SignedEntry {
    /// Reads the entry of a row.
    ///
    /// Its signature is not checked here.
    ///
    /// - Throws: ``VaultError`` with `damaged`.
    init(_ row: VaultDatabase.Row) throws(VaultError) {
        do throws(LogError) {
            try self.init(encoded: row.entry)
        } catch {
            throw VaultError(error)
        }
    }
}

extension LogGraph {
    /// Adds the next entry of the file, which was taken before.
    ///
    /// - Throws: ``VaultError`` with `damaged`, also for an entry that names another that does not lie before it.
    mutating func take(
        _ signed: SignedEntry,
        at position: Int64,
        checksSignature: Bool
    ) throws(VaultError) {
        let outcome: Outcome
        do throws(LogError) {
            outcome = try take(signed, at: Optional(position), checksSignature: checksSignature, isNamed: true)
        } catch {
            throw VaultError(error)
        }
        switch outcome {
        case .taken: return
        case .known: throw VaultError(.damaged, "The log is broken: entry \(position) occurs twice")
        case .waits:
            throw VaultError(.damaged, "The log is broken: entry \(position) refers to an entry that is missing")
        }
    }
}

extension LogChain {
    /// The next entry that this device will write.
    ///
    /// - Throws: ``VaultError`` with `damaged` when this device can write no more.
    func next(
        _ operation: LogOperation,
        _ device: DeviceID,
        now: Int64,
        naming named: [LogEntry.Seen]? = nil
    ) throws(VaultError) -> LogEntry {
        do throws(LogError) {
            return try next(operation, by: device, now: now, naming: named)
        } catch {
            throw VaultError(error)
        }
    }

    /// Adds an entry that this device has just made.
    mutating func advance(by signed: SignedEntry, to position: Int64) throws(VaultError) {
        guard append(signed, at: position) else {
            throw VaultError(.damaged, "The log is broken: this device's entry does not follow the one before")
        }
    }
}

extension ItemID {
    /// The ID in the type that the log uses.
    package var logged: LogItemID { LogItemID(prefix: bytes) }
}

extension RevisionEntry {
    /// The item ID in the form for people.
    var itemText: String { ItemID(item.bytes)?.text ?? item.description }
}

extension VaultDatabase {
    /// The entry at a position with its blob, or `nil` if there is none.
    func record(at position: Int64) throws(VaultError) -> LogRecord? {
        guard let row = try row(at: position) else { return nil }
        return LogRecord(entry: try SignedEntry(row), blob: row.blob)
    }
}
