internal import WardLog
internal import WardVault

/// Bringing a vault to a server that does not have it.
extension ServerSync {
    /// How often an upload is tried again.
    private static let mostCreations = 5

    /// Brings the vault to a server that does not have it, until the server lets this device in.
    ///
    /// - Throws: ``ServerError`` with `session_refused`, before anything is brought, if the device is not in the circle. If something else
    ///   fails, the same invitation brings the rest, or another one of the same account.
    func create(_ report: inout SyncReport) async throws {
        guard let invitation else { return }
        let device = try await vault.thisDevice()
        guard try await vault.mayWrite(device) else { throw ServerError(.sessionRefused) }
        beginAnew()
        var creation = Creation(
            invitation: invitation,
            positions: try await vault.positions(lackingIn: []),
            root: try await vault.circleRoot(),
            circle: try await vault.disputablePositions()
        )
        var attempts = 0
        repeat {
            do {
                let batch = try await bring(&creation, &report)
                let own = batch.filter { $0.entry.entry.device == device }
                report.written += own.count
                creation.hasOwn = creation.hasOwn || batch.contains { $0.makesMember(device) }
                attempts = 0
            } catch let error as ServerError where creation.done > 0 && attempts < Self.mostCreations {
                attempts += 1
                switch error.code {
                case .unreachable, .tooSlow, .busy, .tooManyRequests, .unavailable:
                    guard let wait = waitingTime(error, attempts) else { throw error }
                    noteFailure(error)
                    try await sleep(.seconds(wait))
                default: throw error
                }
            }
        } while try await !letsIn(device, creation)
    }

    /// How many seconds to wait after an error: the person would have to get another invitation if a short fault ended the run.
    private func waitingTime(_ error: ServerError, _ attempts: Int) -> Int64? {
        let wait = error.retryAfter ?? Int64(1 << attempts)
        return wait <= Self.longestWait ? max(1, wait) : nil
    }

    /// A vault that is brought.
    private struct Creation {
        let invitation: String
        let positions: [Int64]
        let root: [UInt8]?
        /// Where the entries are that the circle consists of, if one could take another one away.
        let circle: Set<Int64>
        /// How many entries the server has.
        var done = 0
        /// The number of the last of them.
        var head: UInt64 = 0
        var hasRoot = false
        /// Whether the server knows this device.
        var hasOwn = false
    }

    /// Brings the next entries.
    private func bring(_ creation: inout Creation, _ report: inout SyncReport) async throws -> [LogRecord] {
        let rest = creation.positions.dropFirst(creation.done)
        let limit = pace.limit(parts: parts)
        let batch = try await vault.records(at: rest, upTo: limit.entries, bytes: limit.bytes)
        let hasRoot = creation.hasRoot || batch.contains { $0.entry.hash == creation.root }
        let (root, invitation) = (hasRoot ? creation.root : nil, creation.invitation)
        let began = now()
        do {
            if creation.done == 0 {
                let receipt = try await connection.create(batch, circle: root, invitation: invitation)
                creation.head = receipt.head
                // The vault was brought before, with fewer entries perhaps.
                if receipt.count == 0 { try await bringMore(batch, &creation, root) }
            } else {
                try await bringMore(batch, &creation, root)
            }
        } catch let error as ServerError where error.code == .equivocation {
            // The entries are stored all the same: what is not is brought again after everything was read.
            guard let head = error.head else { throw error }
            creation.head = head
            // The word of the server accuses nobody.
            if try await vault.hasFork(of: Set(batch.map(\.entry.entry.device))) { report.serverTroubles.append(error) }
        }
        notePass(since: began, isFull: batch.count < rest.count)
        creation.hasRoot = hasRoot
        creation.done += batch.count
        progress(SyncProgress(.bringing, done: creation.done, of: creation.positions.count))
        return batch
    }

    private func bringMore(_ batch: [LogRecord], _ creation: inout Creation, _ root: [UInt8]?) async throws {
        let head = batch.contains(where: \.changesCircle) ? creation.head : nil
        do {
            let invitation = creation.invitation
            creation.head = try await connection.bring(batch, ifMatch: head, circle: root, invitation: invitation).head
        } catch let error as ServerError where error.code == .sessionRequired {
            // Another device brings the rest.
            throw ServerError(.vaultExists)
        }
    }

    /// Whether the server opens a session for this device, by what it has of the vault.
    private func letsIn(_ device: DeviceID, _ creation: Creation) async throws -> Bool {
        let rest = creation.positions.dropFirst(creation.done)
        // What does not count can count for who has only a part: a removal of this device, for example.
        guard creation.hasOwn, !rest.isEmpty, !creation.circle.isEmpty else { return creation.hasOwn || rest.isEmpty }
        return try await vault.mayWrite(device, lacking: Set(rest.filter(creation.circle.contains)), without: [])
    }
}

extension LogRecord {
    /// Whether a server that has the entry knows the device: it wrote the entry, or the entry admits it.
    fileprivate func makesMember(_ device: DeviceID) -> Bool {
        if case .circle(.admit(let admitted, _)) = entry.entry.operation, admitted.id == device { return true }
        return entry.entry.device == device
    }
}
