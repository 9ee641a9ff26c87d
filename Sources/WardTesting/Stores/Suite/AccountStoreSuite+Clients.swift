import WardAccounts

extension AccountStoreSuite {
    static let clients: [Check] = [
        Check("a client comes back exactly as it was given, for its own ID only") { store in
            let odd = altered(Sample.client(2)) {
                $0.redirectURIs = ["https://a.example/b,c", "com.example.app:/\\"]
                $0.postLogoutRedirectURIs = []
                $0.secretHash = nil
                $0.isFirstParty = false
            }
            try await store.write { tx in
                for client in [Sample.client(3), Sample.client(1), odd] { try await tx.insert(client) }
            }
            try await store.read { tx in
                try expect(try await tx.oauthClients(), equals: [Sample.client(1), odd, Sample.client(3)])
                try expect(try await tx.oauthClient(id: "client-2"), equals: odd)
                for id in ["", "client-", "CLIENT-2", "client-2 ", "client-2\0"] {
                    try expect(try await tx.oauthClient(id: id), equals: nil, id)
                }
            }
            try await store.refused(.conflict) { try await $0.insert(Sample.client(2)) }
            try await store.refused(.notStorable) { tx in
                try await tx.insert(altered(Sample.client(9)) { $0.redirectURIs = ["a\0b"] })
            }
        },
        Check("a client changes, except its ID and its time") { store in
            try await store.write { try await $0.insert(Sample.client(1)) }
            let changed = altered(Sample.client(7)) { $0.id = "client-1" }
            try await store.write { tx in
                try expect(try await tx.update(changed), "it exists")
                try expect(try await !tx.update(Sample.client(2)), "it does not exist")
            }
            let expected = altered(changed) { $0.createdAt = Sample.client(1).createdAt }
            try expect(try await store.read { try await $0.oauthClients() }, equals: [expected])
        },
        Check("what a person allowed a client is kept until it is forgotten, or one of them is deleted") { store in
            let given = Sample.consent(1, to: 1)
            try await store.refused(.accountNotFound) { try await $0.setOAuthConsent(given) }
            try await store.write { tx in
                try await Sample.insertPerson(1, in: tx)
                try await Sample.insertPerson(2, in: tx)
                for seed in [1, 2] { try await tx.insert(Sample.client(seed)) }
                for consent in [given, Sample.consent(1, to: 2), Sample.consent(2, to: 1)] {
                    try await tx.setOAuthConsent(consent)
                }
                try await tx.setOAuthConsent(altered(given) { $0.scopes = ["openid"] })
                try await tx.setOAuthConsent(given)
            }
            try await store.write { tx in
                let (ada, bob) = (Sample.accountID(1), Sample.accountID(2))
                try expect(try await tx.oauthConsent(of: ada, to: "client-1"), equals: given)
                try expect(try await tx.oauthConsent(of: bob, to: "client-2"), equals: nil)
                try expect(try await tx.deleteOAuthConsent(of: ada, to: "client-1"), "it was there")
                try expect(try await !tx.deleteOAuthConsent(of: ada, to: "client-1"), "it is gone")
                try expect(try await tx.oauthConsent(of: ada, to: "client-1"), equals: nil)
                try expect(try await tx.oauthConsent(of: bob, to: "client-1") != nil, "another person's stays")
                try await tx.deleteOAuthClient(id: "client-1")
                try expect(try await tx.oauthConsent(of: bob, to: "client-1"), equals: nil)
                try await tx.deleteAccount(id: ada)
                try expect(try await tx.oauthConsent(of: ada, to: "client-2"), equals: nil)
            }
        },
        Check("keys come back in the order in which they sign, and change in place") { store in
            try await store.write { tx in
                for seed in [3, 1, 2] { try await tx.setIDTokenKey(Sample.idTokenKey(seed)) }
                try await tx.setIDTokenKey(altered(Sample.idTokenKey(1)) { $0.expiresAt = 7 })
                try await tx.deleteIDTokenKey(id: "key-2")
            }
            let expected = [altered(Sample.idTokenKey(1)) { $0.expiresAt = 7 }, Sample.idTokenKey(3)]
            try expect(try await store.read { try await $0.idTokenKeys() }, equals: expected)
            try expect(try await store.write { try await $0.deleteIDTokenKey(id: "key-2") }, equals: false)
        },
    ]
}
