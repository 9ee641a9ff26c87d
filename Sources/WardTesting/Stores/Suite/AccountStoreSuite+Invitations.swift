import WardAccounts

extension AccountStoreSuite {
    static let invitations: [Check] = [
        Check("an invitation comes back exactly as it was given, until it is used") { store in
            let given = [
                Sample.invitation(1), altered(Sample.invitation(2)) { $0.expiresAt = .max },
                altered(Sample.invitation(3)) {
                    $0.createdAt = .min
                    $0.expiresAt = 0
                },
            ]
            try await store.write { tx in
                for invitation in given { try await tx.insert(invitation) }
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.invitation(1)) }
            try await store.write { tx in
                for invitation in given {
                    try expect(try await tx.invitation(tokenHash: invitation.tokenHash), equals: invitation)
                }
                let hash = Sample.tokenHash(1)
                for other in [[], Array(hash.dropLast()), hash + [0], Sample.tokenHash(9)] {
                    try expect(try await tx.invitation(tokenHash: other), equals: nil)
                    try expect(try await tx.deleteInvitation(tokenHash: other), equals: false)
                }
                try expect(try await tx.deleteInvitation(tokenHash: hash), equals: true)
                try expect(try await tx.deleteInvitation(tokenHash: hash), equals: false)
                try expect(try await tx.invitation(tokenHash: hash), equals: nil)
                try expect(try await tx.invitation(tokenHash: Sample.tokenHash(2)), equals: given[1])
            }
        },
        Check("an invitation is used by one of many, and not at all by one that failed") { store in
            struct Stop: Error {}
            try await store.write { try await $0.insert(Sample.invitation(1)) }
            try? await store.write { tx in
                try expect(try await tx.deleteInvitation(tokenHash: Sample.tokenHash(1)), equals: true)
                throw Stop()
            }
            let outcomes = await parallel(20) { _ in
                try await store.write { try await $0.deleteInvitation(tokenHash: Sample.tokenHash(1)) }
            }
            try expect(try outcomes.count { try $0.get() }, equals: 1)
        },
        Check("sweeping takes the invitations that are over, and no other") { store in
            try await store.write { tx in
                for (seed, expiresAt) in [Int64.min, 99, 100, 101, .max].enumerated() {
                    try await tx.insert(altered(Sample.invitation(seed)) { $0.expiresAt = expiresAt })
                }
                try expect(try await tx.deleteExpiredInvitations(before: 100, limit: 1), equals: 1)
                try expect(try await tx.deleteExpiredInvitations(before: 100, limit: 9), equals: 1)
                try expect(try await tx.deleteExpiredInvitations(before: 100, limit: 9), equals: 0)
                for seed in 2...4 {
                    try expect(try await tx.invitation(tokenHash: Sample.tokenHash(seed)) != nil, "\(seed)")
                }
            }
        },
        Check("invitations are listed newest first") { store in
            try await store.write { tx in
                for (seed, createdAt) in [Int64(5), 7, 7, .min, .max].enumerated() {
                    try await tx.insert(altered(Sample.invitation(seed)) { $0.createdAt = createdAt })
                }
            }
            try await store.read { tx in
                let all = try await tx.invitations(limit: 9)
                try expect(all.map(\.createdAt), equals: [.max, 7, 7, 5, .min])
                try expect(all[1].tokenHash.lexicographicallyPrecedes(all[2].tokenHash), "in the order of the hashes")
                try expect(try await tx.invitations(limit: 2), equals: Array(all.prefix(2)))
                try expect(try await tx.invitations(limit: 0), equals: [])
            }
        },
    ]
}
