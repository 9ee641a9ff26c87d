import WardAccounts

extension AccountStoreSuite {
    static let ceremonies: [Check] = [
        Check("a ceremony comes back exactly as it was given, once") { store in
            let ceremonies = [
                CeremonyRecord(id: Sample.bytes(16, 1), payload: Sample.bytes(65_536, 1), expiresAt: .max),
                CeremonyRecord(id: Sample.bytes(16, 2), payload: [], expiresAt: .min),
                CeremonyRecord(id: [0], payload: [0, 0, 0], expiresAt: 0),
                CeremonyRecord(id: [0, 0], payload: [1], expiresAt: -1),
            ]
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
            try await store.write { try await $0.insert(Sample.ceremony(1)) }
            let results = await parallel(50) { _ in
                try await store.write { try await $0.takeCeremony(id: Sample.ceremony(1).id) }
            }
            let taken = try results.compactMap { try $0.get() }
            try expect(taken, equals: [Sample.ceremony(1)])
        },
        Check("a ceremony is taken once within a transaction") { store in
            try await store.write { tx in
                try await tx.insert(Sample.ceremony(1))
                try expect(try await tx.takeCeremony(id: Sample.ceremony(1).id), equals: Sample.ceremony(1))
                try expect(try await tx.takeCeremony(id: Sample.ceremony(1).id), equals: nil)
            }
        },
        Check("a ceremony whose taker failed is there again") { store in
            struct Stop: Error {}
            try await store.write { try await $0.insert(Sample.ceremony(1)) }
            _ = try? await store.write { tx in
                _ = try await tx.takeCeremony(id: Sample.ceremony(1).id)
                throw Stop()
            }
            let taken = try await store.write { try await $0.takeCeremony(id: Sample.ceremony(1).id) }
            try expect(taken, equals: Sample.ceremony(1))
        },
        Check("a ceremony is not overwritten by another with its id") { store in
            try await store.write { try await $0.insert(Sample.ceremony(1)) }
            let other = altered(Sample.ceremony(2)) { $0.id = Sample.ceremony(1).id }
            try await store.refused(.conflict) { try await $0.insert(other) }
            let taken = try await store.write { try await $0.takeCeremony(id: Sample.ceremony(1).id) }
            try expect(taken, equals: Sample.ceremony(1))
        },
        Check("ids that were never there find no ceremony") { store in
            try await store.write { tx in
                try await tx.insert(Sample.ceremony(1))
                let id = Sample.ceremony(1).id
                for other in [[], Array(id.dropLast()), id + [0], Sample.bytes(4096, 1)] {
                    try expect(try await tx.takeCeremony(id: other), equals: nil)
                }
                try expect(try await tx.takeCeremony(id: id), equals: Sample.ceremony(1))
            }
        },
        Check("a use of a ceremony is new once") { store in
            let use = Sample.bytes(24, 1)
            let results = await parallel(50) { _ in
                try await store.write { try await $0.insertUse(use, until: 100) }
            }
            try expect(try results.map { try $0.get() }.filter { $0 }.count, equals: 1)
            try await store.write { tx in
                try expect(try await tx.insertUse(use, until: 999), equals: false)
                try expect(try await tx.insertUse(use + [0], until: 100), equals: true)
                try expect(try await tx.insertUse([], until: .min), equals: true)
            }
        },
        Check("a use whose transaction failed is new again") { store in
            struct Stop: Error {}
            let use = Sample.bytes(24, 1)
            _ = try? await store.write { tx in
                _ = try await tx.insertUse(use, until: 100)
                throw Stop()
            }
            try expect(try await store.write { try await $0.insertUse(use, until: 100) }, equals: true)
        },
        Check("sweeping takes the uses that are no longer kept, and no other") { store in
            try await store.write { tx in
                for second in 0..<10 {
                    _ = try await tx.insertUse([UInt8(second)], until: Int64(100 + second))
                }
                try expect(try await tx.deleteExpiredUses(before: 100, limit: 99), equals: 0)
                try expect(try await tx.deleteExpiredUses(before: 105, limit: 0), equals: 0)
                try expect(try await tx.deleteExpiredUses(before: 105, limit: 2), equals: 2)
                try expect(try await tx.insertUse([1], until: 100), equals: true)
                try expect(try await tx.insertUse([2], until: 100), equals: false)
                try expect(try await tx.deleteExpiredUses(before: 105, limit: 99), equals: 4)
                try expect(try await tx.insertUse([5], until: 100), equals: false)
            }
        },
        Check("sweeping takes the ceremonies that expired earlier, and no other") { store in
            try await store.write { tx in
                for second in 0..<10 {
                    try await tx.insert(
                        CeremonyRecord(id: [UInt8(second)], payload: [], expiresAt: Int64(100 + second))
                    )
                }
                try expect(try await tx.deleteExpiredCeremonies(before: 100, limit: 99), equals: 0)
                try expect(try await tx.ceremonyCount(), equals: 10)
                // A limited deletion removes the ceremonies that expired first.
                try expect(try await tx.deleteExpiredCeremonies(before: 105, limit: 0), equals: 0)
                try expect(try await tx.deleteExpiredCeremonies(before: 105, limit: 2), equals: 2)
                try expect(try await tx.takeCeremony(id: [1]), equals: nil)
                try expect(try await tx.takeCeremony(id: [2])?.expiresAt, equals: 102)
                try expect(try await tx.deleteExpiredCeremonies(before: 105, limit: 99), equals: 2)
                try expect(try await tx.ceremonyCount(), equals: 5)
                try expect(try await tx.takeCeremony(id: [4]), equals: nil)
                try expect(try await tx.takeCeremony(id: [5])?.expiresAt, equals: 105)
                try expect(try await tx.deleteExpiredCeremonies(before: .max, limit: 99), equals: 4)
            }
        },
    ]

    static let secrets: [Check] = [
        Check("the first secret of a name wins, and keeps winning") { store in
            try await store.write { tx in
                try expect(try await tx.secret(named: "decoys"), equals: nil)
                try expect(try await tx.insertSecret(named: "decoys", [1, 2, 3]), equals: [1, 2, 3])
                try expect(try await tx.insertSecret(named: "decoys", [4]), equals: [1, 2, 3])
                try expect(try await tx.insertSecret(named: "empty", []), equals: [])
                try expect(try await tx.insertSecret(named: "empty", [4]), equals: [])
            }
            try await store.read { tx in
                try expect(try await tx.secret(named: "decoys"), equals: [1, 2, 3])
                try expect(try await tx.secret(named: "empty"), equals: [])
                try expect(try await tx.secret(named: "Decoys"), equals: nil)
                try expect(try await tx.secret(named: "decoys\0"), equals: nil)
            }
        },
        Check("50 that bring a secret at once all leave with the same") { store in
            let results = await parallel(50) { index in
                try await store.write { try await $0.insertSecret(named: "decoys", Sample.bytes(32, index)) }
            }
            let kept = try await store.read { try await $0.secret(named: "decoys") }
            for result in results { try expect(try result.get(), equals: kept ?? []) }
        },
    ]
}
