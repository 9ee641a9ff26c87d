import WardAccounts

extension AccountStoreSuite {
    static let audit: [Check] = [
        Check("rows of the audit log come back exactly as they were written, chained and in pages") { store in
            let events = Sample.events
            try await store.write { tx in
                try expect(try await tx.auditEnd(), equals: .start)
                for event in events { try await tx.append(event) }
            }
            try await store.read { tx in
                var point = AuditPoint.start
                var expected: [AuditEntry] = []
                for event in events {
                    expected.append(point.next(event))
                    point = expected.last?.point ?? point
                }
                try expect(try await tx.auditEntries(after: 0, limit: 99), equals: expected)
                try expect(try await tx.auditEntries(after: 1, limit: 1), equals: [expected[1]])
                try expect(try await tx.auditEntries(after: Int64(events.count), limit: 9), equals: [])
                try expect(
                    try await tx.auditEntries(of: Sample.accountID(1), limit: 9),
                    equals: [expected[3], expected[0]]
                )
                try expect(try await tx.auditEntries(of: Sample.accountID(1), limit: 1), equals: [expected[3]])
                try expect(try await tx.auditEntries(of: Sample.accountID(9), limit: 9), equals: [])
                try expect(try await tx.auditEnd(), equals: point)
                try expect(try await tx.auditCheckpoint(), equals: nil)
            }
        },
        Check("a row of the audit log is kept with the change that it records, or not at all") { store in
            struct Stop: Error {}
            let events = Sample.events
            try await store.write { try await $0.append(events[0]) }
            try? await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.append(events[1])
                throw Stop()
            }
            let outcomes = await parallel(20) { index in
                try await store.write { tx in
                    try await tx.append(events[index % events.count])
                    if index.isMultiple(of: 2) { throw Stop() }
                }
            }
            try expect(outcomes.count { (try? $0.get()) != nil }, equals: 10)
            try await store.read { tx in
                let entries = try await tx.auditEntries(after: 0, limit: 99)
                try expect(entries.map(\.number), equals: Array(1...11))
                var point = AuditPoint.start
                for entry in entries {
                    try expect(entry, equals: point.next(entry.event))
                    point = entry.point
                }
            }
        },
        Check("a deleted passkey is known by its row, until that is old, and no other row counts") { store in
            let kinds: [AuditEvent.Kind] = [.passkeyAdded, .passkeyDeleted, .signedIn, .passkeyReplaced]
            try await store.write { tx in
                for (index, kind) in kinds.enumerated() {
                    let credential = Sample.credentialID(index + 1)
                    try await tx.append(AuditEvent(kind, at: 1, of: Sample.accountID(1), credential: credential))
                }
            }
            @Sendable func deleted(in tx: any AccountTransaction) async throws -> [Int] {
                var found: [Int] = []
                for index in 1...5 where try await tx.wasDeleted(credentialID: Sample.credentialID(index)) {
                    found.append(index)
                }
                return found
            }
            try await store.write { tx in
                try expect(try await deleted(in: tx), equals: [2, 4])
                guard let point = try await tx.auditEntries(after: 1, limit: 1).first?.point else {
                    throw Failure(reason: "row 2 is missing")
                }
                try await tx.deleteAuditEntries(through: AuditSeal(.checkpoint, point, at: 5, signature: []))
                try expect(try await deleted(in: tx), equals: [4])
            }
        },
        Check("a checkpoint takes the place of old rows, and the log goes on after it") { store in
            let events = Sample.events
            try await store.write { tx in
                for event in events { try await tx.append(event) }
            }
            for number in [2, events.count] {
                let all = try await store.read { try await $0.auditEntries(after: 0, limit: 99) }
                guard let point = all.first(where: { $0.number == Int64(number) })?.point else {
                    throw Failure(reason: "row \(number) is missing")
                }
                let seal = AuditSeal(.checkpoint, point, at: 5, signature: Sample.bytes(64, number))
                try await store.write { tx in
                    let deleted = all.filter { $0.number <= Int64(number) }.count
                    try expect(try await tx.deleteAuditEntries(through: seal), equals: deleted)
                    try expect(try await tx.auditCheckpoint(), equals: seal)
                    let left = try await tx.auditEntries(after: 0, limit: 99)
                    try expect(left, equals: all.filter { $0.number > Int64(number) })
                }
            }
            try await store.write { tx in
                let end = try await tx.auditEnd()
                try expect(end.number, equals: Int64(events.count))
                try await tx.append(events[0])
                try expect(try await tx.auditEntries(after: 0, limit: 99), equals: [end.next(events[0])])
            }
        },
    ]
}

extension Sample {
    /// Events in which each value is present, and events in which it is missing.
    static let events = [
        AuditEvent(.signedIn, at: 1_700_000_000, of: accountID(1), method: .passkey, credential: credentialID(1)),
        AuditEvent(.invitationMade, at: .min, by: .operator, of: nil),
        AuditEvent(.passkeyAdded, at: .max, of: accountID(2), method: .recoveryLink, credential: credentialID([0])),
        AuditEvent(.init(rawValue: "of a later version"), at: 0, of: accountID(1), method: .password),
        AuditEvent(.signedIn, at: 3, of: accountID(2), details: AuditDetails(session: sessionID(1))),
    ]
}
