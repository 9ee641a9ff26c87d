import WardSyncRecords

extension SyncStoreSuite {
    private static let vault = SyncSample.vaultID(1)

    static let sessions: [Check] = [
        Check("a session comes back until it ends") { store in
            try await store.begin(1, keys: [SyncSample.key(1)])
            let session = SyncSample.session(1, of: 1, until: 100)
            try await store.open(session, limit: 4)
            try expect(try await store.visit(session.token, at: 99)?.session, equals: session)
            try expect(
                try await store.visit(session.token, at: 99)?.vault,
                equals: try await store.vault(session.vault)
            )
            try expect(try await store.visit(session.token, at: 100), equals: nil)
            try expect(try await store.visit(SyncSample.token(2), at: 1), equals: nil)
            try await refused(.conflict) { try await store.open(session, limit: 4) }
            try await store.close(session.token)
            try expect(try await store.visit(session.token, at: 1), equals: nil)
            try await store.close(session.token)
        },
        Check("only an allowed key opens a session") { store in
            try await store.begin(1, keys: [SyncSample.key(1), SyncSample.key(2, isAllowed: false)])
            try expect(try await store.key(of: SyncSample.subject(1), in: vault), equals: SyncSample.key(1))
            try expect(try await store.key(of: SyncSample.subject(2), in: vault)?.isAllowed, equals: false)
            try expect(try await store.key(of: SyncSample.subject(3), in: vault), equals: nil)
            try expect(try await store.key(of: SyncSample.subject(1), in: SyncSample.vaultID(2)), equals: nil)
            for subject in UInt8(2)...3 {
                try await refused(.keyNotAllowed) {
                    try await store.open(SyncSample.session(subject, of: subject), limit: 4)
                }
            }
            try await refused(.keyNotAllowed) {
                try await store.open(SyncSample.session(9, of: 1, in: 2), limit: 4)
            }
        },
        Check("the oldest session of a subject makes room") { store in
            try await store.begin(1, keys: [SyncSample.key(1), SyncSample.key(2)])
            for number in UInt8(1)...3 { try await store.open(SyncSample.session(number, of: 1), limit: 2) }
            try await store.open(SyncSample.session(4, of: 2), limit: 2)
            for (number, isThere) in [(UInt8(1), false), (2, true), (3, true), (4, true)] {
                try expect(try await store.visit(SyncSample.token(number), at: 1) != nil, equals: isThere)
            }
        },
        Check("the sessions of a subject end when its key is no longer allowed") { store in
            try await store.begin(1, keys: [SyncSample.key(1), SyncSample.key(2), SyncSample.key(3)])
            try await store.begin(2, keys: [SyncSample.key(2)])
            for number in UInt8(1)...3 { try await store.open(SyncSample.session(number, of: number), limit: 4) }
            try await store.open(SyncSample.session(4, of: 2, in: 2), limit: 4)
            let batch = SyncBatch(head: 0, keys: [SyncSample.key(1), SyncSample.key(2, isAllowed: false)])
            _ = try await store.append(batch, to: vault)
            for (number, isThere) in [(UInt8(1), true), (2, false), (3, false), (4, true)] {
                try expect(try await store.visit(SyncSample.token(number), at: 1) != nil, equals: isThere)
            }
            try expect(try await store.key(of: SyncSample.subject(2), in: vault)?.isAllowed, equals: false)
            try expect(try await store.key(of: SyncSample.subject(3), in: vault), equals: nil)
            // Without keys in a batch they stay.
            _ = try await store.append(SyncBatch(head: 0), to: vault)
            try expect(try await store.key(of: SyncSample.subject(1), in: vault), equals: SyncSample.key(1))
        },
        Check("a recovery key is a subject too") { store in
            let subject = try SyncSubject(SyncSample.bytes(5)).orFail()
            let key = SyncKey(subject: subject, publicKey: SyncSample.bytes(5), isAllowed: true)
            try await store.begin(1, keys: [key])
            try expect(try await store.key(of: subject, in: vault), equals: key)
        },
        Check("what has expired is swept, in steps") { store in
            try await store.begin(1, keys: [SyncSample.key(1)])
            for number in UInt8(1)...3 {
                let end: Int64 = number == 3 ? 1_000 : 50
                try await store.open(SyncSample.session(number, of: 1, until: end), limit: 4)
            }
            try await store.add(SyncInvitation(token: SyncSample.token(20), createdAt: 0, expiresAt: 60))
            try await store.add(SyncInvitation(token: SyncSample.token(21), createdAt: 0, expiresAt: 600))
            try expect(try await store.sweep(at: 49, limit: 10), equals: 0)
            try expect(try await store.sweep(at: 100, limit: 1), equals: 1)
            try expect(try await store.sweep(at: 100, limit: 10), equals: 2)
            try expect(try await store.sweep(at: 100, limit: 10), equals: 0)
            try expect(try await store.visit(SyncSample.token(3), at: 100) != nil, "it has not expired")
            _ = try await store.create(
                SyncSample.vault(2, invitedBy: 21),
                SyncBatch(head: 0),
                limit: 1,
                room: .max,
                at: 100
            )
        },
    ]
}

extension Optional {
    fileprivate func orFail() throws -> Wrapped {
        guard let self else { throw AccountStoreSuite.Failure(reason: "a value is missing") }
        return self
    }
}
