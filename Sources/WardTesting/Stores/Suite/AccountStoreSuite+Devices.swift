import WardAccounts

extension AccountStoreSuite {
    static let devices: [Check] = [
        Check("a device's wish comes back exactly as it was given, for each of its two codes only") { store in
            try await store.write { tx in
                try await tx.insert(Sample.client(1))
                for seed in [1, 2] { try await tx.insert(Sample.device(seed, of: 1)) }
            }
            try await store.read { tx in
                for seed in [1, 2] {
                    let given = Sample.device(seed, of: 1)
                    try expect(try await tx.deviceAuthorization(deviceHash: given.deviceHash), equals: given)
                    try expect(try await tx.deviceAuthorization(userHash: given.userHash), equals: given)
                    try expect(try await tx.deviceAuthorization(deviceHash: given.userHash), equals: nil)
                    try expect(try await tx.deviceAuthorization(userHash: given.deviceHash), equals: nil)
                }
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.device(1, of: 1)) }
            try await store.refused(.conflict) { tx in
                try await tx.insert(altered(Sample.device(3, of: 1)) { $0.userHash = Sample.device(1, of: 1).userHash })
            }
            try await store.refused(.accountNotFound) { try await $0.insert(Sample.device(3, of: 9)) }
        },
        Check("a device's wish changes by its polls and its answer") { store in
            let allowed = DeviceAuthorization.Answer.allowed(Sample.sessionID(100))
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.client(1))
                try await tx.insert(Sample.device(1, of: 1))
            }
            for answer in [allowed, .refused, .pending] {
                let changed = altered(Sample.device(1, of: 1)) {
                    ($0.interval, $0.polledAt, $0.answer, $0.scopes, $0.expiresAt) = (10, 7, answer, [], 3)
                }
                let expected = altered(Sample.device(1, of: 1)) {
                    ($0.interval, $0.polledAt, $0.answer) = (10, 7, answer)
                }
                try await store.write { tx in
                    try expect(try await tx.update(changed), "it exists")
                    try expect(try await tx.deviceAuthorization(deviceHash: changed.deviceHash), equals: expected)
                }
            }
            try await store.refused(.accountNotFound) { tx in
                try await tx.update(altered(Sample.device(1, of: 1)) { $0.answer = .allowed(Sample.sessionID(999)) })
            }
            try expect(try await store.write { try await !$0.update(Sample.device(2, of: 1)) }, "it does not exist")
        },
        Check("a device's wish ends with its client, with the session that allowed it, and when it is deleted") {
            store in
            let endings: [@Sendable (any AccountTransaction) async throws -> Void] = [
                { _ = try await $0.deleteSession(id: Sample.sessionID(100), of: Sample.accountID(1)) },
                { _ = try await $0.deleteAccount(id: Sample.accountID(1)) },
                { _ = try await $0.deleteOAuthClient(id: "client-1") },
                { _ = try await $0.deleteDeviceAuthorization(deviceHash: Sample.device(1, of: 1).deviceHash) },
                { _ = try await $0.deleteExpiredDeviceAuthorizations(before: .max, limit: 9) },
            ]
            for (number, end) in endings.enumerated() {
                try await store.write { tx in
                    try await tx.deleteAccount(id: Sample.accountID(1))
                    try await tx.deleteOAuthClient(id: "client-1")
                    try await Sample.insertPerson(1, in: tx)
                    try await tx.insert(Sample.client(1))
                    try await tx.insert(
                        altered(Sample.device(1, of: 1)) { $0.answer = .allowed(Sample.sessionID(100)) }
                    )
                }
                try await store.write { try await end($0) }
                let left = try await store.read { tx in
                    try await tx.deviceAuthorization(deviceHash: Sample.device(1, of: 1).deviceHash)
                }
                try expect(left, equals: nil, "\(number)")
            }
            try expect(try await store.write { try await !$0.deleteDeviceAuthorization(deviceHash: [1]) }, "none")
        },
        Check("expired wishes of devices are deleted in slices, and no others") { store in
            try await store.write { tx in
                try await tx.insert(Sample.client(1))
                for seed in 1...4 {
                    try await tx.insert(altered(Sample.device(seed, of: 1)) { $0.expiresAt = Int64(seed) })
                }
                try expect(try await tx.deleteExpiredDeviceAuthorizations(before: 4, limit: 2), equals: 2)
                try expect(try await tx.deleteExpiredDeviceAuthorizations(before: 4, limit: 2), equals: 1)
                let left = try await tx.deviceAuthorization(deviceHash: Sample.device(4, of: 1).deviceHash)
                try expect(left != nil, "not yet")
            }
        },
        Check("a device's session ends with its client, and no other session does") { store in
            let session = altered(Sample.session(5)) { $0.clientID = "client-1" }
            try await store.refused(.accountNotFound) { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(session)
            }
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await tx.insert(Sample.client(1))
                try await tx.insert(session)
                try expect(try await tx.session(id: session.id), equals: session)
                try await tx.deleteOAuthClient(id: "client-1")
                try expect(try await tx.session(id: session.id), equals: nil)
                try expect(try await tx.session(id: Sample.sessionID(100)) != nil, "a browser's stays")
            }
        },
    ]
}
