import WardAccounts
import WardWebAuthn

extension AccountStoreSuite {
    static let passkeys: [Check] = [
        Check("a passkey comes back exactly as it was given") { store in
            var full = Sample.passkey(1)
            full.record.id = Sample.credentialID(Sample.bytes(1023, 1))
            full.record.signCount = .max
            full.lastUsedAt = .max
            full.succeeds = Sample.credentialID(Sample.bytes(1023, 2))
            full.record.attestationObject = Sample.bytes(65_536, 1)
            full.record.transports = ["usb", "nfc", "a,b", "back\\slash", "\\,", ",", "", " ", "混合"]
            full.verifiedModel = VerifiedModel(aaguid: Sample.record(9).aaguid, format: "混合,\\ ", verifiedAt: .min)
            full.name = "Schlüssel 🔑 e\u{301}"
            var bare = Sample.passkey(2)
            bare.record.id = Sample.credentialID([0])
            bare.name = ""
            bare.record.publicKey = []
            bare.record.signCount = 0
            bare.record.uvInitialized = false
            bare.record.transports = []
            bare.record.backupEligible = false
            bare.record.aaguid = .zero
            bare.record.attestationFormat = ""
            bare.record.attestationObject = nil
            bare.record.clientDataJSON = nil
            bare.record.rpID = ""
            bare.createdAt = .min
            var empty = Sample.passkey(3)
            empty.record.attestationObject = []
            empty.record.clientDataJSON = []
            empty.record.transports = [""]
            empty.record.backedUp = true
            empty.lastUsedAt = 0
            empty.verifiedModel = VerifiedModel(aaguid: .zero, format: "", verifiedAt: 0)
            let given = [full, bare, empty]
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                for passkey in given { try await tx.insert(passkey) }
            }
            try await store.read { tx in
                for passkey in given {
                    let found = try await tx.passkey(credentialID: passkey.record.id)
                    try expect(found, equals: passkey)
                    try expect(found.map { Array($0.name.utf8) }, equals: Array(passkey.name.utf8))
                }
            }
        },
        Check("credential IDs are told apart by every byte") { store in
            let ids: [[UInt8]] = [
                [1], [1, 0], [0, 1], [1, 0, 0], Sample.bytes(1022, 1), Sample.bytes(1022, 1) + [0],
            ]
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                for (seed, id) in ids.enumerated() {
                    var passkey = Sample.passkey(seed)
                    passkey.record.id = Sample.credentialID(id)
                    try await tx.insert(passkey)
                }
                for (seed, id) in ids.enumerated() {
                    try expect(
                        try await tx.passkey(credentialID: Sample.credentialID(id))?.name,
                        equals: "Passkey \(seed)"
                    )
                }
                for id in [[2], [1, 0, 0, 0], Sample.bytes(1023, 2)] {
                    try expect(try await tx.passkey(credentialID: Sample.credentialID(id)), equals: nil)
                }
            }
        },
        Check("a credential ID belongs to one account") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(try Sample.account(2))
                try await tx.insert(Sample.passkey(1, of: 1))
            }
            try await store.refused(.credentialExists) { try await $0.insert(Sample.passkey(1, of: 2)) }
            try await store.refused(.credentialExists) { try await $0.insert(Sample.passkey(1, of: 1)) }
            let found = try await store.read { try await $0.passkey(credentialID: Sample.credentialID(1)) }
            try expect(found, equals: Sample.passkey(1, of: 1))
        },
        Check("of 50 that register a credential ID at once, exactly one does") { store in
            try await store.write { tx in
                for seed in 0..<50 { try await tx.insert(try Sample.account(seed)) }
            }
            let results = await parallel(50) { index in
                try await store.write { try await $0.insert(Sample.passkey(1, of: index)) }
            }
            try expect(results.count { (try? $0.get()) != nil }, equals: 1)
            for case .failure(let error) in results {
                try expect(error as? StoreError, equals: StoreError(.credentialExists))
            }
        },
        Check("a passkey needs an account") { store in
            try await store.refused(.accountNotFound) { try await $0.insert(Sample.passkey(1)) }
            let found = try await store.read { try await $0.passkey(credentialID: Sample.credentialID(1)) }
            try expect(found, equals: nil)
        },
        Check("a passkey has its account's user handle, and comes back with it") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(try Sample.account(2))
                try await tx.insert(Sample.passkey(2, of: 2))
            }
            try await store.refused(.accountNotFound) { tx in
                var passkey = Sample.passkey(1)
                passkey.record.userHandle = Sample.userHandle(2)
                try await tx.insert(passkey)
            }
            try await store.read { tx in
                let found = try await tx.passkey(credentialID: Sample.credentialID(2))
                try expect(found?.record.userHandle, equals: Sample.userHandle(2))
                try expect(try await tx.passkeys(of: Sample.accountID(1)), equals: [])
            }
        },
        Check("the relying party finds a credential by its owner alone") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(try Sample.account(2))
            }
            try await store.read { tx in
                let id = Sample.credentialID(100)
                try expect(try await tx.credential(id: id, of: Sample.userHandle(1)), equals: Sample.passkey(100))
                for other in [2, 9] {
                    try expect(try await tx.credential(id: id, of: Sample.userHandle(other)), equals: nil)
                    try expect(try await tx.credentials(of: Sample.userHandle(other)), equals: [])
                }
                let found = try await tx.credentials(of: Sample.userHandle(1))
                try expect(found, equals: [Sample.passkey(100), Sample.passkey(101)])
                try expect(try await tx.isRegistered(id), equals: true)
                try expect(try await tx.isRegistered(Sample.credentialID(102)), equals: false)
            }
        },
        Check("a sign-in changes what it may and nothing else") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(Sample.passkey(1))
                try await tx.insert(Sample.passkey(2))
            }
            let changed = altered(Sample.passkey(3)) {
                $0.record.id = Sample.credentialID(1)
                $0.name = "not this way"
                $0.record.signCount = .max
                $0.record.uvInitialized = false
                $0.record.transports = ["ble"]
                $0.record.backupEligible = false
                $0.record.backedUp = true
                $0.record.attestationFormat = "packed"
                $0.record.attestationObject = nil
                $0.record.clientDataJSON = nil
                $0.record.rpID = "elsewhere.example"
                $0.lastUsedAt = 1_700_000_500
                $0.succeeds = Sample.credentialID(9)
                $0.verifiedModel = VerifiedModel(aaguid: .zero, format: "packed", verifiedAt: 7)
            }
            try await store.write { tx in
                try expect(try await tx.update(changed), equals: true)
            }
            var expected = Sample.passkey(1)
            expected.record.signCount = .max
            expected.record.uvInitialized = false
            expected.record.transports = ["ble"]
            expected.record.backupEligible = false
            expected.record.backedUp = true
            expected.lastUsedAt = 1_700_000_500
            expected.succeeds = Sample.credentialID(9)
            let found = try await store.read { try await $0.passkeys(of: Sample.accountID(1)) }
            try expect(found, equals: [expected, Sample.passkey(2)])
        },
        Check("a model that was verified stays so when the passkey signs in, and no sign-in takes it away") { store in
            let model = VerifiedModel(aaguid: Sample.record(7).aaguid, format: "packed", verifiedAt: 1_700_000_000)
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                var passkey = Sample.passkey(1)
                passkey.verifiedModel = model
                try await tx.insert(passkey)
                passkey.verifiedModel = nil
                passkey.lastUsedAt = 1_700_000_500
                try expect(try await tx.update(passkey), equals: true)
                let found = try await tx.passkey(credentialID: Sample.credentialID(1))
                try expect(found?.verifiedModel, equals: model)
                try expect(found?.lastUsedAt, equals: 1_700_000_500)
            }
        },
        Check("a passkey remembers which one it succeeds, also after that one is deleted, and forgets it") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(Sample.passkey(1))
                var successor = Sample.passkey(2)
                successor.succeeds = Sample.credentialID(1)
                try await tx.insert(successor)
                try expect(
                    try await tx.deletePasskey(credentialID: Sample.credentialID(1), of: Sample.accountID(1)),
                    equals: true
                )
                try expect(try await tx.passkeys(of: Sample.accountID(1)), equals: [successor])
                successor.succeeds = nil
                try expect(try await tx.update(successor), equals: true)
                try expect(try await tx.passkey(credentialID: Sample.credentialID(2)), equals: successor)
            }
        },
        Check("a passkey is renamed, deleted and updated by its owner alone") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await Sample.insertPerson(2, in: tx)
                let id = Sample.credentialID(100)
                for account in [Sample.accountID(2), Sample.accountID(9)] {
                    try expect(try await tx.renamePasskey(credentialID: id, of: account, to: "mine"), equals: false)
                    try expect(try await tx.deletePasskey(credentialID: id, of: account), equals: false)
                    var passkey = Sample.passkey(100)
                    passkey.accountID = account
                    passkey.record.signCount = 9
                    try expect(try await tx.update(passkey), equals: false)
                }
                try expect(try await tx.passkey(credentialID: id), equals: Sample.passkey(100))
                try expect(
                    try await tx.renamePasskey(credentialID: id, of: Sample.accountID(1), to: "mine"),
                    equals: true
                )
                try expect(try await tx.passkey(credentialID: id)?.name, equals: "mine")
                try expect(try await tx.deletePasskey(credentialID: id, of: Sample.accountID(1)), equals: true)
                try expect(try await tx.deletePasskey(credentialID: id, of: Sample.accountID(1)), equals: false)
                try expect(
                    try await tx.renamePasskey(credentialID: id, of: Sample.accountID(1), to: "x"),
                    equals: false
                )
                try expect(try await tx.passkeys(of: Sample.accountID(1)), equals: [Sample.passkey(101)])
                try expect(try await tx.passkeys(of: Sample.accountID(2)).count, equals: 2)
            }
        },
        Check("an account's passkeys come oldest first") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(try Sample.account(2))
                try await tx.insert(Sample.passkey(50, of: 2))
                for (time, id) in [(30, 1), (10, 9), (20, 5), (10, 3)] {
                    var passkey = Sample.passkey(id)
                    passkey.record.id = Sample.credentialID([UInt8(id)])
                    passkey.createdAt = Int64(time)
                    try await tx.insert(passkey)
                }
                let found = try await tx.passkeys(of: Sample.accountID(1)).map(\.record.id.bytes)
                try expect(found, equals: [[3], [9], [5], [1]])
                try expect(try await tx.passkeys(of: Sample.accountID(3)), equals: [])
            }
        },
    ]
}
