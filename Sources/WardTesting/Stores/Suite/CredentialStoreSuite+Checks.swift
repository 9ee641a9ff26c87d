import WardWebAuthn

extension CredentialStoreSuite {
    private struct Stop: Error {}

    static let ceremonies: [Check] = [
        Check("a ceremony comes back exactly as it was given, once") { store in
            let ceremonies = [Sample.registration(1), Sample.authentication(2)]
            try await store.write { tx in
                for ceremony in ceremonies { try await tx.insert(ceremony) }
            }
            for ceremony in ceremonies {
                let first = try await store.write { try await $0.takeCeremony(id: ceremony.id) }
                try expect(first, equals: ceremony)
                let second = try await store.write { try await $0.takeCeremony(id: ceremony.id) }
                try expect(second, equals: nil)
            }
        },
        Check("of 50 that take a ceremony at once, exactly one gets it") { store in
            let ceremony = Sample.authentication(1)
            try await store.write { try await $0.insert(ceremony) }
            let results = await parallel(50) { _ in
                try await store.write { try await $0.takeCeremony(id: ceremony.id) }
            }
            try expect(try results.compactMap { try $0.get() }, equals: [ceremony])
        },
        Check("a ceremony whose taker failed is there again") { store in
            let ceremony = Sample.authentication(1)
            try await store.write { try await $0.insert(ceremony) }
            _ = try? await store.write { tx in
                _ = try await tx.takeCeremony(id: ceremony.id)
                throw Stop()
            }
            let taken = try await store.write { try await $0.takeCeremony(id: ceremony.id) }
            try expect(taken, equals: ceremony)
        },
        Check("an ID that was never there finds no ceremony") { store in
            try await store.write { try await $0.insert(Sample.authentication(1)) }
            let taken = try await store.write { try await $0.takeCeremony(id: Sample.authentication(2).id) }
            try expect(taken, equals: nil)
        },
    ]

    static let credentials: [Check] = [
        Check("a credential comes back exactly as it was given") { store in
            let plain = Sample.record(1)
            let bare = altered(Sample.record(2)) { record in
                record.signCount = .max
                record.uvInitialized = false
                record.backupEligible = false
                record.transports = []
                record.attestationObject = nil
                record.clientDataJSON = nil
            }
            let odd = altered(Sample.record(3)) { record in
                record.backedUp = true
                record.transports = ["", "two words", "a,b", "\"quoted\"", "日本"]
                record.attestationObject = []
                record.aaguid = .zero
            }
            try await store.write { tx in
                for record in [plain, bare, odd] { try await tx.insert(record) }
            }
            for record in [plain, bare, odd] {
                let found = try await store.write { try await $0.credential(id: record.id, of: record.userHandle) }
                try expect(found, equals: record)
            }
        },
        Check("a credential belongs to its account alone") { store in
            let record = Sample.record(1, of: 1)
            try await store.write { try await $0.insert(record) }
            try await store.write { tx in
                try expect(try await tx.credential(id: record.id, of: Sample.userHandle(2)), equals: nil)
                try expect(try await tx.credentials(of: Sample.userHandle(2)), equals: [])
                try expect(try await tx.isRegistered(record.id), "the ID is free for another account")
                try expect(!(try await tx.isRegistered(Sample.credentialID(2))), "an ID that is not there is taken")
            }
        },
        Check("an account's credentials are all there, and no others") { store in
            let own = (1...5).map { Sample.record($0, of: 1) }
            try await store.write { tx in
                for record in own { try await tx.insert(record) }
                try await tx.insert(Sample.record(6, of: 2))
            }
            let found = try await store.write { try await $0.credentials(of: Sample.userHandle(1)) }
            try expect(Set(found), equals: Set(own))
            try expect(found.count, equals: own.count)
            let nobody = try await store.write { try await $0.credentials(of: Sample.userHandle(3)) }
            try expect(nobody, equals: [])
        },
        Check("what a sign-in changes is written") { store in
            try await store.write { try await $0.insert(Sample.record(1)) }
            let changed = altered(Sample.record(1)) { record in
                record.signCount = 4_000_000_000
                record.uvInitialized.toggle()
                record.backupEligible.toggle()
                record.backedUp.toggle()
                record.transports = [.usb]
            }
            let isWritten = try await store.write { try await $0.update(changed) }
            try expect(isWritten, "the account has the credential")
            let found = try await store.write { try await $0.credential(id: changed.id, of: changed.userHandle) }
            try expect(found, equals: changed)
        },
        Check("a change by another account, or of a credential that is not there, writes nothing") { store in
            let record = Sample.record(1, of: 1)
            try await store.write { try await $0.insert(record) }
            let stranger = altered(record) { other in
                other.userHandle = Sample.userHandle(2)
                other.signCount = 99
            }
            for change in [stranger, Sample.record(2)] {
                let isWritten = try await store.write { try await $0.update(change) }
                try expect(!isWritten, "a change was written")
            }
            try await store.write { tx in
                try expect(try await tx.credential(id: record.id, of: record.userHandle), equals: record)
                try expect(try await tx.credentials(of: Sample.userHandle(2)), equals: [])
            }
        },
        Check("a credential ID is registered once, over all accounts") { store in
            let record = Sample.record(1, of: 1)
            try await store.write { try await $0.insert(record) }
            for account in [1, 2] {
                let second = altered(Sample.record(1, of: account)) { $0.signCount = 77 }
                do {
                    try await store.write { try await $0.insert(second) }
                } catch {
                    continue
                }
                throw AccountStoreSuite.Failure(reason: "account \(account) registered a credential ID that was taken")
            }
            let found = try await store.write { try await $0.credential(id: record.id, of: record.userHandle) }
            try expect(found, equals: record)
        },
    ]

    static let transactions: [Check] = [
        Check("a closure that throws leaves nothing behind, and its error comes out") { store in
            let kept = Sample.record(1)
            try await store.write { try await $0.insert(kept) }
            do {
                try await store.write { tx in
                    try await tx.insert(Sample.authentication(1))
                    try await tx.insert(Sample.record(2))
                    _ = try await tx.update(altered(kept) { $0.signCount = 99 })
                    throw Stop()
                }
                throw AccountStoreSuite.Failure(reason: "the error did not come out")
            } catch is Stop {}
            try await store.write { tx in
                try expect(try await tx.takeCeremony(id: Sample.authentication(1).id), equals: nil)
                try expect(try await tx.credentials(of: kept.userHandle), equals: [kept])
            }
        },
        Check("a transaction sees what it wrote") { store in
            try await store.write { tx in
                let record = Sample.record(1)
                try await tx.insert(record)
                try expect(try await tx.isRegistered(record.id), "the new credential is not seen")
                try expect(try await tx.credential(id: record.id, of: record.userHandle), equals: record)
                let changed = altered(record) { $0.signCount += 1 }
                try expect(try await tx.update(changed), "the new credential cannot be changed")
                try expect(try await tx.credentials(of: record.userHandle), equals: [changed])
                try await tx.insert(Sample.authentication(1))
                try expect(try await tx.takeCeremony(id: Sample.authentication(1).id), equals: Sample.authentication(1))
                try expect(try await tx.takeCeremony(id: Sample.authentication(1).id), equals: nil)
            }
        },
        Check("what is acknowledged is kept, also where the closure passed over an error of the store") { store in
            let record = Sample.record(1)
            try await store.write { try await $0.insert(record) }
            let isAcknowledged = try? await store.write { tx in
                try await tx.insert(Sample.authentication(1))
                try? await tx.insert(record)
                return true
            }
            let taken = try await store.write { try await $0.takeCeremony(id: Sample.authentication(1).id) }
            try expect(
                (taken != nil) == (isAcknowledged == true),
                "the store returned, and what it acknowledged is gone"
            )
        },
        Check("of 50 that read a credential and write it back, none loses what another wrote") { store in
            try await store.write { try await $0.insert(altered(Sample.record(1)) { $0.signCount = 0 }) }
            let results = await parallel(50) { _ in
                try await store.write { tx in
                    let found = try await tx.credential(id: Sample.credentialID(1), of: Sample.userHandle(1))
                    guard var record = found else { throw Stop() }
                    record.signCount += 1
                    _ = try await tx.update(record)
                }
            }
            for result in results { try result.get() }
            let found = try await store.write {
                try await $0.credential(id: Sample.credentialID(1), of: Sample.userHandle(1))
            }
            try expect(found?.signCount, equals: 50)
        },
        Check("of 50 registrations of one credential ID at once, exactly one is kept") { store in
            let results = await parallel(50) { index in
                try await store.write { tx in
                    let record = Sample.record(1, of: 1 + index % 2)
                    guard try await !tx.isRegistered(record.id) else { throw Stop() }
                    try await tx.insert(record)
                }
            }
            try expect(results.count { (try? $0.get()) != nil }, equals: 1)
            try await store.write { tx in
                let (first, second) = (Sample.userHandle(1), Sample.userHandle(2))
                let kept = try await tx.credentials(of: first).count + tx.credentials(of: second).count
                try expect(kept, equals: 1)
            }
        },
        Check("of 50 sign-ins with one ceremony at once, exactly one changes the credential") { store in
            try await store.write { tx in
                try await tx.insert(altered(Sample.record(1)) { $0.signCount = 0 })
                try await tx.insert(Sample.authentication(1))
            }
            let results = await parallel(50) { _ in
                try await store.write { tx in
                    guard try await tx.takeCeremony(id: Sample.authentication(1).id) != nil else { return false }
                    let found = try await tx.credential(id: Sample.credentialID(1), of: Sample.userHandle(1))
                    guard var record = found else { throw Stop() }
                    record.signCount += 1
                    return try await tx.update(record)
                }
            }
            try expect(try results.count { try $0.get() }, equals: 1)
            let found = try await store.write {
                try await $0.credential(id: Sample.credentialID(1), of: Sample.userHandle(1))
            }
            try expect(found?.signCount, equals: 1)
        },
    ]
}
