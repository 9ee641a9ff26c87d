import Testing
import WardAccounts

@Suite struct `Identifiers and tokens` {
    @Test func `an identifier is its text and back`() throws {
        for seed in 0..<50 {
            let bytes = (0..<16).map { UInt8(truncatingIfNeeded: seed &* 37 &+ $0 &* 101) }
            let account = try #require(AccountID(bytes))
            #expect(account.text.utf8.count == 22)
            #expect(AccountID(text: account.text) == account)
            #expect(SessionID(text: account.text)?.bytes == bytes)
        }
        #expect(AccountID([UInt8](repeating: 0xff, count: 16))?.text == "_____________________w")
        #expect(AccountID([UInt8](repeating: 0, count: 16))?.text == "AAAAAAAAAAAAAAAAAAAAAA")
    }

    @Test(arguments: [
        "", "A", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAA==",
        // Bits behind the last byte, the other alphabet, white space, other scripts.
        "AAAAAAAAAAAAAAAAAAAAAB", "+AAAAAAAAAAAAAAAAAAAAA", "/AAAAAAAAAAAAAAAAAAAAA", " AAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAA\n", "éAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAA\0",
    ])
    func `other texts are not identifiers`(text: String) {
        #expect(AccountID(text: text) == nil)
        #expect(SessionID(text: text) == nil)
        #expect(SessionToken(text: text) == nil)
    }

    @Test(arguments: [0, 1, 15, 17, 31, 33, 64])
    func `other lengths are not identifiers`(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(AccountID(bytes) == nil)
        #expect(SessionID(bytes) == nil)
        #expect(SessionToken(bytes) == nil)
    }

    @Test func `a token's hash is SHA-256 of its bytes`() throws {
        let token = try #require(SessionToken([UInt8](0..<32)))
        let hash = token.hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        // sha256sum of the bytes 00 01 … 1f
        #expect(hash == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd")
        #expect(token.text == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
        #expect(SessionToken(text: token.text) == token)
    }

    @Test func `a token asks for 256 bits and does not show them`() {
        var asked: [Int] = []
        let token = SessionToken.random { count in
            asked.append(count)
            return [UInt8](repeating: 0xab, count: count)
        }
        #expect(asked == [32])
        var dumped = ""
        dump(token, to: &dumped)
        for shown in ["\(token)", String(reflecting: token), String(describing: [token]), dumped] {
            #expect(!shown.contains("q6ur"))
            #expect(!shown.contains("171"))
        }
    }

    @Test(
        arguments: [
            (99, nil, 100, false), (100, nil, 100, true), (101, nil, 100, true),
            (49, 50, 100, false), (50, 50, 100, true), (99, 200, 100, false), (100, 200, 100, true),
        ] as [(Int64, Int64?, Int64, Bool)]
    )
    func `a session is over at the first of its limits`(now: Int64, idle: Int64?, absolute: Int64, isOver: Bool) {
        let session = Session(
            id: .random { [UInt8](repeating: 0, count: $0) },
            tokenHash: [],
            accountID: .random { [UInt8](repeating: 0, count: $0) },
            createdAt: 0,
            authenticatedAt: 0,
            method: .passkey,
            lastSeenAt: 0,
            idleExpiresAt: idle,
            expiresAt: absolute,
            userAgent: ""
        )
        #expect(session.isExpired(at: now) == isOver)
    }

    @Test func `store errors are told apart by code and say what happened`() {
        #expect(StoreError(.damaged, detail: "a") == StoreError(.damaged, detail: "b"))
        #expect(StoreError(.damaged) != StoreError(.unavailable))
        #expect("\(StoreError(.damaged, detail: "page 7"))" == "damaged: page 7")
        #expect("\(StoreError(.usernameTaken))" == "username_taken")
        #expect(Set([StoreError(.conflict), StoreError(.conflict, detail: "x")]).count == 1)
    }
}
