import Testing
import WardVault

@Suite struct `Password rules` {
    private func rules(_ text: String) throws -> PasswordRules { try PasswordRules(text) }

    @Test func `are read with sets, lengths and letters of both cases`() throws {
        let read = try rules(
            "minlength: 8; MaxLength:20 ; required: lower, [-+]; Required:UPPER; allowed: digit; max-consecutive: 2"
        )
        #expect(read.minimumLength == 8)
        #expect(read.maximumLength == 20)
        #expect(read.maximumConsecutive == 2)
        #expect(read.required == [PasswordCharacters.lower.union(PasswordCharacters("-+")), .upper])
        #expect(read.allowedBesides == .digit)
        #expect(read.allowed.count == 26 + 26 + 10 + 2)
    }

    @Test func `take the strictest of several lengths, and a required set once`() throws {
        let read = try rules(
            "minlength: 8; minlength: 6; maxlength: 20; maxlength: 30; max-consecutive: 3; max-consecutive: 4; required: digit; required: digit"
        )
        #expect((read.minimumLength, read.maximumLength, read.maximumConsecutive) == (8, 20, 3))
        #expect(read.required == [.digit])
    }

    @Test(arguments: [
        ("[abc]", "abc"), ("[-abc]", "-abc"), ("[a-c]", "ac"), ("[ab]]", "ab]"), ("[]]", "]"), ("[a[b]", "a[b"),
        ("[:;,]", ":;,"),
        ("[§a]", "a"), ("[ a]", " a"), ("[\"'\\/]", "\"'\\/"),
    ])
    func `in brackets are the characters themselves`(text: String, characters: String) throws {
        #expect(try rules("allowed: \(text)").allowedBesides == PasswordCharacters(characters))
        #expect(try rules("allowed: \(text), digit; minlength: 9").minimumLength == 9)
    }

    @Test func `without any set permit every printable character`() throws {
        #expect(try rules("minlength: 5").allowed == .asciiPrintable)
        #expect(try rules("").allowed.count == 95)
        #expect(try rules("required: digit").allowed == .digit)
        #expect(try rules("allowed: unicode").allowed == .asciiPrintable)
    }

    @Test(arguments: [
        ("size: 3", PasswordRulesFault.unknownProperty("size")), ("minlength", .noValue(property: "minlength")),
        ("minlength: ", .noNumber(property: "minlength")), ("minlength: 0", .noNumber(property: "minlength")),
        ("minlength: -4", .noNumber(property: "minlength")), ("minlength: 10000", .noNumber(property: "minlength")),
        ("minlength: 99999999999999999999", .noNumber(property: "minlength")),
        ("maxlength: 4 5", .noNumber(property: "maxlength")), ("required: letters", .unknownCharacters("letters")),
        ("required:", .noValue(property: "required")), ("allowed: digit,", .noValue(property: "allowed")),
        ("allowed: [abc", .unclosedCharacters), ("allowed: []", .emptyCharacters), ("allowed: [é]", .emptyCharacters),
        ("allowed: [a]b", .unknownCharacters("b")), (String(repeating: " ", count: 4097), .tooLong),
    ])
    func `without a meaning are refused from a person, and left out from a site`(
        text: String,
        fault: PasswordRulesFault
    ) throws {
        #expect(throws: fault) { try PasswordRules(text) }
        #expect(PasswordRules.reading(text).faults == [fault])
        guard text.utf8.count < 100 else { return }
        // The next rule counts all the same, unless a bracket swallowed it.
        let (read, _) = PasswordRules.reading(text + "; required: digit")
        #expect(read.required == [.digit] || fault == .unclosedCharacters)
    }

    @Test func `keep the sets that are known when one is not`() {
        let (read, faults) = PasswordRules.reading("required: letters, digit")
        #expect(read.required == [.digit])
        #expect(faults == [.unknownCharacters("letters")])
    }

    @Test(arguments: [
        ("abc1", true), ("abc", false), ("abcdefg1", false), ("ab 1", false), ("aab1", true), ("aaab1", false),
        ("äbc1", false), ("", false),
    ])
    func `say whether a password keeps them`(password: String, isKept: Bool) throws {
        #expect(
            try rules("minlength: 3; maxlength: 7; required: digit; allowed: lower; max-consecutive: 2").accept(
                password
            ) == isKept
        )
    }

    @Test func `are read with any byte changed or cut, and the password that follows keeps what was read`() {
        let text = Array(
            "minlength: 8; maxlength: 12; required: lower, [-&]]; allowed: digit,special; max-consecutive: 2;".utf8
        )
        var spoiled = text.indices.map { Array(text[..<$0]) }
        for index in text.indices {
            for value in [UInt8(0), 0x20, 0x3a, 0x3b, 0x5b, 0x5d, 0x80, 0xff] {
                var copy = text
                copy[index] = value
                spoiled.append(copy)
            }
        }
        for bytes in spoiled {
            let rules = PasswordRules.reading(String(decoding: bytes, as: UTF8.self)).rules
            guard let made = try? RandomPassword.make(rules) else { continue }
            #expect(rules.accept(made.text))
        }
    }
}

@Suite struct `A password for rules` {
    @Test func `is readable where the rules permit it`() throws {
        for text in [
            "", "minlength: 8; required: lower; required: upper; required: digit; allowed: [-]",
            "required: special, digit; allowed: lower, upper",
        ] {
            let made = try RandomPassword.make(try PasswordRules(text))
            #expect(made.text.utf8.count == 20)
            #expect(made.text.split(separator: "-").map(\.count) == [6, 6, 6])
            #expect(made.bits > 70 && made.bits < 72)
        }
    }

    @Test func `that is readable has one digit at an edge, one capital, and syllables`() {
        for _ in 0..<500 {
            let password = ReadablePassword.make()
            #expect(password.filter(\.isNumber).count == 1)
            #expect(password.filter(\.isUppercase).count == 1)
            for group in password.split(separator: "-") {
                let isVowel = group.lowercased().map { "aeiouy".contains($0) }
                #expect(isVowel == [false, true, false, false, true, false])
            }
            #expect(!password.contains { "lIO01".contains($0) })
        }
    }

    @Test(arguments: [
        "maxlength: 4", "minlength: 40; required: [!]; required: digit; allowed: lower",
        "allowed: digit; minlength: 6; maxlength: 6; max-consecutive: 1",
        "required: [O]; required: [0]; maxlength: 8", "allowed: [ab]; max-consecutive: 1; minlength: 100",
        "minlength: 128", "allowed: [ ]; maxlength: 3",
        "required: upper; required: lower; required: digit; required: [!]; maxlength: 4",
    ])
    func `keeps them`(text: String) throws {
        let rules = try PasswordRules(text)
        for _ in 0..<100 { #expect(rules.accept(try RandomPassword.make(rules).text)) }
    }

    @Test(arguments: [
        "minlength: 9; maxlength: 8", "minlength: 129", "allowed: [a]; max-consecutive: 2",
        "required: upper; required: digit; maxlength: 1",
        "required: [a]; allowed: [a]; max-consecutive: 1; minlength: 2",
    ])
    func `is not made where no password keeps them`(text: String) throws {
        let rules = try PasswordRules(text)
        #expect(throws: ContradictoryRules.self) { try RandomPassword.make(rules) }
    }

    @Test func `has the wanted length, if the rules permit it`() throws {
        let rules = try PasswordRules("minlength: 8; maxlength: 30")
        #expect(try RandomPassword.make(rules, length: 20).text.utf8.count == 20)
        #expect(try RandomPassword.make(rules, length: 30).text.utf8.count == 30)
        for length in [7, 31, 0, -1] {
            #expect(throws: ContradictoryRules.self) { try RandomPassword.make(rules, length: length) }
        }
    }

    @Test func `has no characters that look alike, and no space, unless the rules leave no others`() throws {
        let rules = try PasswordRules("required: upper; required: digit; allowed: lower, [ !]; minlength: 100")
        for _ in 0..<20 { #expect(!(try RandomPassword.make(rules).text.contains { "0O1lIo ".contains($0) })) }
        #expect(Set(try RandomPassword.make(try PasswordRules("allowed: [0O]; minlength: 60")).text) == ["0", "O"])
    }
}
