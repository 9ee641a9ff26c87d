import Testing
import WardServer

@Suite struct `Password hashes` {
    private func hash(_ text: String, _ effort: PasswordEffort = .standard) throws -> PasswordHash {
        try PasswordHash(of: Array(text.utf8), effort: effort)
    }

    @Test func `are Argon2id in the PHC format, with OWASP's settings and a salt of their own`() throws {
        let (one, other) = (try hash("correct horse"), try hash("correct horse"))
        #expect(one.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(one.text != other.text)
        #expect(try one.matches(Array("correct horse".utf8)) && other.matches(Array("correct horse".utf8)))
        for wrong in ["correct hors", "correct horse ", "Correct horse", "", "correct horse\0"] {
            #expect(try !one.matches(Array(wrong.utf8)), "\(wrong)")
        }
    }

    @Test func `are not made with less memory than Argon2id needs`() {
        let error = #expect(throws: APIError.self) { try hash("correct horse", PasswordEffort(memory: 1, passes: 1)) }
        #expect(error?.code == .unavailable)
    }

    @Test func `of another implementation are understood`() throws {
        // The command-line program of the reference implementation:
        // echo -n password | argon2 somesalt -id -v 13 -t 2 -k 65536 -p 1, from its own test vectors.
        let known = PasswordHash(
            stored: "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        )
        #expect(try known.matches(Array("password".utf8)))
        #expect(try !known.matches(Array("Password".utf8)))
    }

    @Test func `are made anew when more is asked for, and never when less is`() throws {
        let made = try hash("correct horse", PasswordEffort(memory: 32_768, passes: 3))
        for (memory, passes, isWeaker) in [
            (32_768, 3, false), (19_456, 2, false), (32_768, 2, false), (32_769, 3, true), (32_768, 4, true),
            (65_536, 2, true),
        ] {
            #expect(made.isWeaker(than: PasswordEffort(memory: memory, passes: passes)) == isWeaker)
        }
        #expect(PasswordHash(stored: "$argon2i$v=19$m=32768,t=9,p=1$a$b").isWeaker(than: .standard))
        #expect(PasswordHash(stored: "").isWeaker(than: .standard))
    }

    @Test func `that fit no password take the same settings and fit none`() throws {
        let decoy = PasswordHash(decoyWith: .standard) { [UInt8](repeating: 7, count: $0) }
        let real = try hash("correct horse")
        #expect(decoy.text.utf8.count == real.text.utf8.count)
        #expect(decoy.text.split(separator: "$").prefix(3) == real.text.split(separator: "$").prefix(3))
        #expect(!decoy.isWeaker(than: .standard))
        #expect(try !decoy.matches([]))
        #expect(try !decoy.matches(Array("correct horse".utf8)))
    }

    @Test(arguments: [
        "", "$", "$argon2id$", "nonsense", "$argon2id$v=19$m=19456,t=2,p=1$$", "$2b$12$abc",
        "$argon2id$" + String(repeating: "A", count: 200),
    ])
    func `that are none say nothing about a password`(stored: String) {
        #expect(throws: APIError.self) { try PasswordHash(stored: stored).matches(Array("correct horse".utf8)) }
    }
}

@Suite struct `Common passwords` {
    @Test(arguments: [
        "password", "password1", "Password1!", "P@ssw0rd", "12345678", "123456789012345", "qwertyuiop", "iloveyou1",
        "sunshine2024", "aaaaaaaaaaaaaaaa", "abcdefgh", "19991231", "trustno1trustno1", "ada.lovelace1", "Lovelace99",
        "exampleshop1",
    ])
    func `are found, and so are the names of the person and the service`(password: String) {
        #expect(
            CommonPasswords.contains(password, beside: ["Example Shop", "exampleshop", "ada.lovelace", "Lovelace"])
        )
    }

    @Test(arguments: [
        "correct horse battery staple", "rotating teapot 41 lanterns", "kjhwqzpt", "mJ8#qz2L", "Tr0ub4dor&3",
        "さくら咲く朝の道",
        "짧은 비밀번호 문장", String(repeating: "long and winding ", count: 60),
    ])
    func `are not those that take thought`(password: String) {
        #expect(!CommonPasswords.contains(password, beside: ["Ward", "ada", "", "a\0b"]))
    }
}
