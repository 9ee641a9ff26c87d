import Testing
import WardAccounts
import WardWebAuthn

@testable import WardServer

/// Hashes of other systems, made by the libraries of their names on PyPI.
@Suite struct `A hash of another system` {
    static let password = "correct horse ☕ battery"
    static let hashes = [
        ("bcrypt (PyPI bcrypt)", "$2b$06$ENDzETFmbs/9Mm54JJeLheO3cev/hq7bhDtbJgvml108s9vXfy7Tu"),
        ("bcrypt 2a", "$2a$06$sPpagvUpr..qHEC7o4bRT.P74QB416Ci1K5WtST4wr8TudPrcm6Va"),
        ("bcrypt as PHP writes it", "$2y$06$LEn2Rm6Fhuv6Y6VsbcN0n.kds7oZbEzD6llLYlz7IS4hMEs4zeDku"),
        (
            "sha512-crypt (passlib)",
            "$6$qcxvYfwaOiIeuxwr$70b9I7XgGE0CeL/sR.L9Ute0L3t78x8efsIj6faMha9tQ5YIJgivw1GhwnMz8WOdS8QzcgbTHuEKA10eJ5h2/."
        ),
        ("sha256-crypt (passlib)", "$5$XjNmkKGOg1YoHyau$3aqlG32JhYTTzmEMC6giRZLVJ3S9udeJ6F0lUWoF6JC"),
        ("pbkdf2-sha1 (passlib)", "$pbkdf2$2000$dc75f8.5NwYAQMhZK.X83w$EequYgVTFgtHQMH8QijlS4bQjJM"),
        (
            "pbkdf2-sha256 (passlib)",
            "$pbkdf2-sha256$2000$YezdW6vVOmdMae1da825Vw$5J08fdaTJC/5GRR4C.kPhk4RGtU.65FZG10Q8yeqdU0"
        ),
        (
            "pbkdf2-sha512 (passlib)",
            "$pbkdf2-sha512$2000$hXAuxZjzvjdmLOWcc671Hg$uLNh/mxxH5P0NheydPcZQW0MS3UBFjwQqq/rUxjgN.R2F4Dp6OvH3i5bHhYgg6wnWFInpDxmDb9o0L4iFSG/Hw"
        ),
        (
            "scrypt (passlib)",
            "$scrypt$ln=10,r=8,p=1$H8NYq3UuJaR0rrU2RoiR0g$8RTO7bGkwVh5TqHDsJRTaX/5BZomnS2RQ3zQ7NQhZyc"
        ),
        (
            "argon2id (argon2-cffi)",
            "$argon2id$v=19$m=1024,t=2,p=4$0lYqCNEBhhveTXCYFioS8w$s6S5bziQ0lnxHUbPc1NOGEUqV+43n4Pwm+UzYX9o/HY"
        ),
        (
            "argon2i (argon2-cffi)",
            "$argon2i$v=19$m=1024,t=3,p=1$ptERTUnKW8ZQ16aOjvzHEQ$iWaCth/RILDujmJMVCkO6uaP2rgOxLXch+pQczNshq8"
        ),
        (
            "argon2d (argon2-cffi)",
            "$argon2d$v=19$m=1024,t=2,p=2$79du9RenCUrOSASTqEkOxQ$hT3pZ48q1sro2aA+jBIr78nQq5maI2sj948yNfwYhA8"
        ),
        (
            "pbkdf2_sha256 (Django)",
            "pbkdf2_sha256$2000$WxX0tMU7G5YRfIAitOIRWF$52w0C8dAfZUTJDU5X/LYOGEjtQKuvrQKrdD4FM+EwHE="
        ),
        ("pbkdf2_sha1 (Django)", "pbkdf2_sha1$2000$bGRLUkDTuy9feQh5eR52uJ$Mq62hoRgUNCZpQm2Uzv85N9oPHg="),
        (
            "argon2 (Django)",
            "argon2$argon2id$v=19$m=1024,t=2,p=8$R0lrRlhRSjdGMzhGaHVEUmdmR1NWNQ$nuf5G8s4UdItsm5KDPZ6/zqZ15y/a0+Mk4VNQ2ANNhY"
        ),
        ("bcrypt_sha256 (Django)", "bcrypt_sha256$$2b$06$DmSMkX8hBwZvNS3nCaMW.eJxBxNUTvqEJmORA5yYxsYOKRZyouYzy"),
        ("bcrypt (Django)", "bcrypt$$2b$06$gYqUz7u3T79igzl7nl/qc.KB.NtRkolC3SiC7zr1MkW2pMKYJb5IK"),
        (
            "scrypt (Django)",
            "scrypt$1024$7XYkpfGSWj7iYFoPewKkpW$8$5$Mojf5Sblb4vTn9xpYLbx4MKHFaJxkdz8CgXK2tynj2902qsCF+AZOhp1IQaYU5+qAtjOEMVbftLKOXORjQ6IHQ=="
        ),
        (
            "pbkdf2 (Werkzeug)",
            "pbkdf2:sha256:2000$51ax3jb3pV2s9MGJ$faa2abc37a34434790d3eaef4a03b67e1aa0e5069baa448575104aa717f7f802"
        ),
        (
            "pbkdf2 sha512 (Werkzeug)",
            "pbkdf2:sha512:2000$1PnfAP9D1cAsrQeQ$93ebd45d9aa5d8e905a9b98e8177f27d792b2de82feae69e59bb3e7f39dfb79f6b94479e7fe731405d68d6c810056309394b3cf57a56969de0277b8cb3e922a2"
        ),
        (
            "scrypt (Werkzeug)",
            "scrypt:1024:8:1$X9dLs04HbDeoqGAw$377ceafc4c53c91a43e4c584c8bc53a84e584514b19b5ee0759030324089c2dbc3777c7c031baf36f40935cecf06ccdea0d8742cd62f48f0be9ee5473c777968"
        ),
    ]

    @Test(arguments: hashes)
    func `is compared, and asks for a new hash`(kind: String, text: String) throws {
        let hash = PasswordHash(stored: text)
        #expect(hash.imported != nil)
        #expect(try hash.matches(Array(Self.password.utf8)))
        #expect(try !hash.matches(Array("correct horse".utf8)))
        #expect(try !hash.matches([]))
        #expect(try !hash.matches(Array((Self.password + "x").utf8)))
        #expect(hash.isWeaker(than: PasswordEffort(memory: 19_456, passes: 2)))
    }

    @Test func `is compared with what the person typed, also where the service prepares it in another way`() throws {
        // bcrypt of "café" with a combining accent.
        let hash = PasswordHash(stored: "$2b$04$CEb6C4zbgBr5Y/IoRHJ2M.ChfJwDTSragZsFBQ2nXRDXSNpbfLq0u")
        let (prepared, typed) = (Array("caf\u{e9}".utf8), Array("cafe\u{301}".utf8))
        #expect(try !hash.matches(prepared))
        #expect(try hash.matches(prepared, typed: typed))
    }

    @Test func `does not end at a zero`() throws {
        let hash = PasswordHash(stored: Self.hashes[0].1)
        #expect(try !hash.matches(Array((Self.password + "\0").utf8)))
        #expect(try !hash.matches(Array((Self.password + "\0more").utf8)))
    }

    @Test func `is compared beside every other hash once the service has seen one, so that times tell nothing`()
        async throws
    {
        let effort = PasswordEffort(memory: 19_456, passes: 2)
        let passwords = Passwords(
            effort,
            queue: PasswordQueue(),
            names: [],
            minimumLength: 15,
            breached: nil,
            effects: .live
        )
        let own = try PasswordHash(of: Array("a password".utf8), effort: effort)
        let imported = PasswordHash(stored: Self.hashes[0].1)
        #expect(passwords.otherComparison(besides: own, fits: false) == nil)
        // A wrong password of an imported account costs an own hash too; the right one gets a new hash.
        let decoy = try #require(passwords.otherComparison(besides: imported, fits: false))
        #expect(decoy.imported == nil && !decoy.isWeaker(than: effort))
        #expect(passwords.otherComparison(besides: imported, fits: true) == nil)
        // From now on a name that nobody has, and an account with an own hash, cost an imported hash too.
        for fits in [true, false] {
            #expect(passwords.otherComparison(besides: own, fits: fits)?.text == imported.text)
        }
        // The same holds for an own hash with another setting.
        let old = try PasswordHash(of: Array("a password".utf8), effort: PasswordEffort(memory: 19_456, passes: 3))
        #expect(passwords.otherComparison(besides: old, fits: false)?.text == decoy.text)
        #expect(passwords.otherComparison(besides: own, fits: false)?.text == old.text)
    }

    static let unusable = [
        "", "$", "$$$$", "plain text", "5f4dcc3b5aa765d61d8327deb882cf99", "$2b$04$short",
        "$2b$31$ENDzETFmbs/9Mm54JJeLheO3cev/hq7bhDtbJgvml108s9vXfy7Tu",
        "$2b$-6$ENDzETFmbs/9Mm54JJeLheO3cev/hq7bhDtbJgvml108s9vXfy7Tu", "$6$rounds=999999999$salt$hash", "$1$md5$crypt",
        "$scrypt$ln=40,r=8,p=1$H8NYq3UuJaR0rrU2RoiR0g$8RTO7bGkwVh5TqHDsJRTaX/5BZomnS2RQ3zQ7NQhZyc",
        "$scrypt$ln=20,r=4000000000,p=1$H8NYq3UuJaR0rrU2RoiR0g$8RTO7bGkwVh5TqHDsJRTaX/5BZomnS2RQ3zQ7NQhZyc",
        "scrypt:18446744073709551615:8:1$salt$377ceafc4c53c91a43e4c584c8bc53a8",
        "scrypt$1023$salt$8$5$Mojf5Sblb4vTn9xpYLbx4A==",
        "pbkdf2_sha256$99999999999$salt$52w0C8dAfZUTJDU5X/LYOGEjtQKuvrQKrdD4FM+EwHE=",
        "pbkdf2_sha256$0$salt$52w0C8dAfZUTJDU5X/LYOA==", "pbkdf2:md5:2000$salt$377ceafc4c53c91a43e4c584c8bc53a8",
        "$argon2id$v=19$m=99999999,t=2,p=4$0lYqCNEBhhveTXCYFioS8w$s6S5bziQ0lnxHUbPc1NOGEUqV+43n4Pwm+UzYX9o/HY",
        "$argon2id$v=19$m=1024,t=2,p=4$0lYqCNEBhhveTXCYFioS8w$",
        "$argon2id$v=18$m=1024,t=2,p=4$0lYqCNEBhhveTXCYFioS8w$s6S5bziQ0lnxHUbPc1NOGA", "bcrypt", "bcrypt$",
        "$2b$06$ENDzETFmbs/9Mm54JJeLheO3cev/hq7bhDtbJgvml108s9vXfy7T!", "bcrypt_sha256$$", "argon2$",
        "$pbkdf2-sha256$2000$$",
        "$2b$06$ENDzETFmbs/9Mm54JJeLheO3cev/hq7bhDtbJgvml108s9vXfy7Té",
    ]

    @Test(arguments: unusable)
    func `is unknown if its form is, or if it costs too much`(text: String) {
        #expect(ImportedPasswordHash(text) == nil)
        #expect(throws: APIError.self) { try PasswordHash(stored: text).matches([1]) }
    }

    @Test func `is bounded also in the form that the service itself writes`() {
        let rest = "$0lYqCNEBhhveTXCYFioS8w$s6S5bziQ0lnxHUbPc1NOGEUqV+43n4Pwm+UzYX9o/HY"
        #expect(PasswordHash.isKnown("$argon2id$v=19$m=65536,t=3,p=1" + rest))
        #expect(!PasswordHash.isKnown("$argon2id$v=19$m=99999999,t=2,p=1" + rest))
    }

    @Test func `that is damaged keeps nobody else out`() async throws {
        let effort = PasswordEffort(memory: 19_456, passes: 2)
        let passwords = Passwords(
            effort,
            queue: PasswordQueue(),
            names: [],
            minimumLength: 15,
            breached: nil,
            effects: .live
        )
        func verify(_ hash: String) async throws -> Bool {
            let record = PasswordRecord(accountID: .random(using: Effects.live.randomBytes), hash: hash, chosenAt: 1)
            return try await passwords.verify(
                Self.password,
                against: record,
                for: .address(ClientAddress(packed: [192, 0, 2, 1]))
            ) {} != nil
        }
        // The salt has a sign that the library refuses.
        let damaged = PasswordHash(stored: "$6$rounds=1000$" + String(repeating: "a", count: 16) + ":$x")
        _ = passwords.otherComparison(besides: damaged, fits: false)
        await #expect(throws: APIError.self) { try await verify(damaged.text) }
        #expect(try await verify(PasswordHash(of: Array(Self.password.utf8), effort: effort).text))
        #expect(try await verify(Self.hashes[0].1))
    }

    @Test func `ten thousand changed texts bring nothing down`() {
        var state: UInt64 = 7
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, bound)
        }
        for index in 0..<10_000 {
            var bytes = Array(Self.hashes[index % Self.hashes.count].1.utf8)
            for _ in 0...next(3) where !bytes.isEmpty {
                let place = next(bytes.count)
                switch next(3) {
                case 0: bytes[place] = UInt8(0x20 + next(0x60))
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + next(9))], at: place)
                }
            }
            _ = ImportedPasswordHash(String(decoding: bytes, as: UTF8.self))
        }
    }
}
