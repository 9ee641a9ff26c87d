import Testing
import WardAccounts

/// RFC 8265, section 4: OpaqueString; NIST SP 800-63B, section 5.1.1.2: lengths.
@Suite struct `Passwords as they are typed` {
    @Test(arguments: [
        // RFC 8265, section 4.3, table 3: what is allowed, with nothing trimmed and no case changed.
        ("correct horse battery staple", "correct horse battery staple"),
        ("Correct Horse Battery Staple", "Correct Horse Battery Staple"),
        ("πßå and so on", "πßå and so on"),
        ("Jack of ♦s", "Jack of ♦s"),
        ("foo\u{1680}bar baz", "foo bar baz"),
        // Spaces of other widths, compositions, and what NFKC would have changed.
        (" \u{3000}a\u{a0}b\u{202f}cdefg ", "  a b cdefg "),
        ("cafe\u{301} au lait", "caf\u{e9} au lait"),
        ("\u{212b}ngstro\u{308}m", "\u{c5}ngstr\u{f6}m"),
        ("ﬁve ½ Ⅷ ｗｉｄｅ", "ﬁve ½ Ⅷ ｗｉｄｅ"),
        ("パスワードですよ", "パスワードですよ"),
        ("비밀번호입니다요", "비밀번호입니다요"),
        ("🐎🔋 four words", "🐎🔋 four words"),
        ("क\u{94d}\u{200d}ष is one letter", "क\u{94d}\u{200d}ष is one letter"),
        ("        ", "        "),
    ])
    func `come out as RFC 8265 says`(typed: String, prepared: String) throws {
        #expect(try AccountPassword(new: typed).bytes == Array(prepared.utf8))
        #expect(AccountPassword(entered: typed)?.bytes == Array(prepared.utf8))
    }

    @Test(arguments: [
        // RFC 8265, section 4.3, table 4.
        "my cat is a \u{9}by", "nul \u{0} inside", "delete \u{7f} it", "line\u{2028}separator", "soft\u{ad}hyphen",
        "zero\u{200b}width", "joiner\u{200d}alone", "override \u{202e}this", "private \u{e000} use",
        "unassigned \u{378}", "heart \u{2764}\u{fe0f}", "old \u{1100} Hangul", "kashida \u{640}",
        "middle \u{b7} dot",
    ])
    func `with characters that are not seen or not sure to come again are refused`(typed: String) {
        #expect(AccountPassword(entered: typed) == nil)
        #expect(code(typed) == .characterNotAllowed)
    }

    private func code(_ typed: String) -> PasswordError.Code? {
        do {
            _ = try AccountPassword(new: typed)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `have eight characters at least, and no rule about which`() {
        #expect(code("") == .tooShort)
        #expect(code("1234567") == .tooShort)
        #expect(code("12345678") == nil)
        #expect(code("🐎🐎🐎🐎🐎🐎🐎") == .tooShort)
        #expect(code("🐎🐎🐎🐎🐎🐎🐎🐎") == nil)
        #expect(code("e\u{301}e\u{301}e\u{301}e\u{301}") == .tooShort, "counted as they are compared")
        #expect(AccountPassword(entered: "short") != nil, "a rule that was made later keeps nobody out")
        #expect(AccountPassword(entered: "") == nil)
    }

    @Test func `have 64 characters of any kind, and 1024 bytes at most, whatever NFC makes of them`() {
        #expect(code(String(repeating: "𠮷", count: 256)) == nil)
        #expect(code(String(repeating: "a", count: 1024)) == nil)
        #expect(code(String(repeating: "a", count: 1025)) == .tooLong)
        // U+1D160, 4 bytes, is 12 bytes in NFC.
        #expect(code(String(repeating: "\u{1d160}", count: 85)) == nil)
        #expect(code(String(repeating: "\u{1d160}", count: 86)) == .tooLong)
        #expect(code(String(repeating: "x", count: 5_000_000)) == .tooLong)
    }

    @Test func `show neither themselves nor their hash`() throws {
        let password = try AccountPassword(new: "correct horse")
        let record = PasswordRecord(
            accountID: .random { [UInt8](repeating: 0, count: $0) },
            hash: "$argon2id$secret",
            chosenAt: 0
        )
        var dumped = ""
        dump(password, to: &dumped)
        dump(record, to: &dumped)
        let shown = dumped + "\(password) \(record) \(String(reflecting: password)) \(String(reflecting: record))"
        #expect(!shown.contains("correct") && !shown.contains("99, 111") && !shown.contains("argon2id"))
    }
}
