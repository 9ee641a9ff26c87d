import Testing
import WardAccounts
import WardTesting
import WardWebAuthn

@Suite struct `Memory store` {
    @Test(arguments: AccountStoreSuite.checks)
    func `behaves like every store`(check: AccountStoreSuite.Check) async throws {
        try await check.run(on: MemoryAccountStore())
    }
}

@Suite struct `A store whose every call suspends` {
    @Test(arguments: AccountStoreSuite.checks)
    func `behaves like every store, on one thread`(check: AccountStoreSuite.Check) async throws {
        try await OneThread.run { try await check.run(on: SuspendingAccountStore()) }
    }

    @Test func `lets others run between two calls of a transaction`() async throws {
        let store = SuspendingAccountStore()
        try await OneThread.run {
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for index in 0..<8 {
                    group.addTask {
                        try await store.write { try await $0.insertSecret(named: "\(index)", [UInt8(index)]) }
                    }
                }
                for try await secret in group { #expect(secret.count == 1) }
            }
        }
        #expect(store.conflictCount > 0)
    }
}

/// An account store is the credential store of the relying party's ceremonies too.
@Suite struct `Account stores as credential stores` {
    private static func accountID(_ user: UserHandle) -> AccountID { .random { Array(user.bytes.prefix($0)) } }

    private func run(_ check: CredentialStoreSuite.Check, on store: some AccountStore) async throws {
        try await check.run(
            on: store,
            entry: { Passkey($0, of: Self.accountID($0.userHandle), named: "Laptop", createdAt: 0) },
            addAccount: { user in
                let name = try Username("person-\(user.bytes[0])-\(user.bytes[1])")
                let account = Account(
                    id: Self.accountID(user),
                    username: name,
                    displayName: "",
                    userHandle: user,
                    createdAt: 0
                )
                try await store.write { try await $0.insert(account) }
            }
        )
    }

    @Test(arguments: CredentialStoreSuite.checks)
    func `keep the promises in memory`(check: CredentialStoreSuite.Check) async throws {
        try await run(check, on: MemoryAccountStore())
    }

    @Test(arguments: CredentialStoreSuite.checks)
    func `keep the promises where every call suspends, on one thread`(check: CredentialStoreSuite.Check) async throws {
        try await OneThread.run { try await run(check, on: SuspendingAccountStore()) }
    }
}
