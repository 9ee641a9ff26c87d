import WardAccounts

extension AccountStoreSuite {
    static let sessions: [Check] = [
        Check("a session comes back exactly as it was given") { store in
            var endless = Sample.session(2)
            endless.idleExpiresAt = nil
            endless.expiresAt = .max
            endless.userAgent = ""
            var odd = Sample.session(3)
            odd.createdAt = .min
            odd.lastSeenAt = 0
            odd.userAgent = "Ünïcode 🦊 \"quoted\""
            // A sign-in with a password keeps an earlier proof with a passkey.
            odd.passkeyProof = PasskeyProof(by: Sample.credentialID([0]), at: .max)
            let unknown = altered(Sample.session(4)) { $0.passkeyProof = nil }
            let bound = altered(Sample.session(5)) {
                $0.binding = SessionBinding(publicKey: [0, 255, 0], boundAt: .min, proofs: .max)
            }
            let given = [Sample.session(1), endless, odd, unknown, bound]
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                for session in given { try await tx.insert(session) }
            }
            try await store.read { tx in
                for session in given { try expect(try await tx.session(tokenHash: session.tokenHash), equals: session) }
                let hash = Sample.tokenHash(1)
                for other in [[], Array(hash.dropLast()), hash + [0], Sample.tokenHash(9)] {
                    try expect(try await tx.session(tokenHash: other), equals: nil)
                }
            }
        },
        Check("a session needs an account, an id and a token of its own") { store in
            try await store.refused(.accountNotFound) { try await $0.insert(Sample.session(1)) }
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(Sample.session(1))
            }
            let sameID = altered(Sample.session(2)) { $0.id = Sample.sessionID(1) }
            try await store.refused(.conflict) { try await $0.insert(sameID) }
            let sameToken = altered(Sample.session(2)) { $0.tokenHash = Sample.tokenHash(1) }
            try await store.refused(.conflict) { try await $0.insert(sameToken) }
            let found = try await store.read { try await $0.sessions(of: Sample.accountID(1)) }
            try expect(found, equals: [Sample.session(1)])
        },
        Check("a session that is over is told from a live one, to the second") { store in
            let session = altered(Sample.session(1)) {
                $0.idleExpiresAt = 2_000
                $0.expiresAt = 3_000
            }
            let absolute = altered(Sample.session(2)) {
                $0.idleExpiresAt = nil
                $0.expiresAt = 3_000
            }
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(session)
                try await tx.insert(absolute)
            }
            try await store.read { tx in
                try expect(try await tx.liveSession(tokenHash: session.tokenHash, at: 1_999), equals: session)
                try expect(try await tx.liveSession(tokenHash: session.tokenHash, at: 2_000), equals: nil)
                try expect(try await tx.session(tokenHash: session.tokenHash), equals: session)
                try expect(try await tx.liveSession(tokenHash: absolute.tokenHash, at: 2_999), equals: absolute)
                try expect(try await tx.liveSession(tokenHash: absolute.tokenHash, at: 3_000), equals: nil)
            }
        },
        Check("a session is rotated in one transaction: the old token is dead, the new one lives") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(Sample.session(1))
            }
            // If a session cannot be replaced, the person stays signed in.
            try await store.refused(.conflict) { tx in
                try await tx.deleteSession(tokenHash: Sample.tokenHash(1))
                try await tx.insert(Sample.session(2))
                try await tx.insert(Sample.session(2))
            }
            let kept = try await store.read { try await $0.sessions(of: Sample.accountID(1)) }
            try expect(kept, equals: [Sample.session(1)])
            try await store.write { tx in
                try expect(try await tx.deleteSession(tokenHash: Sample.tokenHash(1)), equals: true)
                try await tx.insert(Sample.session(2))
            }
            try await store.read { tx in
                try expect(try await tx.session(tokenHash: Sample.tokenHash(1)), equals: nil)
                try expect(try await tx.session(tokenHash: Sample.tokenHash(2)), equals: Sample.session(2))
            }
        },
        Check("a session that is heard of moves its limits forward, never back") { store in
            let session = altered(Sample.session(1)) {
                $0.lastSeenAt = 1_000
                $0.idleExpiresAt = 2_000
            }
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(session)
                try expect(
                    try await tx.touchSession(id: session.id, lastSeenAt: 1_500, idleExpiresAt: 2_500),
                    equals: true
                )
                var expected = session
                expected.lastSeenAt = 1_500
                expected.idleExpiresAt = 2_500
                try expect(try await tx.session(tokenHash: session.tokenHash), equals: expected)
                try expect(
                    try await tx.touchSession(id: session.id, lastSeenAt: 1_499, idleExpiresAt: 9_999),
                    equals: true
                )
                try expect(try await tx.session(tokenHash: session.tokenHash), equals: expected)
                try expect(
                    try await tx.touchSession(id: session.id, lastSeenAt: 1_500, idleExpiresAt: nil),
                    equals: true
                )
                expected.idleExpiresAt = nil
                try expect(try await tx.session(tokenHash: session.tokenHash), equals: expected)
                try expect(
                    try await tx.touchSession(id: Sample.sessionID(9), lastSeenAt: 1, idleExpiresAt: 1),
                    equals: false
                )
            }
        },
        Check("a session is bound to one device once, and each proof is counted once") { store in
            let binding = SessionBinding(publicKey: [1, 2, 3], boundAt: 7)
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                for seed in [1, 2] { try await tx.insert(Sample.session(seed)) }
                let (id, other) = (Sample.sessionID(1), Sample.sessionID(9))
                try expect(try await tx.countProof(ofSession: id, after: 0), equals: false, "not bound")
                try expect(try await tx.bindSession(id: other, to: binding), equals: false, "no such session")
                try expect(try await tx.bindSession(id: id, to: binding), equals: true)
                let thief = SessionBinding(publicKey: [9], boundAt: 8)
                try expect(try await tx.bindSession(id: id, to: thief), equals: false, "already bound")
                try expect(try await tx.countProof(ofSession: id, after: 1), equals: false, "not yet")
                try expect(try await tx.countProof(ofSession: id, after: 0), equals: true)
                try expect(try await tx.countProof(ofSession: id, after: 0), equals: false, "used")
                try expect(try await tx.countProof(ofSession: id, after: 1), equals: true)
                try expect(try await tx.countProof(ofSession: other, after: 0), equals: false)
                let expected = altered(Sample.session(1)) {
                    $0.binding = altered(binding) { $0.proofs = 2 }
                }
                try expect(try await tx.sessions(of: Sample.accountID(1)), equals: [expected, Sample.session(2)])
            }
        },
        Check("a session is ended by its owner or its token alone") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await Sample.insertPerson(2, in: tx)
                let id = Sample.sessionID(100)
                try expect(try await tx.deleteSession(id: id, of: Sample.accountID(2)), equals: false)
                try expect(try await tx.deleteSession(tokenHash: Sample.tokenHash(9)), equals: false)
                try expect(try await tx.session(tokenHash: Sample.tokenHash(100)), equals: Sample.session(100))
                try expect(try await tx.deleteSession(id: id, of: Sample.accountID(1)), equals: true)
                try expect(try await tx.deleteSession(id: id, of: Sample.accountID(1)), equals: false)
                try expect(try await tx.session(tokenHash: Sample.tokenHash(100)), equals: nil)
                try expect(try await tx.deleteSession(tokenHash: Sample.tokenHash(200)), equals: true)
                try expect(try await tx.sessions(of: Sample.accountID(2)), equals: [])
            }
        },
        Check("a deleted passkey ends the sessions that it opened or proved, and those of an unknown passkey") {
            store in
            let proof = PasskeyProof(by: Sample.credentialID(100), at: 7)
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await Sample.insertPerson(2, in: tx)
                // Another account's session has the same passkey in its proof. A store must not end it for that reason.
                try await tx.insert(altered(Sample.session(201, of: 2)) { $0.passkeyProof = proof })
                try await tx.insert(altered(Sample.session(101)) { $0.passkeyProof = proof })
                try await tx.insert(altered(Sample.session(102)) { $0.passkeyProof = nil })
                try await tx.insert(Sample.session(103))
                try await tx.insert(
                    altered(Sample.session(104)) { $0.passkeyProof?.credentialID = Sample.credentialID(101) }
                )
                _ = try await tx.deletePasskey(credentialID: Sample.credentialID(100), of: Sample.accountID(2))
                try expect(try await tx.sessions(of: Sample.accountID(1)).count, equals: 5, "not its owner")
                _ = try await tx.deletePasskey(credentialID: Sample.credentialID(100), of: Sample.accountID(1))
                let left = try await tx.sessions(of: Sample.accountID(1)).map(\.id)
                try expect(left, equals: [103, 104].map { Sample.sessionID($0) })
                try expect(try await tx.sessions(of: Sample.accountID(2)).count, equals: 2)
            }
        },
        Check("an account's sessions come oldest first") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(try Sample.account(2))
                try await tx.insert(Sample.session(50, of: 2))
                for seed in [3, 1, 2] { try await tx.insert(Sample.session(seed)) }
                let found = try await tx.sessions(of: Sample.accountID(1))
                try expect(found, equals: [1, 2, 3].map { Sample.session($0) })
            }
        },
        Check("of too many sessions the oldest end, those without a proof by a passkey first") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(try Sample.account(2))
                try await tx.insert(Sample.session(50, of: 2))
                // The sessions with even numbers have a proof.
                for seed in 1...6 { try await tx.insert(Sample.session(seed)) }
                let account = Sample.accountID(1)
                try expect(try await tx.deleteOldestSessions(of: account, keeping: 6), equals: 0)
                try expect(try await tx.deleteOldestSessions(of: account, keeping: 4), equals: 2)
                try expect(try await tx.sessions(of: account), equals: [2, 4, 5, 6].map { Sample.session($0) })
                try expect(try await tx.deleteOldestSessions(of: account, keeping: 2), equals: 2)
                try expect(try await tx.sessions(of: account), equals: [4, 6].map { Sample.session($0) })
                try expect(try await tx.deleteOldestSessions(of: account, keeping: 0), equals: 2)
                try expect(try await tx.deleteOldestSessions(of: Sample.accountID(9), keeping: 0), equals: 0)
                try expect(try await tx.sessions(of: Sample.accountID(2)).count, equals: 1)
            }
        },
        Check("sweeping takes the sessions that are over, and no other") { store in
            let limits: [(idle: Int64?, absolute: Int64)] = [
                (nil, 100), (nil, 101), (99, 500), (100, 500), (101, 500), (500, 100), (500, 101),
            ]
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                for (seed, limit) in limits.enumerated() {
                    let session = altered(Sample.session(seed)) {
                        $0.idleExpiresAt = limit.idle
                        $0.expiresAt = limit.absolute
                    }
                    try await tx.insert(session)
                }
                let over = try await tx.sessions(of: Sample.accountID(1)).filter { $0.isExpired(at: 100) }
                try expect(over.map(\.id), equals: [0, 2, 3, 5].map { Sample.sessionID($0) })
                try expect(try await tx.deleteExpiredSessions(at: 98, limit: 9), equals: 0)
                try expect(try await tx.deleteExpiredSessions(at: 100, limit: 0), equals: 0)
                try expect(try await tx.deleteExpiredSessions(at: 100, limit: 3), equals: 3)
                try expect(try await tx.deleteExpiredSessions(at: 100, limit: 3), equals: 1)
                let left = try await tx.sessions(of: Sample.accountID(1)).map(\.id)
                try expect(left, equals: [1, 4, 6].map { Sample.sessionID($0) })
            }
        },
    ]
}
