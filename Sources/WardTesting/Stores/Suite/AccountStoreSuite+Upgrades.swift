import WardAccounts

extension AccountStoreSuite {
    static let upgrades: [Check] = [
        Check("daily counts grow by one, and are listed by day and kind") { store in
            try await store.write { tx in
                for _ in 0..<3 { try await tx.countUpgrade(.asked, on: 20_000) }
                try await tx.countUpgrade(.upgraded, on: 20_000)
                try await tx.countUpgrade(.upsold, on: -1)
                try await tx.countUpgrade(.dismissed, on: 20_001)
            }
            let counts = try await store.read { try await $0.upgradeCounts(since: 20_000) }
            let expected = [
                UpgradeCount(day: 20_000, kind: .asked, count: 3),
                UpgradeCount(day: 20_000, kind: .upgraded, count: 1),
                UpgradeCount(day: 20_001, kind: .dismissed, count: 1),
            ]
            try expect(counts, equals: expected)
            let all = try await store.read { try await $0.upgradeCounts(since: .min) }
            try expect(all.count, equals: 4)
        },
        Check("a daily count has all of many parallel events, and none of a writer that failed") { store in
            struct Stop: Error {}
            _ = await parallel(20) { _ in try await store.write { try await $0.countUpgrade(.asked, on: 7) } }
            _ = try? await store.write { tx in
                try await tx.countUpgrade(.asked, on: 7)
                throw Stop()
            }
            let counts = try await store.read { try await $0.upgradeCounts(since: 7) }
            try expect(counts, equals: [UpgradeCount(day: 7, kind: .asked, count: 20)])
        },
        Check("sweeping takes old daily counts, and no other") { store in
            try await store.write { tx in
                for day in Int64(1)...4 { try await tx.countUpgrade(.asked, on: day) }
                try expect(try await tx.deleteUpgradeCounts(before: 3, limit: 1), equals: 1)
                try expect(try await tx.deleteUpgradeCounts(before: 3, limit: 9), equals: 1)
                try expect(try await tx.deleteUpgradeCounts(before: 3, limit: 9), equals: 0)
                try expect(try await tx.upgradeCounts(since: .min).map(\.day), equals: [3, 4])
            }
        },
        Check("the last offer comes back exactly as it was given, and goes with its account") { store in
            let first = OfferRecord(accountID: Sample.accountID(1), shownAt: 100)
            let second = OfferRecord(accountID: Sample.accountID(1), shownAt: .max, dismissedAt: .min)
            try await store.refused(.accountNotFound) { try await $0.setOffer(first) }
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(try Sample.account(2))
                try await tx.setOffer(first)
                try expect(try await tx.offer(to: Sample.accountID(1)), equals: first)
                try await tx.setOffer(second)
                try expect(try await tx.offer(to: Sample.accountID(1)), equals: second)
                try expect(try await tx.offer(to: Sample.accountID(2)), equals: nil)
                try await tx.deleteAccount(id: Sample.accountID(1))
                try await tx.insert(try Sample.account(1))
                try expect(try await tx.offer(to: Sample.accountID(1)), equals: nil)
            }
        },
        Check("an account counts if its passkey was used and its password was not") { store in
            try await store.write { tx in
                // The passkey was used at 200 in accounts 1 to 4, and at 50 in account 5; account 6 has no password.
                for seed in 1...6 {
                    try await tx.insert(try Sample.account(seed))
                    try await tx.insert(
                        altered(Sample.passkey(seed, of: seed)) { $0.lastUsedAt = seed == 5 ? 50 : 200 }
                    )
                    guard seed != 6 else { continue }
                    // The password of account 4 was chosen a moment ago.
                    try await tx.setPassword(
                        altered(Sample.password(seed, of: seed)) { $0.chosenAt = seed == 4 ? 150 : 10 }
                    )
                }
                try expect(try await tx.touchPassword(of: Sample.accountID(2), lastUsedAt: 99), equals: true)
                try expect(try await tx.touchPassword(of: Sample.accountID(3), lastUsedAt: 100), equals: true)
                try expect(try await tx.touchPassword(of: Sample.accountID(3), lastUsedAt: 20), equals: true)
                try expect(try await tx.touchPassword(of: Sample.accountID(6), lastUsedAt: 100), equals: false)
                // Accounts 1 and 2.
                try expect(try await tx.unusedPasswordCount(since: 100), equals: 2)
                for (seed, isUnused) in [(1, true), (2, true), (3, false), (4, false), (6, false)] {
                    try expect(
                        try await tx.hasUnusedPassword(Sample.accountID(seed), since: 100),
                        equals: isUnused
                    )
                }
                // A stronger hash of the same password does not change its use.
                try await tx.setPassword(altered(Sample.password(3, of: 3)) { $0.chosenAt = 10 })
                try expect(try await tx.unusedPasswordCount(since: 100), equals: 2)
                try expect(try await tx.unusedPasswordCount(since: 101), equals: 3)
            }
        },
    ]
}
