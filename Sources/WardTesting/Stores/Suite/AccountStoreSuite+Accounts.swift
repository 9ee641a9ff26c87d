import WardAccounts

extension AccountStoreSuite {
    static let accounts: [Check] = [
        Check("an account comes back exactly as it was given, by id, name and handle") { store in
            var accounts = try [
                "alice", "Alice.B+tag@example.org", "Ｗｉｄｅ", "Οδυσσέας", "İstanbul", "ﾊﾝｶｸ", "田中さくら", "김민준", "王小明",
                "עמית", "محمد٣", "नमस्ते", "ไทย", "Zoë", "';DROP/**/TABLE/**/account;--", "%", "_",
                String(repeating: "長", count: 64),
            ].enumerated().map { try Sample.account($0.offset, name: $0.element) }
            accounts[0].displayName = ""
            accounts[1].displayName = "👩‍👩‍👧‍👦 e\u{301} vs \u{e9}, \u{202e}reversed\u{202c}, \"quoted\", back\\slash\n"
            accounts[2].displayName = String(repeating: "x", count: 100_000)
            accounts[3].createdAt = .max
            accounts[4].createdAt = .min
            accounts[5].userHandle = Sample.userHandle([0])
            accounts[6].userHandle = Sample.userHandle([0, 0])
            let given = accounts
            try await store.write { tx in
                for account in given { try await tx.insert(account) }
            }
            try await store.read { tx in
                for account in given {
                    for found in [
                        try await tx.account(id: account.id), try await tx.account(username: account.username),
                        try await tx.account(username: account.username.mapped),
                        try await tx.account(userHandle: account.userHandle),
                    ] {
                        try expect(found, equals: account)
                        // Swift's equality of strings ignores differences between canonically equivalent texts, so the scalars
                        // are compared.
                        try expect(found.map { Array($0.displayName.utf8) }, equals: Array(account.displayName.utf8))
                        try expect(
                            found.map { Array($0.username.text.utf8) },
                            equals: Array(account.username.text.utf8)
                        )
                    }
                }
            }
        },
        Check("a sample of accounts is the first ones by user handle") { store in
            let handles: [[UInt8]] = [[2], [1, 255], [255], [1], [128, 0]]
            try await store.write { tx in
                try expect(try await tx.accounts(limit: 5), equals: [])
                for (seed, handle) in handles.enumerated() {
                    try await tx.insert(altered(try Sample.account(seed)) { $0.userHandle = Sample.userHandle(handle) })
                }
            }
            let sorted = [3, 1, 0, 4, 2].map { Sample.accountID($0) }
            try await store.read { tx in
                for limit in [1, 3, 5, 1_000] {
                    try expect(try await tx.accounts(limit: limit).map(\.id), equals: Array(sorted.prefix(limit)))
                }
            }
        },
        Check("what was never there is not found") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1, name: "bob"))
                try expect(try await tx.account(id: Sample.accountID(2)), equals: nil)
                for name in ["", "bo", "bobb", "Bob", "bob ", "bob\0", "bob\0x", "%", "b_b", "b%"] {
                    try expect(try await tx.account(username: name), equals: nil, name)
                }
                let handle = Sample.bytes(64, 1)
                for other in [Array(handle.dropLast()), [0] + handle.dropLast(), Sample.bytes(64, 2)] {
                    try expect(try await tx.account(userHandle: Sample.userHandle(other)), equals: nil)
                }
            }
        },
        Check("names that map alike are one name") { store in
            try await store.write { try await $0.insert(try Sample.account(1, name: "Zoë")) }
            for (seed, name) in ["Zoë", "zoë", "ZOE\u{308}", "ＺＯＥ\u{308}"].enumerated() {
                try await store.refused(.usernameTaken) {
                    try await $0.insert(try Sample.account(10 + seed, name: name))
                }
                let found = try await store.read { try await $0.account(username: try Username(name)) }
                try expect(found, equals: try Sample.account(1, name: "Zoë"))
            }
            try await store.write { try await $0.insert(try Sample.account(2, name: "zoe")) }
        },
        Check("of 200 that take a name at once, exactly one gets it") { store in
            let results = await parallel(200) { index in
                try await store.write { tx in
                    try await tx.insert(
                        try Sample.account(index, name: index.isMultiple(of: 2) ? "highlander" : "HighLander")
                    )
                }
            }
            try expect(results.count { (try? $0.get()) != nil }, equals: 1)
            for case .failure(let error) in results {
                try expect(error as? StoreError, equals: StoreError(.usernameTaken))
            }
            try await store.read { tx in
                var accounts: [Account] = []
                for seed in 0..<200 {
                    if let account = try await tx.account(id: Sample.accountID(seed)) { accounts.append(account) }
                }
                try expect(accounts.count, equals: 1)
                try expect(try await tx.account(username: "highlander"), equals: accounts.first)
            }
        },
        Check("an account id or a user handle is not used twice, and a taken name is said first") { store in
            try await store.write { try await $0.insert(try Sample.account(1)) }
            let sameID = altered(try Sample.account(2)) { $0.id = Sample.accountID(1) }
            try await store.refused(.conflict) { try await $0.insert(sameID) }
            let sameHandle = altered(try Sample.account(2)) { $0.userHandle = Sample.userHandle(1) }
            try await store.refused(.conflict) { try await $0.insert(sameHandle) }
            try await store.refused(.usernameTaken) { try await $0.insert(try Sample.account(1)) }
            let sameName = altered(try Sample.account(2, name: "person-1")) { $0.id = Sample.accountID(1) }
            try await store.refused(.usernameTaken) { try await $0.insert(sameName) }
            let sameNameAndHandle = altered(sameName) {
                $0.id = Sample.accountID(3)
                $0.userHandle = Sample.userHandle(1)
            }
            try await store.refused(.usernameTaken) { try await $0.insert(sameNameAndHandle) }
            let found = try await store.read { try await $0.account(id: Sample.accountID(1)) }
            try expect(found, equals: try Sample.account(1))
        },
        Check("an account's names can be changed, and nothing else of it") { store in
            try await store.write { tx in
                try await Sample.insertPerson(1, name: "Ada", in: tx)
                try await Sample.insertPerson(2, in: tx)
            }
            let changed = altered(try Sample.account(3, name: "Ada.Lovelace")) {
                $0.id = Sample.accountID(1)
                $0.displayName = "👩‍💻 e\u{301} \u{202e}x"
            }
            try await store.write { tx in try expect(try await tx.update(changed), equals: true) }
            let expected = altered(try Sample.account(1, name: "Ada.Lovelace")) { $0.displayName = changed.displayName }
            try await store.read { tx in
                for found in [
                    try await tx.account(id: expected.id), try await tx.account(username: "ada.lovelace"),
                    try await tx.account(userHandle: Sample.userHandle(1)),
                ] {
                    try expect(found, equals: expected)
                    try expect(found.map { Array($0.username.text.utf8) }, equals: Array("Ada.Lovelace".utf8))
                    try expect(found.map { Array($0.displayName.utf8) }, equals: Array(expected.displayName.utf8))
                }
                try expect(try await tx.account(username: "ada"), equals: nil)
                try expect(try await tx.account(userHandle: Sample.userHandle(3)), equals: nil)
                try expect(try await tx.passkeys(of: expected.id), equals: [Sample.passkey(100), Sample.passkey(101)])
                try expect(try await tx.account(id: Sample.accountID(2)), equals: try Sample.account(2))
            }
            // After a rename the old name is free. An account may also change the spelling of its own name.
            try await store.write { tx in
                try await tx.insert(try Sample.account(4, name: "ADA"))
                var shouted = expected
                shouted.username = try Username("ADA.LOVELACE")
                try expect(try await tx.update(shouted), equals: true)
                try expect(try await tx.account(id: expected.id), equals: shouted)
                try expect(try await tx.update(try Sample.account(9)), equals: false)
                try expect(try await tx.account(username: "person-9"), equals: nil)
            }
        },
        Check("an account cannot be given a name that another has, or a text that cannot be kept") { store in
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try await tx.insert(try Sample.account(2))
            }
            let taken = altered(try Sample.account(1, name: "PERSON-2")) { $0.displayName = "taken" }
            try await store.refused(.usernameTaken) { _ = try await $0.update(taken) }
            let cut = altered(try Sample.account(1)) { $0.displayName = "a\0b" }
            try await store.refused(.notStorable) { _ = try await $0.update(cut) }
            let found = try await store.read {
                [try await $0.account(id: taken.id), try await $0.account(username: "person-2")]
            }
            try expect(found, equals: [try Sample.account(1), try Sample.account(2)])
        },
        Check("of 50 accounts that are given one name at once, exactly one gets it") { store in
            try await store.write { tx in
                for seed in 0..<50 { try await tx.insert(try Sample.account(seed)) }
            }
            let results = await parallel(50) { index in
                try await store.write { try await $0.update(try Sample.account(index, name: "Highlander")) }
            }
            try expect(results.count { (try? $0.get()) == true }, equals: 1)
            for case .failure(let error) in results {
                try expect(error as? StoreError, equals: StoreError(.usernameTaken))
            }
        },
        Check("an account goes with all that it has, and a new account of its name inherits nothing") {
            store in
            try await store.write { tx in
                try await Sample.insertPerson(1, name: "heir", in: tx)
                try await Sample.insertPerson(2, in: tx)
            }
            let deleted = try await store.write { tx in
                [
                    try await tx.deleteAccount(id: Sample.accountID(1)),
                    try await tx.deleteAccount(id: Sample.accountID(1)),
                ]
            }
            try expect(deleted, equals: [true, false])
            try await store.write { tx in
                try expect(try await tx.account(username: "heir"), equals: nil)
                try await tx.insert(try Sample.account(3, name: "heir"))
                for account in [Sample.accountID(1), Sample.accountID(3)] {
                    try expect(try await tx.passkeys(of: account), equals: [])
                    try expect(try await tx.sessions(of: account), equals: [])
                    try expect(try await tx.password(of: account), equals: nil)
                }
                try expect(try await tx.passkey(credentialID: Sample.credentialID(100)), equals: nil)
                try expect(try await tx.session(tokenHash: Sample.tokenHash(100)), equals: nil)
                try expect(try await tx.account(userHandle: Sample.userHandle(1)), equals: nil)
                // The other accounts keep their passkeys, and the credential ID can be registered again.
                try expect(try await tx.passkeys(of: Sample.accountID(2)).count, equals: 2)
                try expect(try await tx.password(of: Sample.accountID(2)), equals: Sample.password(200, of: 2))
                try expect(try await tx.sessions(of: Sample.accountID(2)), equals: [Sample.session(200, of: 2)])
                try await tx.insert(Sample.passkey(100, of: 3))
            }
        },
        Check("an account id itself can come back after deletion and inherits nothing") { store in
            try await store.write { try await Sample.insertPerson(1, in: $0) }
            try await store.write { _ = try await $0.deleteAccount(id: Sample.accountID(1)) }
            try await store.write { tx in
                try await tx.insert(try Sample.account(1))
                try expect(try await tx.passkeys(of: Sample.accountID(1)).count, equals: 0)
                try expect(try await tx.sessions(of: Sample.accountID(1)), equals: [])
                try expect(try await tx.password(of: Sample.accountID(1)), equals: nil)
            }
        },
        Check("the accounts come in pages, in the order of their mapped names") { store in
            let names = ["b", "a", "é", "z", "aa"]
            try await store.write { tx in
                try expect(try await tx.accounts(after: nil, limit: 2).count, equals: 0)
                for (seed, name) in names.enumerated() {
                    var account = try Sample.account(seed)
                    account.username = Username(storedText: name.uppercased(), mapped: name)
                    try await tx.insert(account)
                }
                var found: [String] = []
                while true {
                    let page = try await tx.accounts(after: found.last, limit: 2)
                    try expect(page.count <= 2, "more than asked for")
                    if page.isEmpty { break }
                    found += page.map(\.username.mapped)
                }
                try expect(found, equals: ["a", "aa", "b", "z", "é"])
                try expect(
                    try await tx.accounts(after: "z", limit: 5).first,
                    equals: try await tx.account(username: "é")
                )
            }
        },
        Check("accounts are found by the first characters of their mapped names") { store in
            let names = ["ad", "ada", "ada%", "adb", "b", "é", "éa", "\u{10FFFD}"]
            try await store.write { tx in
                for (seed, name) in names.enumerated() {
                    var account = try Sample.account(seed)
                    account.username = Username(storedText: name.uppercased(), mapped: name)
                    try await tx.insert(account)
                }
            }
            func found(_ prefix: String, after: String? = nil, limit: Int = 9) async throws -> [String] {
                try await store.read { tx in
                    try await tx.accounts(withPrefix: prefix, after: after, limit: limit).map(\.username.mapped)
                }
            }
            try expect(try await found("ad"), equals: ["ad", "ada", "ada%", "adb"])
            try expect(try await found("ad", limit: 2), equals: ["ad", "ada"])
            try expect(try await found("ad", after: "ada", limit: 2), equals: ["ada%", "adb"])
            try expect(try await found("ada%"), equals: ["ada%"])
            try expect(try await found("é"), equals: ["é", "éa"])
            try expect(try await found("\u{10FFFD}"), equals: ["\u{10FFFD}"])
            try expect(try await found(""), equals: names)
            for nothing in ["_", "%", "A", "adc", "a\0d"] { try expect(try await found(nothing), equals: []) }
        },
        Check("text with U+0000 is refused, not cut") { store in
            try await store.refused(.notStorable) { tx in
                var account = try Sample.account(1)
                account.displayName = "a\0b"
                try await tx.insert(account)
            }
            try await store.refused(.notStorable) { tx in
                var account = try Sample.account(1)
                account.username = Username(storedText: "a\0b", mapped: "a\0b")
                try await tx.insert(account)
            }
            let found = try await store.read { try await $0.account(id: Sample.accountID(1)) }
            try expect(found, equals: nil)
        },
    ]
}
