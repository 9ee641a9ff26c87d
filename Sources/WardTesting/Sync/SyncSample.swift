import WardCBOR
package import WardLog
package import WardSyncRecords

/// Records for the suite, which no log would take: a store checks nothing.
package enum SyncSample {
    package static func bytes(_ number: UInt8, _ count: Int = 32) -> [UInt8] {
        [UInt8](repeating: number, count: count)
    }

    package static func vaultID(_ number: UInt8) -> VaultID { VaultID(genesis: [number]) }

    package static func device(_ number: UInt8) -> DeviceID { DeviceID(publicKey: bytes(number)) }

    package static func subject(_ number: UInt8) -> SyncSubject { SyncSubject(device(number)) }

    package static func token(_ number: UInt8) -> TokenHash { TokenHash(bytes(number)) }

    package static func vault(_ number: UInt8, invitedBy invitation: UInt8 = 1) -> SyncVault {
        SyncVault(
            id: vaultID(number),
            order: bytes(number, SyncVault.orderLength),
            createdAt: 1_700_000_000,
            invitation: token(invitation)
        )
    }

    /// An entry with a number on its device; `salt` makes other entries with this number.
    package static func record(
        _ device: UInt8,
        _ sequence: UInt64,
        after previous: LogRecord? = nil,
        salt: UInt8 = 0,
        blob: [UInt8]? = nil
    ) -> LogRecord {
        let entry = LogEntry(
            device: SyncSample.device(device),
            sequence: sequence,
            previous: previous?.entry.hash,
            time: HybridTime(value: sequence),
            seen: [],
            operation: .ignorable(200, [1: .bytes([salt])])
        )
        let signed = entry.signed(vault: nil) { _ in bytes(device, LogEntry.signatureLength) }
        return LogRecord(entry: signed, blob: blob)
    }

    /// A chain of entries of one device.
    package static func chain(_ device: UInt8, _ count: Int, blobs: Int = 0) -> [LogRecord] {
        var records: [LogRecord] = []
        for index in 0..<count {
            let blob = blobs > 0 ? bytes(UInt8(truncatingIfNeeded: index), blobs) : nil
            records.append(record(device, UInt64(index + 1), after: records.last, blob: blob))
        }
        return records
    }

    package static func key(_ number: UInt8, isAllowed: Bool = true) -> SyncKey {
        SyncKey(subject: subject(number), publicKey: bytes(number), isAllowed: isAllowed)
    }

    package static func session(_ number: UInt8, of subject: UInt8, in vault: UInt8 = 1, until end: Int64 = 100)
        -> SyncSession
    {
        SyncSession(
            token: token(number),
            vault: vaultID(vault),
            subject: SyncSample.subject(subject),
            createdAt: Int64(number),
            expiresAt: end
        )
    }
}

extension SyncStore {
    /// Stores a vault with these first entries, by an invitation of its own.
    @discardableResult
    package func begin(
        _ number: UInt8,
        _ records: [LogRecord] = [],
        keys: [SyncKey]? = nil,
        account: String? = nil,
        limit: Int = 1,
        room: Int64 = .max
    ) async throws -> SyncVault {
        let token = SyncSample.token(number)
        try await add(SyncInvitation(token: token, createdAt: 0, expiresAt: 10, account: account))
        let batch = SyncBatch(head: 0, records: records, keys: keys)
        return try await create(SyncSample.vault(number, invitedBy: number), batch, limit: limit, room: room, at: 5)
    }
}
