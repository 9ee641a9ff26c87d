package import WardLog

extension VaultError {
    /// Says why the log is not as it should be.
    init(_ error: LogError) {
        self.init(.damaged, "The log is broken: \(error)")
    }
}

extension SignedEntry {
    /// Reads the entry of a row; its signature is not checked here.
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
    /// Takes the next entry of the file.
    ///
    /// - Throws: ``VaultError`` with `damaged`, also for an entry that names another that does not lie before it.
    mutating func take(
        _ signed: SignedEntry,
        at position: Int64,
        checksSignature: Bool
    ) throws(VaultError) {
        let outcome: Outcome
        do throws(LogError) {
            outcome = try take(signed, at: Optional(position), checksSignature: checksSignature)
        } catch {
            throw VaultError(error)
        }
        switch outcome {
        case .taken: return
        case .known: throw VaultError(.damaged, "The log is broken: entry \(position) is there twice")
        case .waits:
            throw VaultError(.damaged, "The log is broken: entry \(position) names another that is not there")
        }
    }
}

extension LogChain {
    /// The next entry of this device.
    ///
    /// - Throws: ``VaultError`` with `damaged` when this device can write no more.
    func next(_ operation: LogOperation, _ device: DeviceID, now: Int64) throws(VaultError) -> LogEntry {
        do throws(LogError) {
            return try next(operation, by: device, now: now)
        } catch {
            throw VaultError(error)
        }
    }

    /// Goes on by an entry that this device just made.
    mutating func advance(by signed: SignedEntry, to position: Int64) throws(VaultError) {
        guard append(signed, at: position) else {
            throw VaultError(.damaged, "The log is broken: this device's entry does not follow the one before")
        }
    }
}

extension ItemID {
    /// The ID as the log has it.
    package var logged: LogItemID { LogItemID(prefix: bytes) }
}

extension RevisionEntry {
    /// The item ID as a person reads it.
    var itemText: String { ItemID(item.bytes)?.text ?? item.description }
}
