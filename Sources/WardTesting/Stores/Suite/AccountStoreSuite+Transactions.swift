import WardAccounts
import WardWebAuthn

extension AccountStoreSuite {
    private struct Stop: Error, Equatable {
        var reason = "stop"
    }

    static let transactions: [Check] = [
        Check("a closure that throws leaves nothing behind, and its error comes out") { store in
            do {
                try await store.write { tx in
                    try await Sample.insertPerson(1, in: tx)
                    try await tx.insert(Sample.ceremony(1))
                    try await tx.insertSecret(named: "key", [1])
                    throw Stop(reason: "half-way")
                }
                throw Failure(reason: "the error did not come out")
            } catch let stop as Stop {
                try expect(stop.reason, equals: "half-way")
            }
            try await store.write { tx in
                try expect(try await tx.account(id: Sample.accountID(1)) == nil, "the account is there")
                try expect(try await tx.account(username: "person-1") == nil, "the name is there")
                try expect(try await tx.passkeys(of: Sample.accountID(1)), equals: [])
                try expect(try await tx.passkey(credentialID: Sample.credentialID(100)) == nil, "the passkey is there")
                try expect(try await tx.sessions(of: Sample.accountID(1)), equals: [])
                try expect(try await tx.session(tokenHash: Sample.tokenHash(100)) == nil, "the session is there")
                try expect(try await tx.secret(named: "key") == nil, "the secret is there")
                try expect(try await tx.takeCeremony(id: Sample.ceremony(1).id) == nil, "the ceremony is there")
            }
        },
        Check("a closure that throws undoes changes and deletions") { store in
            try await store.write { try await Sample.insertPerson(1, in: $0) }
            let before = try await store.read { try await $0.passkeys(of: Sample.accountID(1)) }
            _ = try? await store.write { tx in
                var passkey = Sample.passkey(100)
                passkey.record.signCount = 99
                try await tx.update(passkey)
                _ = try await tx.renamePasskey(credentialID: Sample.credentialID(101), of: Sample.accountID(1), to: "x")
                _ = try await tx.update(try Sample.account(1, name: "someone-else"))
                try await tx.deleteAccount(id: Sample.accountID(1))
                throw Stop()
            }
            try await store.read { tx in
                try expect(try await tx.passkeys(of: Sample.accountID(1)), equals: before)
                try expect(try await tx.account(username: "person-1"), equals: try Sample.account(1))
                try expect(try await tx.sessions(of: Sample.accountID(1)), equals: [Sample.session(100)])
            }
        },
        Check("a refusal changes nothing, and the transaction can go on and commit") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.ceremony(1))
            }
            try await store.write { tx in
                let taken = try await tx.takeCeremony(id: Sample.ceremony(1).id)
                try expect(taken, equals: Sample.ceremony(1))
                try await expectRefusal(.usernameTaken) { try await tx.insert(try Sample.account(2, name: "PERSON-1")) }
                try await tx.insert(try Sample.account(4))
                try await expectRefusal(.usernameTaken) {
                    _ = try await tx.update(try Sample.account(4, name: "person-1"))
                }
                try await expectRefusal(.credentialExists) { try await tx.insert(Sample.passkey(100)) }
                try await expectRefusal(.accountNotFound) { try await tx.insert(Sample.passkey(7, of: 7)) }
                try await expectRefusal(.accountNotFound) { try await tx.insert(Sample.session(7, of: 7)) }
                try await expectRefusal(.conflict) { try await tx.insert(Sample.session(100)) }
                try await expectRefusal(.notStorable) {
                    _ = try await tx.renamePasskey(
                        credentialID: Sample.credentialID(100),
                        of: Sample.accountID(1),
                        to: "a\0b"
                    )
                }
                try await tx.insert(try Sample.account(3))
            }
            try await store.write { tx in
                try expect(try await tx.takeCeremony(id: Sample.ceremony(1).id) == nil, "the ceremony came back")
                try expect(try await tx.account(username: "person-3"), equals: try Sample.account(3))
                try expect(try await tx.account(id: Sample.accountID(2)) == nil, "the refused account is there")
                try expect(try await tx.passkeys(of: Sample.accountID(1)).count, equals: 2)
                try expect(try await tx.sessions(of: Sample.accountID(1)), equals: [Sample.session(100)])
            }
        },
        Check("a transaction sees what it wrote") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try expect(try await tx.account(username: "person-1")?.id, equals: Sample.accountID(1))
                try expect(try await tx.passkeys(of: Sample.accountID(1)).count, equals: 2)
                try expect(try await tx.session(tokenHash: Sample.tokenHash(100)), equals: Sample.session(100))
                try await tx.deleteAccount(id: Sample.accountID(1))
                try expect(try await tx.passkey(credentialID: Sample.credentialID(100)) == nil, "the passkey is there")
            }
        },
        Check("what was written is seen by the caller afterwards") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(Sample.passkey(1))
            }
            for count in 1...100 {
                try await store.write { tx in
                    var passkey = Sample.passkey(1)
                    passkey.record.signCount = UInt32(count)
                    try await tx.update(passkey)
                }
                let seen = try await store.read {
                    try await $0.passkey(credentialID: Sample.credentialID(1))?.record.signCount
                }
                try expect(seen, equals: UInt32(count))
            }
        },
        Check("a reading closure cannot write") { store in
            try await store.write { try await $0.insert(Sample.ceremony(1)) }
            for attempt in 0..<4 {
                do {
                    try await store.read { tx in
                        switch attempt {
                        case 0: try await tx.insert(try Sample.account(1))
                        case 1: _ = try await tx.takeCeremony(id: Sample.ceremony(1).id)
                        case 2: try await tx.insertSecret(named: "key", [1])
                        default: try await tx.deleteExpiredCeremonies(before: .max, limit: 1)
                        }
                    }
                    throw Failure(reason: "attempt \(attempt) was allowed")
                } catch let error as StoreError {
                    try expect(error, equals: StoreError(.unavailable))
                }
            }
            try await store.write { tx in
                try expect(try await tx.account(id: Sample.accountID(1)) == nil, "the account is there")
                try expect(try await tx.secret(named: "key") == nil, "the secret is there")
                try expect(try await tx.takeCeremony(id: Sample.ceremony(1).id), equals: Sample.ceremony(1))
            }
        },
        Check("of 100 closures that read and then write, none loses what another wrote") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(Sample.passkey(0))
            }
            let results = await parallel(100) { _ in
                try await store.write { tx in
                    guard var passkey = try await tx.passkey(credentialID: Sample.credentialID(0)) else { throw Stop() }
                    passkey.record.signCount += 1
                    try await tx.update(passkey)
                }
            }
            for result in results { try result.get() }
            let passkey = try await store.read { try await $0.passkey(credentialID: Sample.credentialID(0)) }
            try expect(passkey?.record.signCount, equals: 100)
        },
        Check("a reading closure sees one state while others write") { store in
            try await store.write { try await Sample.insertPerson(1, in: $0) }
            let results = await parallel(100) { index in
                if index.isMultiple(of: 2) {
                    try await store.write { tx in
                        for seed in [100, 101] {
                            let id = Sample.credentialID(seed)
                            _ = try await tx.renamePasskey(
                                credentialID: id,
                                of: Sample.accountID(1),
                                to: "name \(index)"
                            )
                        }
                    }
                } else {
                    let names = try await store.read { tx in
                        [
                            try await tx.passkey(credentialID: Sample.credentialID(100))?.name,
                            try await tx.passkey(credentialID: Sample.credentialID(101))?.name,
                        ]
                    }
                    try expect(names == ["Passkey 100", "Passkey 101"] || names[0] == names[1], "saw \(names)")
                }
            }
            for result in results { try result.get() }
        },
        Check("of 50 sign-ins with one ceremony at once, exactly one makes a session") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.ceremony(1))
            }
            let results = await parallel(50) { index in
                try await store.write { tx in
                    guard try await tx.takeCeremony(id: Sample.ceremony(1).id) != nil else { return false }
                    guard let account = try await tx.account(userHandle: Sample.userHandle(1)),
                        var passkey = try await tx.passkey(credentialID: Sample.credentialID(100)),
                        passkey.accountID == account.id
                    else { return false }
                    passkey.record.signCount += 1
                    passkey.lastUsedAt = 1_700_000_100
                    try await tx.update(passkey)
                    try await tx.insert(Sample.session(200 + index))
                    return true
                }
            }
            try expect(try results.count { try $0.get() }, equals: 1)
            try await store.read { tx in
                try expect(try await tx.sessions(of: Sample.accountID(1)).count, equals: 2)
                try expect(try await tx.passkey(credentialID: Sample.credentialID(100))?.record.signCount, equals: 101)
            }
        },
    ]

    static func expectRefusal(_ code: StoreError.Code, line: UInt = #line, _ body: () async throws -> Void) async throws
    {
        do {
            try await body()
        } catch let error as StoreError where error.code == code {
            try expect(error.code.isRefusal, "\(code.name) is not a refusal", line: line)
            return
        }
        throw Failure(reason: "line \(line): expected \(code.name), nothing was refused")
    }
}
