import WardAccounts

extension AccountStoreSuite {
    static let administration: [Check] = [
        Check("a token of the admin API comes back exactly as it was given, until it is deleted") { store in
            try await store.write { tx in
                for seed in [2, 1] { try await tx.insert(Sample.adminToken(seed)) }
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.adminToken(1)) }
            try await store.write { tx in
                let (first, second) = (Sample.adminToken(1), Sample.adminToken(2))
                try expect(try await tx.adminTokens(), equals: [first, second])
                try expect(try await tx.adminToken(tokenHash: first.tokenHash), equals: first)
                for other in [[], Array(first.tokenHash.dropLast()), first.tokenHash + [0], Sample.tokenHash(9)] {
                    try expect(try await tx.adminToken(tokenHash: other), equals: nil)
                    try expect(try await tx.deleteAdminToken(tokenHash: other), equals: false)
                    try expect(try await tx.touchAdminToken(tokenHash: other, lastUsedAt: 1), equals: false)
                }
                try expect(try await tx.touchAdminToken(tokenHash: first.tokenHash, lastUsedAt: .max), equals: true)
                let used = altered(first) { $0.lastUsedAt = .max }
                try expect(try await tx.adminTokens(), equals: [used, second])
                try expect(try await tx.deleteAdminToken(tokenHash: first.tokenHash), equals: true)
                try expect(try await tx.deleteAdminToken(tokenHash: first.tokenHash), equals: false)
                try expect(try await tx.adminTokens(), equals: [second])
            }
        },
        Check("records are counted") { store in
            let none = RecordCounts(accounts: 0, disabledAccounts: 0, passkeys: 0, passwords: 0, sessions: 0)
            try expect(try await store.read { try await $0.recordCounts() }, equals: none)
            try await store.write { tx in
                for seed in 1...3 { try await Sample.insertPerson(seed, in: tx) }
                try await tx.setAccount(id: Sample.accountID(2), disabledAt: 5)
                try await tx.deletePassword(of: Sample.accountID(3))
            }
            let (passkeys, sessions) = try await store.read { tx in
                var (passkeys, sessions) = (0, 0)
                for seed in 1...3 {
                    passkeys += try await tx.passkeys(of: Sample.accountID(seed)).count
                    sessions += try await tx.sessions(of: Sample.accountID(seed)).count
                }
                return (passkeys, sessions)
            }
            try expect(
                try await store.read { try await $0.recordCounts() },
                equals: RecordCounts(
                    accounts: 3,
                    disabledAccounts: 1,
                    passkeys: passkeys,
                    passwords: 2,
                    sessions: sessions
                )
            )
        },
    ]
}

extension Sample {
    /// A token; the times are at the ends of what a store keeps.
    static func adminToken(_ seed: Int) -> AdminToken {
        AdminToken(
            tokenHash: tokenHash(seed),
            name: "token \(seed) \u{1F511}",
            scopes: seed == 1 ? [.readAccounts, .init(rawValue: "of:later")] : [],
            createdAt: .min + Int64(seed),
            expiresAt: .max,
            lastUsedAt: seed == 1 ? nil : 7
        )
    }
}
