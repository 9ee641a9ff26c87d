import WardAccounts

extension AccountStoreSuite {
    static let passwords: [Check] = [
        Check("a password comes back exactly as it was given, and only to its account") { store in
            let given = [
                PasswordRecord(
                    accountID: Sample.accountID(1),
                    hash: "$argon2id$v=19$m=19456,t=2,p=1$a+/$b",
                    chosenAt: .max
                ),
                PasswordRecord(accountID: Sample.accountID(2), hash: "", chosenAt: .min),
                PasswordRecord(
                    accountID: Sample.accountID(3),
                    hash: String(repeating: "x", count: 10_000),
                    chosenAt: 0
                ),
            ]
            try await store.write { tx in
                for seed in 1...4 { try await tx.insert(try Sample.account(seed)) }
                for password in given { try await tx.setPassword(password) }
            }
            try await store.read { tx in
                for password in given { try expect(try await tx.password(of: password.accountID), equals: password) }
                for seed in [4, 9] { try expect(try await tx.password(of: Sample.accountID(seed)), equals: nil) }
            }
        },
        Check("a new password takes the old one's place") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(try Sample.account(2))
                for seed in [1, 2, 3] { try await tx.setPassword(Sample.password(seed)) }
                try await tx.setPassword(Sample.password(9, of: 2))
            }
            try await store.read { tx in
                try expect(try await tx.password(of: Sample.accountID(1)), equals: Sample.password(3))
                try expect(try await tx.password(of: Sample.accountID(2)), equals: Sample.password(9, of: 2))
            }
        },
        Check("a password needs an account") { store in
            try await store.refused(.accountNotFound) { try await $0.setPassword(Sample.password(1)) }
            let found = try await store.read { try await $0.password(of: Sample.accountID(1)) }
            try expect(found, equals: nil)
        },
        Check("a password is taken away once, and the rest of the account stays") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await Sample.insertPerson(2, in: tx)
                try expect(try await tx.deletePassword(of: Sample.accountID(1)), equals: true)
                try expect(try await tx.deletePassword(of: Sample.accountID(1)), equals: false)
                try expect(try await tx.deletePassword(of: Sample.accountID(9)), equals: false)
                try expect(try await tx.password(of: Sample.accountID(1)), equals: nil)
                try expect(try await tx.passkeys(of: Sample.accountID(1)).count, equals: 2)
                try expect(try await tx.password(of: Sample.accountID(2)), equals: Sample.password(200, of: 2))
            }
        },
        Check("a password with U+0000 in its hash is refused, not cut") { store in
            try await store.write { try await $0.insert(try Sample.account(1)) }
            try await store.refused(.notStorable) { tx in
                var password = Sample.password(1)
                password.hash = "a\0b"
                try await tx.setPassword(password)
            }
            let found = try await store.read { try await $0.password(of: Sample.accountID(1)) }
            try expect(found, equals: nil)
        },
        Check("a password whose writer failed is the old one again") { store in
            struct Stop: Error {}
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.setPassword(Sample.password(1))
            }
            _ = try? await store.write { tx in
                try await tx.setPassword(Sample.password(2))
                throw Stop()
            }
            let found = try await store.read { try await $0.password(of: Sample.accountID(1)) }
            try expect(found, equals: Sample.password(1))
        },
    ]
}
