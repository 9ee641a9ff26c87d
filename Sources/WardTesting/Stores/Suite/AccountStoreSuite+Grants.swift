import WardAccounts

extension AccountStoreSuite {
    static let grants: [Check] = [
        Check("a grant and its tokens come back exactly as they were given") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.client(1))
                for seed in [1, 2] { try await tx.insert(Sample.grant(seed, of: 100, to: 1)) }
                for seed in [1, 2, 3] { try await tx.insert(Sample.token(seed, of: 1)) }
            }
            try await store.read { tx in
                for seed in [1, 2] {
                    let given = Sample.grant(seed, of: 100, to: 1)
                    try expect(try await tx.oauthGrant(codeHash: given.codeHash), equals: given)
                    let token = Sample.token(seed, of: 1)
                    try expect(try await tx.oauthToken(hash: token.hash), equals: token)
                }
                try expect(try await tx.oauthGrant(codeHash: []), equals: nil)
                try expect(try await tx.oauthToken(hash: Sample.tokenHash(9)), equals: nil)
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.grant(1, of: 100, to: 1)) }
            try await store.refused(.conflict) { try await $0.insert(Sample.token(1, of: 2)) }
            try await store.refused(.accountNotFound) { try await $0.insert(Sample.grant(3, of: 999, to: 1)) }
            try await store.refused(.accountNotFound) { try await $0.insert(Sample.grant(3, of: 100, to: 9)) }
            try await store.refused(.accountNotFound) { try await $0.insert(Sample.token(9, of: 9)) }
        },
        Check("a grant changes when its code is used and when it ends, a token by what replaced it") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.client(1))
                try await tx.insert(Sample.grant(1, of: 100, to: 1))
                try await tx.insert(Sample.token(2, of: 1))
                let other = altered(Sample.grant(1, of: 100, to: 1)) {
                    ($0.codeUsedAt, $0.expiresAt, $0.scopes, $0.redirectURI) = (5, 6, [], "")
                }
                try expect(try await tx.update(other), "it exists")
                try expect(try await !tx.update(Sample.grant(2, of: 100, to: 1)), "it does not exist")
                let token = altered(Sample.token(2, of: 1)) {
                    ($0.replacedAt, $0.successor, $0.expiresAt) = (5, [6], 7)
                }
                try expect(try await tx.update(token), "it exists")
                try expect(try await !tx.update(Sample.token(3, of: 1)), "it does not exist")
            }
            try await store.read { tx in
                let grant = altered(Sample.grant(1, of: 100, to: 1)) { ($0.codeUsedAt, $0.expiresAt) = (5, 6) }
                try expect(try await tx.oauthGrant(codeHash: grant.codeHash), equals: grant)
                let token = altered(Sample.token(2, of: 1)) { ($0.replacedAt, $0.successor) = (5, [6]) }
                try expect(try await tx.oauthToken(hash: token.hash), equals: token)
            }
        },
        Check("grants and tokens end with their session, account, client and grant, however these end") { store in
            let endings: [@Sendable (any AccountTransaction) async throws -> Void] = [
                { _ = try await $0.deleteSession(id: Sample.sessionID(100), of: Sample.accountID(1)) },
                { _ = try await $0.deleteSession(tokenHash: Sample.tokenHash(100)) },
                { _ = try await $0.deleteAccount(id: Sample.accountID(1)) },
                { _ = try await $0.disableAccount(id: Sample.accountID(1), at: 1) },
                { _ = try await $0.deleteOldestSessions(of: Sample.accountID(1), keeping: 0) },
                { _ = try await $0.deleteExpiredSessions(at: .max, limit: 9) },
                { tx in
                    _ = try await tx.deletePasskey(credentialID: Sample.credentialID(100), of: Sample.accountID(1))
                },
                { _ = try await $0.deleteOAuthClient(id: "client-1") },
                { _ = try await $0.deleteOAuthGrant(codeHash: Sample.grant(1, of: 100, to: 1).codeHash) },
                { _ = try await $0.deleteExpiredOAuthGrants(before: .max, limit: 9) },
            ]
            for (number, end) in endings.enumerated() {
                try await store.write { tx in
                    try await tx.deleteAccount(id: Sample.accountID(1))
                    try await tx.deleteOAuthClient(id: "client-1")
                    try await Sample.insertPerson(1, in: tx)
                    try await tx.insert(Sample.client(1))
                    try await tx.insert(Sample.grant(1, of: 100, to: 1))
                    try await tx.insert(Sample.token(1, of: 1))
                }
                try await store.write { try await end($0) }
                try await store.read { tx in
                    let grant = try await tx.oauthGrant(codeHash: Sample.grant(1, of: 100, to: 1).codeHash)
                    try expect(grant, equals: nil, "\(number)")
                    try expect(try await tx.oauthToken(hash: Sample.token(1, of: 1).hash), equals: nil, "\(number)")
                }
            }
        },
        Check("the grants of a session go to the one that takes its place") { store in
            let (old, new) = (Sample.sessionID(100), Sample.sessionID(101))
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.client(1))
                try await tx.moveOAuthGrants(from: old, to: Sample.sessionID(999))
                try await tx.insert(Sample.grant(1, of: 100, to: 1))
            }
            try await store.refused(.accountNotFound) { try await $0.moveOAuthGrants(from: old, to: new) }
            try await store.write { tx in
                try await tx.insert(Sample.session(101))
                try await tx.moveOAuthGrants(from: old, to: new)
                _ = try await tx.deleteSession(id: old, of: Sample.accountID(1))
                let kept = try await tx.oauthGrant(codeHash: Sample.grant(1, of: 100, to: 1).codeHash)
                try expect(kept?.sessionID, equals: new)
            }
        },
        Check("expired tokens and grants are deleted in slices, and no others") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.client(1))
                for seed in 1...4 {
                    try await tx.insert(altered(Sample.grant(seed, of: 100, to: 1)) { $0.expiresAt = Int64(seed) })
                }
                for seed in 1...4 {
                    try await tx.insert(altered(Sample.token(seed, of: 4)) { $0.expiresAt = Int64(seed) })
                }
            }
            try await store.write { tx in
                try expect(try await tx.deleteExpiredOAuthTokens(before: 4, limit: 2), equals: 2)
                try expect(try await tx.deleteExpiredOAuthTokens(before: 4, limit: 2), equals: 1)
                try expect(try await tx.oauthToken(hash: Sample.token(4, of: 4).hash) != nil, "not yet")
                try expect(try await tx.deleteExpiredOAuthGrants(before: 4, limit: 9), equals: 3)
                try expect(try await tx.deleteExpiredOAuthGrants(before: 4, limit: 9), equals: 0)
                let left = try await tx.oauthGrant(codeHash: Sample.grant(4, of: 100, to: 1).codeHash)
                try expect(left != nil, "not yet")
            }
        },
    ]
}
