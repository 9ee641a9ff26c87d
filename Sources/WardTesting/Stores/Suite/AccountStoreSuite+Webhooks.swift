import WardAccounts

extension AccountStoreSuite {
    static let webhooks: [Check] = [
        Check("the place in the audit log up to which webhooks are made comes back, until there are none") { store in
            try expect(try await store.read { try await $0.webhookPosition() }, equals: nil)
            for position in [0, 7, Int64.max, nil] {
                try await store.write { try await $0.setWebhookPosition(position) }
                try expect(try await store.read { try await $0.webhookPosition() }, equals: position)
            }
        },
        Check("webhooks come back in the order in which they are due, even after their account is deleted") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                for account in [3, 1, 2] { try await tx.insert(Sample.webhook(account, of: account)) }
                try await tx.deleteAccount(id: Sample.accountID(1))
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.webhook(1)) }
            try await store.write { tx in
                let (first, second, third) = (Sample.webhook(1), Sample.webhook(2, of: 2), Sample.webhook(3, of: 3))
                try expect(try await tx.webhookCount(), equals: 3)
                try expect(try await tx.dueWebhook(at: first.dueAt - 1), equals: nil)
                try expect(try await tx.dueWebhook(at: first.dueAt), equals: first)
                try expect(try await tx.dueWebhook(at: .max), equals: first)
                try expect(try await tx.postponeWebhook(number: 1, attempts: 7, until: .max), equals: true)
                try expect(try await tx.dueWebhook(at: third.dueAt), equals: second)
                try expect(try await tx.deleteWebhook(number: 2), equals: true)
                try expect(try await tx.deleteWebhook(number: 2), equals: false)
                try expect(try await tx.postponeWebhook(number: 2, attempts: 1, until: 1), equals: false)
                try expect(try await tx.dueWebhook(at: third.dueAt), equals: third)
                try expect(try await tx.deleteWebhook(number: 3), equals: true)
                let postponed = altered(first) { ($0.attempts, $0.dueAt) = (7, .max) }
                try expect(try await tx.dueWebhook(at: .max), equals: postponed)
                try expect(try await tx.webhookCount(), equals: 1)
            }
        },
        Check("a webhook holds back the later ones of its account, and no others") { store in
            try await store.write { tx in
                for (number, account) in [(6, 1), (4, 1), (5, 2), (2, nil), (3, nil), (1, 1)] {
                    try await tx.insert(altered(Sample.webhook(number, of: account)) { $0.dueAt = 50 })
                }
                func due(_ number: Int?, at now: Int64 = 50, line: UInt = #line) async throws {
                    try expect(try await tx.dueWebhook(at: now)?.number, equals: number.map { Int64($0) }, line: line)
                }
                try await due(1)
                try await tx.postponeWebhook(number: 1, attempts: 1, until: 100)
                try await due(2)
                try await tx.postponeWebhook(number: 2, attempts: 1, until: 100)
                try await due(5)
                try await tx.deleteWebhook(number: 5)
                try await due(nil, at: 99)
                try await due(1, at: 100)
                try await tx.deleteWebhook(number: 1)
                try await due(4)
                try await tx.deleteWebhook(number: 4)
                try await due(6)
                try await tx.deleteWebhook(number: 6)
                try await due(nil)
                try await tx.deleteWebhook(number: 2)
                try await due(3)
                // One that is inserted later, with a smaller number, comes first.
                try await tx.insert(altered(Sample.webhook(1, of: nil)) { $0.dueAt = 70 })
                try await due(nil)
                try await due(1, at: 70)
            }
        },
        Check("a webhook is taken by one of many") { store in
            try await store.write { try await $0.insert(Sample.webhook(1)) }
            let outcomes = await parallel(20) { _ in try await store.write { try await $0.deleteWebhook(number: 1) } }
            try expect(try outcomes.count { try $0.get() }, equals: 1)
        },
    ]
}

extension Sample {
    fileprivate static func webhook(_ number: Int, of account: Int? = 1) -> OutboxWebhook {
        OutboxWebhook(
            number: Int64(number),
            id: "event-\(number)",
            accountID: account.map { accountID($0) },
            kind: .passkeyAdded,
            body: "{\"text\":\"e\u{301} \(number)\"}",
            createdAt: 1_700_000_000,
            attempts: Int64(number),
            dueAt: 1_700_000_000 + Int64(number)
        )
    }
}
