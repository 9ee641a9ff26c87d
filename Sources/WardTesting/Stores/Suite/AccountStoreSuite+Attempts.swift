import WardAccounts

extension AccountStoreSuite {
    static let attempts: [Check] = [
        Check("a count of tries comes back exactly as it was given last") { store in
            let given = [
                Sample.attempts(1), altered(Sample.attempts(2)) { $0.expiresAt = .max },
                altered(Sample.attempts(3)) {
                    $0.count = 0
                    $0.lastAt = .min
                    $0.expiresAt = .min
                },
            ]
            try await store.write { tx in
                try await tx.setAttempts(altered(Sample.attempts(1)) { $0.count = 99 })
                for attempts in given { try await tx.setAttempts(attempts) }
            }
            try await store.write { tx in
                for attempts in given {
                    try expect(try await tx.attempts(attempts.key), equals: attempts)
                }
                let key = Sample.attempts(1).key
                for other in [[], Array(key.dropLast()), key + [0], Sample.attempts(9).key] {
                    try expect(try await tx.attempts(other), equals: nil)
                    try expect(try await tx.deleteAttempts(other), equals: false)
                }
                try expect(try await tx.deleteAttempts(key), equals: true)
                try expect(try await tx.attempts(key), equals: nil)
                try expect(try await tx.attempts(given[1].key), equals: given[1])
            }
        },
        Check("tries that are counted at once are all counted") { store in
            _ = await parallel(20) { _ in
                try await store.write { tx in
                    let before = try await tx.attempts(Sample.attempts(1).key)?.count ?? 0
                    try await tx.setAttempts(altered(Sample.attempts(1)) { $0.count = before + 1 })
                }
            }
            let count = try await store.read { try await $0.attempts(Sample.attempts(1).key)?.count }
            try expect(count, equals: 20)
        },
        Check("sweeping takes the counts that ended, and then the fewest and oldest tries above a number") { store in
            try await store.write { tx in
                for (seed, expiresAt) in [Int64.min, 99, 100, 101, .max].enumerated() {
                    try await tx.setAttempts(altered(Sample.attempts(seed)) { $0.expiresAt = expiresAt })
                }
                try expect(try await tx.deleteExpiredAttempts(before: 100, limit: 1), equals: 1)
                try expect(try await tx.deleteExpiredAttempts(before: 100, limit: 9), equals: 1)
                try expect(try await tx.deleteExpiredAttempts(before: 100, limit: 9), equals: 0)
                // The three counts have 5 attempts, 1 attempt long ago, and 1 attempt.
                for (seed, count, lastAt) in [(2, 5, 1), (3, 1, 1), (4, 1, 2)] as [(Int, Int64, Int64)] {
                    try await tx.setAttempts(
                        altered(Sample.attempts(seed)) {
                            $0.count = count
                            $0.lastAt = lastAt
                        }
                    )
                }
                try expect(try await tx.deleteSurplusAttempts(keeping: 3, limit: 9), equals: 0)
                try expect(try await tx.deleteSurplusAttempts(keeping: 1, limit: 1), equals: 1)
                try expect(try await tx.attempts(Sample.attempts(3).key), equals: nil)
                try expect(try await tx.deleteSurplusAttempts(keeping: 1, limit: 9), equals: 1)
                try expect(try await tx.attempts(Sample.attempts(2).key)?.count, equals: 5)
            }
        },
    ]
}
