import WardAccounts

extension AccountStoreSuite {
    static let helpers: [Check] = [
        Check("a helper comes back exactly as it was given, until it is replaced or deleted") { store in
            try await store.write { try await Sample.insertPerson(1, in: $0) }
            try await store.refused(.accountNotFound) { try await $0.setHelper(Sample.helper(1, by: 2)) }
            try await store.refused(.accountNotFound) { try await $0.setHelper(Sample.helper(1, of: 2, by: 1)) }
            try await store.write { tx in
                try await Sample.insertPerson(2, in: tx)
                try await tx.setHelper(Sample.helper(1, by: 2))
                try await tx.setHelper(Sample.helper(2, of: 2, by: nil))
            }
            let first = Sample.helper(1, by: 2)
            try await store.refused(.conflict) { try await $0.setHelper(Sample.helper(1, of: 2, by: 1)) }
            try await store.refused(.notStorable) { try await $0.setHelper(altered(first) { $0.name = "b\0" }) }
            try await store.write { tx in
                try expect(try await tx.helper(id: first.id), equals: first)
                for other in [[], Array(first.id.dropLast()), first.id + [0]] {
                    try expect(try await tx.helper(id: other), equals: nil)
                }
                let changed = altered(first) { ($0.createdAt, $0.acceptedAt) = (.min, .max) }
                try await tx.setHelper(changed)
                try expect(try await tx.helpers(of: Sample.accountID(1)), equals: [changed])
                try expect(try await tx.helpers(of: Sample.accountID(2)), equals: [Sample.helper(2, of: 2, by: nil)])
                try expect(try await tx.helped(by: Sample.accountID(2)), equals: [changed])
                try expect(try await tx.helped(by: Sample.accountID(1)), equals: [])
                try expect(try await tx.deleteHelper(id: first.id), equals: true)
                try expect(try await tx.deleteHelper(id: first.id), equals: false)
                try expect(try await tx.helpers(of: Sample.accountID(1)), equals: [])
            }
        },
        Check("helpers are listed by time and ID, and stay without the account that was deleted") { store in
            let same = [3, 4].map { seed in altered(Sample.helper(seed, by: 2)) { $0.createdAt = 5 } }
            let sorted = same.sorted { $0.id.lexicographicallyPrecedes($1.id) }
            let late = Sample.helper(5, by: 2)
            try await store.write { tx in
                for seed in 1...2 { try await Sample.insertPerson(seed, in: tx) }
                for helper in [late] + sorted.reversed() { try await tx.setHelper(helper) }
                try await tx.setHelper(Sample.helper(6, of: 2, by: 1))
            }
            try await store.write { tx in
                try expect(try await tx.helpers(of: Sample.accountID(1)), equals: sorted + [late])
                try expect(try await tx.helped(by: Sample.accountID(2)), equals: sorted + [late])
                try await tx.deleteAccount(id: Sample.accountID(2))
                try expect(try await tx.helper(id: Sample.helper(6).id), equals: nil, "of a deleted owner")
                let left = (sorted + [late]).map { helper in altered(helper) { $0.helperID = nil } }
                try expect(try await tx.helpers(of: Sample.accountID(1)), equals: left, "of a deleted helper")
                try expect(try await tx.helped(by: Sample.accountID(2)), equals: [])
            }
        },
        Check("requests for help are deleted once they expired, a few at a time") { store in
            try await store.write { tx in
                for seed in 1...3 {
                    try await Sample.insertPerson(seed, in: tx)
                    try await tx.setHelpRequest(Sample.helpRequest(seed, of: seed))
                }
                let third = Sample.helpRequest(3, of: 3)
                try expect(try await tx.deleteExpiredHelpRequests(before: third.expiresAt, limit: 1), equals: 1)
                try expect(try await tx.deleteExpiredHelpRequests(before: third.expiresAt, limit: 9), equals: 1)
                try expect(try await tx.deleteExpiredHelpRequests(before: third.expiresAt, limit: 9), equals: 0)
                try expect(try await tx.helpRequest(of: third.accountID), equals: third)
            }
        },
        Check("an account has one request for help, which ends with the account") { store in
            try await store.refused(.accountNotFound) { try await $0.setHelpRequest(Sample.helpRequest(1)) }
            try await store.write { tx in
                for seed in 1...2 { try await Sample.insertPerson(seed, in: tx) }
                try await tx.setHelpRequest(Sample.helpRequest(1))
                try await tx.setHelpRequest(Sample.helpRequest(2, of: 2))
            }
            let account = Sample.accountID(1)
            try await store.write { tx in
                try expect(try await tx.helpRequest(of: account), equals: Sample.helpRequest(1))
                let newer = altered(Sample.helpRequest(3)) {
                    ($0.expiresAt, $0.toldAt, $0.wrongCodes, $0.approvedBy) = (.max, .min, .max, Sample.accountID(2))
                }
                try await tx.setHelpRequest(newer)
                try expect(try await tx.helpRequest(of: account), equals: newer)
                try expect(try await tx.deleteHelpRequest(of: account), equals: true)
                try expect(try await tx.deleteHelpRequest(of: account), equals: false)
                try expect(try await tx.helpRequest(of: account), equals: nil)
                try await tx.setHelpRequest(newer)
                try await tx.deleteRecoveryLinks(of: account)
                try expect(try await tx.helpRequest(of: account), equals: nil, "after the recoveries ended")
                try await tx.deleteAccount(id: Sample.accountID(2))
                try expect(try await tx.helpRequest(of: Sample.accountID(2)), equals: nil, "of a deleted account")
            }
        },
    ]
}
