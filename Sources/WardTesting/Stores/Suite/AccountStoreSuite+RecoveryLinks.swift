import WardAccounts

extension AccountStoreSuite {
    static let recoveryLinks: [Check] = [
        Check("a recovery link comes back exactly as it was given, until it is used or replaced") { store in
            try await store.refused(.accountNotFound) { try await $0.setRecoveryLink(Sample.recoveryLink(1)) }
            try await store.write { tx in
                for seed in 1...2 {
                    try await Sample.insertPerson(seed, in: tx)
                    try await tx.setRecoveryLink(Sample.recoveryLink(seed, of: seed))
                }
            }
            try await store.refused(.conflict) { try await $0.setRecoveryLink(Sample.recoveryLink(1, of: 2)) }
            try await store.write { tx in
                let (first, second) = (Sample.tokenHash(1), Sample.tokenHash(2))
                try expect(try await tx.recoveryLink(tokenHash: first), equals: Sample.recoveryLink(1))
                for other in [[], Array(first.dropLast()), first + [0], Sample.tokenHash(9)] {
                    try expect(try await tx.recoveryLink(tokenHash: other), equals: nil)
                }
                let newer = altered(Sample.recoveryLink(3)) { ($0.createdAt, $0.expiresAt) = (.min, .max) }
                try await tx.setRecoveryLink(newer)
                try expect(try await tx.recoveryLink(tokenHash: first), equals: nil, "the older one")
                try expect(try await tx.recoveryLink(tokenHash: newer.tokenHash), equals: newer)
                try expect(try await tx.deleteRecoveryLink(of: Sample.accountID(1), from: .operator), equals: true)
                try expect(try await tx.deleteRecoveryLink(of: Sample.accountID(1), from: .operator), equals: false)
                try expect(try await tx.deleteRecoveryLink(of: Sample.accountID(9), from: .operator), equals: false)
                try expect(try await tx.recoveryLink(tokenHash: newer.tokenHash), equals: nil)
                try expect(try await tx.recoveryLink(tokenHash: second), equals: Sample.recoveryLink(2, of: 2))
                try await tx.deleteAccount(id: Sample.accountID(2))
                try expect(try await tx.recoveryLink(tokenHash: second), equals: nil, "of a deleted account")
            }
        },
        Check("an account has a recovery link of each source, with what was proven and its wait") { store in
            let (one, two) = (Sample.recoveryLink(1), Sample.accountID(2))
            let links = [
                altered(Sample.recoveryLink(11)) {
                    ($0.source, $0.wait, $0.proofs) = (.mail, .afterNotice, ["a", "b,\\"])
                },
                altered(Sample.recoveryLink(12)) { ($0.source, $0.needsProof) = (.operator, true) },
                altered(Sample.recoveryLink(13)) { ($0.source, $0.wait) = (.session, .until(.max)) },
            ]
            try await store.write { tx in
                for seed in 1...2 { try await Sample.insertPerson(seed, in: tx) }
                for link in links.reversed() { try await tx.setRecoveryLink(link) }
            }
            try await store.write { tx in
                try expect(try await tx.recoveryLinks(of: one.accountID), equals: links)
                try expect(try await tx.recoveryLinks(of: two), equals: [])
                let waiting = altered(links[0]) { $0.wait = .until(5) }
                try await tx.setRecoveryLink(waiting)
                try expect(try await tx.recoveryLink(tokenHash: waiting.tokenHash), equals: waiting)
                try expect(try await tx.deleteRecoveryLink(of: two, from: .mail), equals: false)
                try expect(try await tx.deleteRecoveryLink(of: one.accountID, from: .mail), equals: true)
                try expect(try await tx.recoveryLinks(of: one.accountID), equals: Array(links.dropFirst()))
                try await tx.deleteRecoveryLinks(of: one.accountID)
                try expect(try await tx.recoveryLinks(of: one.accountID), equals: [])
            }
            try await store.write { try await $0.setRecoveryLink(links[0]) }
            let other = altered(links[0]) { $0.source = .session }
            try await store.refused(.conflict) { try await $0.setRecoveryLink(other) }
        },
        Check("a recovery link is used by one of many, and not at all by one that failed") { store in
            struct Stop: Error {}
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.setRecoveryLink(Sample.recoveryLink(1))
            }
            try? await store.write { tx in
                try expect(try await tx.deleteRecoveryLink(of: Sample.accountID(1), from: .operator), equals: true)
                throw Stop()
            }
            let outcomes = await parallel(20) { _ in
                try await store.write { try await $0.deleteRecoveryLink(of: Sample.accountID(1), from: .operator) }
            }
            try expect(try outcomes.count { try $0.get() }, equals: 1)
        },
        Check("an account is disabled and enabled, and nothing else changes") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await Sample.insertPerson(2, in: tx)
            }
            let (one, two) = (try Sample.account(1), try Sample.account(2))
            for time in [Int64.min, 0, .max, nil] {
                try await store.write { tx in
                    try expect(try await tx.setAccount(id: one.id, disabledAt: time), equals: true)
                    // Other updates do not change this value, even if their record has another one.
                    try expect(try await tx.update(altered(one) { $0.disabledAt = 5 }), equals: true)
                    let expected = altered(one) { $0.disabledAt = time }
                    try expect(try await tx.account(id: one.id), equals: expected)
                    try expect(try await tx.account(username: one.username), equals: expected)
                    try expect(try await tx.account(userHandle: one.userHandle), equals: expected)
                    try expect(try await tx.account(id: two.id), equals: two)
                    try expect(try await tx.setAccount(id: Sample.accountID(9), disabledAt: time), equals: false)
                }
            }
        },
        Check("the groups of an account are set and emptied, and nothing else changes") { store in
            let three = altered(try Sample.account(3)) { $0.groups = groups(["z"]) }
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await Sample.insertPerson(2, in: tx)
                try await tx.insert(three)
            }
            let (one, two) = (try Sample.account(1), try Sample.account(2))
            let most = (10..<(10 + GroupName.maximumCount)).map { "\($0)" + String(repeating: "x", count: 62) }
            for names in [["admins"], ["a", "b-c", "d.e_f"], most, []] {
                try await store.write { tx in
                    try expect(try await tx.setAccount(id: one.id, groups: groups(names)), equals: true)
                    // Other updates do not change this value, even if their record has another one.
                    try expect(try await tx.update(altered(one) { $0.groups = groups(["other"]) }), equals: true)
                    let expected = altered(one) { $0.groups = groups(names) }
                    try expect(try await tx.account(id: one.id), equals: expected)
                    try expect(try await tx.account(username: one.username), equals: expected)
                    try expect(try await tx.account(userHandle: one.userHandle), equals: expected)
                    try expect(
                        try await tx.accounts(after: nil, limit: 9).map(\.groups),
                        equals: [groups(names), [], three.groups]
                    )
                    try expect(try await tx.account(id: two.id), equals: two)
                    try expect(try await tx.setAccount(id: Sample.accountID(9), groups: groups(names)), equals: false)
                }
            }
        },
    ]
}

private func groups(_ names: [String]) -> [GroupName] { names.compactMap { try? GroupName($0) } }
