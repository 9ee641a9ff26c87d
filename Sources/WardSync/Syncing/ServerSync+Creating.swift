internal import WardLog
internal import WardVault

/// Bringing a vault to a server that does not have it.
extension ServerSync {
    /// How often the first upload is made smaller: about once for each removed device whose entries do not count.
    private static let mostCreations = 64

    /// Brings the vault to a server that does not have it.
    func create(_ report: inout SyncReport) async throws {
        guard let invitation else { return }
        let device = try await vault.thisDevice()
        let positions = try await vault.positions(lackingIn: [])
        var first = try await beginning(of: positions, device)
        let root = try await vault.circleRoot()
        let hasRoot = first.contains { $0.entry.hash == root }
        beginAnew()
        var attempts = 0
        while true {
            do {
                let began = now()
                _ = try await connection.create(first, circle: hasRoot ? root : nil, invitation: invitation)
                notePass(since: began, isFull: first.count < positions.count)
                break
            } catch let error as ServerError where error.code == .entryVoid && attempts < Self.mostCreations {
                // What else the server keeps of that device is brought when the vault is there.
                let count = first.count
                for hash in error.hashes("entry") { first.leaveOutEnd(of: hash) }
                guard first.count < count else { throw error }
                attempts += 1
            }
        }
        report.written += first.count { $0.entry.entry.device == device }
    }

    /// The first upload: a beginning of the log after which the server lets this device in.
    ///
    /// - Throws: ``ServerError`` with `joined_late` if there is none that is short enough, or with `session_refused` if the device is not in
    ///   the circle.
    private func beginning(of positions: [Int64], _ device: DeviceID) async throws -> [LogRecord] {
        let circle = try await vault.mayWrite(device) ? vault.disputablePositions() : []
        let (small, large) = (pace.limit(), (entries: ServerLimits.entries, bytes: ServerLimits.uploadBytes))
        for size in [small, large] {
            let records = try await vault.records(at: positions, upTo: size.entries, bytes: size.bytes)
            // The server takes nothing more from this device without an entry that makes it a member.
            guard let own = records.firstIndex(where: { $0.makesMember(device) }) else { continue }
            guard !circle.isEmpty else { return records }
            // What does not count can count for who has only a part: a removal of this device, for example.
            for count in (own + 1...records.count).reversed()
            where count == records.count || circle.contains(positions[count]) {
                let rest = Set(positions.dropFirst(count).filter(circle.contains))
                if try await vault.mayWrite(device, lacking: rest, without: []) { return Array(records[..<count]) }
            }
        }
        guard try await vault.mayWrite(device) else { throw ServerError(.sessionRefused) }
        // A recovery key introduces a device to a server that knows the key.
        if try await vault.recoveryEntry() != nil {
            let records = try await vault.records(at: positions, upTo: large.entries, bytes: large.bytes)
            let root = try await vault.circleRoot()
            if records.contains(where: { $0.entry.hash == root }) { return records }
        }
        throw ServerError(.joinedLate)
    }
}

extension [LogRecord] {
    /// Leaves out an entry that no other one names, and the entries of its device before it that then no other one names.
    ///
    /// Operations on the circle stay.
    fileprivate mutating func leaveOutEnd(of hash: [UInt8]) {
        guard let device = first(where: { $0.entry.hash == hash })?.entry.entry.device else { return }
        while let last = lastIndex(where: { $0.entry.entry.device == device }), !self[last].changesCircle,
            !contains(where: { $0.names.contains(self[last].entry.hash) })
        {
            remove(at: last)
        }
    }
}

extension LogRecord {
    /// Whether a server that has the entry knows the device: it wrote the entry, or the entry admits it.
    fileprivate func makesMember(_ device: DeviceID) -> Bool {
        if case .circle(.admit(let admitted, _)) = entry.entry.operation, admitted.id == device { return true }
        return entry.entry.device == device
    }
}
