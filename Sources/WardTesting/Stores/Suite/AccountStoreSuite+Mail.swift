import WardAccounts

extension AccountStoreSuite {
    static let mail: [Check] = [
        Check("e-mail addresses come back exactly as they were given, until their account is deleted") { store in
            try await store.refused(.accountNotFound) { try await $0.setEmail(Sample.email(1)) }
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await Sample.insertPerson(2, in: tx)
                for seed in 1...4 {
                    try await tx.setEmail(Sample.email(seed))
                    let expected = Sample.email(seed)
                    try expect(try await tx.email(of: Sample.accountID(1)), equals: expected)
                    try expect(try await tx.email(of: Sample.accountID(2)), equals: nil)
                }
                let extreme = altered(Sample.email(1)) {
                    $0.confirmed?.time = .min
                    $0.pending?.time = .max
                }
                try await tx.setEmail(extreme)
                try expect(try await tx.email(of: Sample.accountID(1)), equals: extreme)
                // The same address at two accounts: nobody learns from a refusal that another account has it.
                try await tx.setEmail(Sample.email(1, of: 2))
                try await tx.setEmail(AccountEmail(accountID: Sample.accountID(1), language: "en"))
                try expect(try await tx.email(of: Sample.accountID(1)), equals: nil)
                try await tx.deleteAccount(id: Sample.accountID(2))
                try expect(try await tx.email(of: Sample.accountID(2)), equals: nil)
                try await tx.setEmail(AccountEmail(accountID: Sample.accountID(9), language: "en"))
            }
        },
        Check("messages come back in the order in which they are due, even after their account is deleted") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                for seed in [3, 1, 2] { try await tx.insert(Sample.mail(seed)) }
                try await tx.deleteAccount(id: Sample.accountID(1))
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.mail(1)) }
            try await store.write { tx in
                let (first, second, third) = (Sample.mail(1), Sample.mail(2), Sample.mail(3))
                try expect(try await tx.mailCount(by: .mail), equals: 3)
                try expect(try await tx.dueMail(by: .mail, at: first.dueAt - 1), equals: nil)
                try expect(try await tx.dueMail(by: .mail, at: first.dueAt), equals: first)
                try expect(try await tx.dueMail(by: .mail, at: .max), equals: first)
                try expect(try await tx.postponeMail(id: first.id, attempts: 7, until: .max), equals: true)
                try expect(try await tx.dueMail(by: .mail, at: third.dueAt), equals: second)
                try expect(try await tx.deleteMail(id: second.id), equals: true)
                try expect(try await tx.deleteMail(id: second.id), equals: false)
                try expect(try await tx.postponeMail(id: second.id, attempts: 1, until: 1), equals: false)
                try expect(try await tx.dueMail(by: .mail, at: third.dueAt), equals: third)
                try expect(try await tx.deleteMail(id: third.id), equals: true)
                let postponed = altered(first) { ($0.attempts, $0.dueAt) = (7, .max) }
                try expect(try await tx.dueMail(by: .mail, at: .max), equals: postponed)
                try expect(try await tx.mailCount(by: .mail), equals: 1)
            }
        },
        Check("e-mails and text messages do not hold each other up") { store in
            let number = MessageAddress.phone(try PhoneNumber("+49301234567"))
            let text = altered(Sample.mail(1)) { $0.address = number }
            try await store.write { tx in
                try await tx.insert(text)
                try await tx.insert(Sample.mail(2))
                try expect(try await tx.dueMail(by: .text, at: .max), equals: text)
                try expect(try await tx.dueMail(by: .mail, at: .max), equals: Sample.mail(2))
                for channel in MessageAddress.Channel.allCases {
                    try expect(try await tx.mailCount(by: channel), equals: 1)
                }
                try await Sample.insertPerson(1, in: tx)
                let code = altered(Sample.mailLink(1, .textCode)) { $0.address = number }
                try await tx.insert(code)
                try expect(try await tx.mailLink(tokenHash: code.tokenHash), equals: code)
            }
        },
        Check("a message is taken by one of many") { store in
            try await store.write { try await $0.insert(Sample.mail(1)) }
            let outcomes = await parallel(20) { _ in
                try await store.write { try await $0.deleteMail(id: Sample.mail(1).id) }
            }
            try expect(try outcomes.count { try $0.get() }, equals: 1)
        },
        Check("a link of a message comes back exactly as it was given, until it is used") { store in
            try await store.refused(.accountNotFound) { try await $0.insert(Sample.mailLink(1)) }
            try await store.write { tx in
                for seed in 1...2 {
                    try await Sample.insertPerson(seed, in: tx)
                    try await tx.insert(Sample.mailLink(seed, of: seed))
                    try await tx.insert(Sample.mailLink(seed + 10, of: seed, .confirmation))
                    try await tx.insert(Sample.mailLink(seed + 20, of: seed, .confirmation))
                }
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.mailLink(1, of: 2)) }
            try await store.write { tx in
                let (hash, id) = (Sample.tokenHash(1), Sample.accountID(1))
                try expect(try await tx.mailLink(tokenHash: hash), equals: Sample.mailLink(1))
                try expect(
                    try await tx.mailLink(tokenHash: Sample.tokenHash(11)),
                    equals: Sample.mailLink(11, .confirmation)
                )
                for other in [[], Array(hash.dropLast()), hash + [0], Sample.tokenHash(9)] {
                    try expect(try await tx.mailLink(tokenHash: other), equals: nil)
                    try expect(try await tx.deleteMailLink(tokenHash: other), equals: false)
                }
                try expect(try await tx.deleteMailLinks(of: id, .confirmation), equals: 2)
                try expect(try await tx.deleteMailLinks(of: id, .confirmation), equals: 0)
                try expect(try await tx.mailLink(tokenHash: hash), equals: Sample.mailLink(1))
                try expect(try await tx.mailLink(tokenHash: Sample.tokenHash(12)) != nil, "the link of another account")
                try expect(try await tx.deleteMailLink(tokenHash: hash), equals: true)
                try expect(try await tx.mailLink(tokenHash: hash), equals: nil)
                try await tx.deleteAccount(id: Sample.accountID(2))
                try expect(try await tx.mailLink(tokenHash: Sample.tokenHash(2)), equals: nil, "of a deleted account")
            }
        },
        Check("a link of a message is used by one of many, and not at all by one that failed") { store in
            struct Stop: Error {}
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.mailLink(1))
            }
            try? await store.write { tx in
                try expect(try await tx.deleteMailLink(tokenHash: Sample.tokenHash(1)), equals: true)
                throw Stop()
            }
            let outcomes = await parallel(20) { _ in
                try await store.write { try await $0.deleteMailLink(tokenHash: Sample.tokenHash(1)) }
            }
            try expect(try outcomes.count { try $0.get() }, equals: 1)
        },
        Check("sweeping takes the links that are over, and no other") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                for (seed, expiresAt) in [Int64.min, 99, 100, 101, .max].enumerated() {
                    try await tx.insert(altered(Sample.mailLink(seed)) { $0.expiresAt = expiresAt })
                }
                try expect(try await tx.deleteExpiredMailLinks(before: 100, limit: 1), equals: 1)
                try expect(try await tx.deleteExpiredMailLinks(before: 100, limit: 9), equals: 1)
                try expect(try await tx.deleteExpiredMailLinks(before: 100, limit: 9), equals: 0)
                for seed in 2...4 {
                    try expect(try await tx.mailLink(tokenHash: Sample.tokenHash(seed)) != nil, "\(seed)")
                }
            }
        },
    ]
}
