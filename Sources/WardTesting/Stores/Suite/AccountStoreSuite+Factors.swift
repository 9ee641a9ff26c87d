import WardAccounts

extension AccountStoreSuite {
    static let factors: [Check] = [
        Check("a factor comes back exactly as it was given, until it is replaced or deleted") { store in
            try await store.refused(.accountNotFound) { try await $0.setFactor(Sample.factor(1)) }
            try await store.write { tx in
                for seed in 1...2 { try await Sample.insertPerson(seed, in: tx) }
                try await tx.setFactor(Sample.factor(1))
                try await tx.setFactor(Sample.factor(2, of: 2))
            }
            let (one, two) = (Sample.accountID(1), Sample.accountID(2))
            let first = Sample.factor(1)
            try await store.write { tx in
                try expect(try await tx.factors(of: one), equals: [first])
                try expect(try await tx.factor(first.kind, key: first.key), equals: first)
                try expect(try await tx.factor(.mailCodes, key: first.key), equals: nil, "of another kind")
                for other in [[], Array(first.key.dropLast()), first.key + [0], Sample.tokenHash(9)] {
                    try expect(try await tx.factor(first.kind, key: other), equals: nil)
                }
                let changed = altered(first) {
                    ($0.payload, $0.createdAt, $0.confirmedAt, $0.lastUsedAt, $0.counter) = ([], .min, .max, nil, .max)
                }
                try await tx.setFactor(changed)
                try expect(try await tx.factors(of: one), equals: [changed])
                try expect(
                    try await tx.deleteFactor(first.kind, key: first.key, of: two),
                    equals: false,
                    "of another account"
                )
                try expect(
                    try await tx.deleteFactor(.mailCodes, key: first.key, of: one),
                    equals: false,
                    "of another kind"
                )
                try expect(try await tx.deleteFactor(first.kind, key: first.key, of: one), equals: true)
                try expect(try await tx.deleteFactor(first.kind, key: first.key, of: one), equals: false)
                try expect(try await tx.factors(of: one), equals: [])
                try expect(try await tx.factors(of: two), equals: [Sample.factor(2, of: 2)])
                try await tx.deleteAccount(id: two)
                try expect(
                    try await tx.factor(first.kind, key: Sample.factor(2).key),
                    equals: nil,
                    "of a deleted account"
                )
            }
        },
        Check("a factor that one account has is refused to another") { store in
            try await store.write { tx in
                for seed in 1...2 { try await Sample.insertPerson(seed, in: tx) }
                try await tx.setFactor(Sample.factor(1))
            }
            let other = altered(Sample.factor(1)) { $0.accountID = Sample.accountID(2) }
            try await store.refused(.conflict) { try await $0.setFactor(other) }
            try await store.write { tx in
                try expect(try await tx.factors(of: Sample.accountID(1)), equals: [Sample.factor(1)])
                try await tx.setFactor(altered(other) { $0.kind = .mailCodes })
                try expect(try await tx.factors(of: Sample.accountID(2)).count, equals: 1)
            }
        },
        Check("the factors of an account are listed by kind and key, and deleted by kind") { store in
            let account = Sample.accountID(1)
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                for (kind, key) in [
                    (FactorRecord.Kind.recoveryCode, [UInt8(2)]), (.mailCodes, [1]), (.recoveryCode, [1, 2]),
                    (.recoveryCode, [1]), (.authenticatorApp, [255]),
                ] {
                    try await tx.setFactor(altered(Sample.factor(1)) { ($0.kind, $0.key) = (kind, key) })
                }
            }
            try await store.write { tx in
                try expect(try await tx.factors(of: account).map(\.key), equals: [[255], [1], [1], [1, 2], [2]])
                try expect(try await tx.deleteFactors(.recoveryCode, of: Sample.accountID(2)), equals: 0)
                try expect(try await tx.deleteFactors(.recoveryCode, of: account), equals: 3)
                try expect(try await tx.deleteFactors(.recoveryCode, of: account), equals: 0)
                try expect(try await tx.factors(of: account).map(\.kind), equals: [.authenticatorApp, .mailCodes])
            }
        },
        Check("a factor is used up by one of many, and not at all by one that failed") { store in
            struct Stop: Error {}
            let (factor, account) = (Sample.factor(1), Sample.accountID(1))
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.setFactor(factor)
            }
            try? await store.write { tx in
                try expect(try await tx.deleteFactor(factor.kind, key: factor.key, of: account), equals: true)
                throw Stop()
            }
            let outcomes = await parallel(20) { _ in
                try await store.write { try await $0.deleteFactor(factor.kind, key: factor.key, of: account) }
            }
            try expect(try outcomes.count { try $0.get() }, equals: 1)
        },
    ]
}
