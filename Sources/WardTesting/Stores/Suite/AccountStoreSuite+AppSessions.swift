import WardAccounts

extension AccountStoreSuite {
    static let appSessions: [Check] = [
        Check("a session of an app comes back exactly as it was given, for its own token only") { store in
            try await store.write { try await Sample.insertPerson(1, in: $0) }
            let given = Sample.appSession(1, of: 100)
            try await store.write { try await $0.insert(given) }
            try await store.write { tx in
                try expect(try await tx.appSession(tokenHash: given.tokenHash), equals: given)
                let hash = given.tokenHash
                for other in [[], Array(hash.dropLast()), hash + [0], Sample.tokenHash(100)] {
                    try expect(try await tx.appSession(tokenHash: other), equals: nil)
                }
                try expect(try await tx.session(tokenHash: hash), equals: nil, "it opens nothing at the service")
                try expect(try await tx.session(id: given.sessionID), equals: Sample.session(100))
                try expect(try await tx.session(id: Sample.sessionID(9)), equals: nil)
            }
            try await store.refused(.accountNotFound) { try await $0.insert(Sample.appSession(2, of: 999)) }
        },
        Check("a session has one session of each app, the last one that began") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.session(101))
                for session in [
                    Sample.appSession(1, of: 100), Sample.appSession(2, of: 101), Sample.appSession(3, of: 100),
                ] { try await tx.insert(session) }
                let elsewhere = altered(Sample.appSession(4, of: 100)) { $0.origin = "https://other.example" }
                try await tx.insert(elsewhere)
                try expect(try await tx.appSession(tokenHash: Sample.tokenHash(1)), equals: nil)
                for seed in 2...4 {
                    try expect(try await tx.appSession(tokenHash: Sample.tokenHash(seed)) != nil, "\(seed)")
                }
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.appSession(2, of: 100)) }
        },
        Check("sessions of apps end with their session, however it ends") { store in
            let endings: [@Sendable (any AccountTransaction) async throws -> Void] = [
                { _ = try await $0.deleteSession(id: Sample.sessionID(100), of: Sample.accountID(1)) },
                { _ = try await $0.deleteSession(tokenHash: Sample.tokenHash(100)) },
                { _ = try await $0.deleteAccount(id: Sample.accountID(1)) },
                { _ = try await $0.deleteOldestSessions(of: Sample.accountID(1), keeping: 0) },
                { _ = try await $0.deleteExpiredSessions(at: .max, limit: 9) },
                { tx in
                    _ = try await tx.deletePasskey(credentialID: Sample.credentialID(100), of: Sample.accountID(1))
                },
            ]
            for (number, end) in endings.enumerated() {
                try await store.write { tx in
                    try await tx.deleteAccount(id: Sample.accountID(1))
                    try await Sample.insertPerson(1, in: tx)
                    try await tx.insert(Sample.appSession(1, of: 100))
                    try expect(try await tx.appSession(tokenHash: Sample.tokenHash(1)) != nil, "\(number)")
                }
                try await store.write { tx in
                    try await end(tx)
                    try expect(try await tx.appSession(tokenHash: Sample.tokenHash(1)), equals: nil, "\(number)")
                }
                try expect(
                    try await store.read { try await $0.appSession(tokenHash: Sample.tokenHash(1)) },
                    equals: nil
                )
            }
        },
    ]
}
