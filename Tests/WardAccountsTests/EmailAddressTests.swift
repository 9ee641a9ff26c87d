import Testing
import WardAccounts

@Suite struct `E-mail addresses` {
    @Test(arguments: [
        "ada@example.com", "a.b+c@mail.example.com", "!#$%&'*+/=?^_`{|}~-@example.com", "1@2.example",
        "ada@xn--mnchen-3ya.de",
        String(repeating: "x", count: 64) + "@example.com",
    ])
    func `an address stays as it is`(text: String) throws {
        #expect(try EmailAddress(text).text == text)
    }

    @Test func `spaces around it and capitals of the domain do not count`() throws {
        #expect(try EmailAddress("  Ada@EXAMPLE.Com ").text == "Ada@example.com")
        #expect(try EmailAddress("Ada@EXAMPLE.Com").domain == "example.com")
    }

    static let malformed = [
        "", "ada", "@", "ada@", "@example.com", "ada@example", "ada@@example.com", "ada@b@example.com",
        "a da@example.com",
        "ada@exam ple.com", ".ada@example.com", "ada.@example.com", "a..da@example.com", "ada@.example.com",
        "ada@example..com", "ada@example.com.", "ada@-example.com", "ada@example-.com", "ada@[127.0.0.1]",
        "\"ada\"@example.com",
        "Ada <ada@example.com>", "ada@example.com,eve@example.com", "ada@exa_mple.com",
        "ada@example.com\r\nBcc: eve@example.com",
        "ada\n@example.com", "ada@example.com\u{0}", "ada@example.com\u{7F}", "ada@example.com>", "ada@example.com\t",
    ]

    @Test(arguments: malformed)
    func `anything else is refused`(text: String) {
        #expect(throws: EmailAddressError.malformed) { try EmailAddress(text) }
    }

    @Test func `lengths are bounded`() throws {
        let label = String(repeating: "a", count: 63)
        let longest = "ada@" + [label, label, label, String(repeating: "b", count: 58)].joined(separator: ".")
        #expect(longest.utf8.count == 254)
        #expect(try EmailAddress(longest).text == longest)
        #expect(throws: EmailAddressError.tooLong) { try EmailAddress("x" + longest) }
        #expect(throws: EmailAddressError.tooLong) {
            try EmailAddress(String(repeating: "x", count: 65) + "@example.com")
        }
        #expect(throws: EmailAddressError.malformed) { try EmailAddress("ada@\(label)a.com") }
    }

    @Test(arguments: ["ada@münchen.de", "ädä@example.com", "ada@example.com\u{2028}", "ada\u{202E}@example.com"])
    func `other letters are refused with a sentence of their own`(text: String) {
        #expect(throws: EmailAddressError.notASCII) { try EmailAddress(text) }
        #expect(EmailAddressError.notASCII.description.contains("xn--"))
    }

    @Test func `a new address can be confirmed for a day`() throws {
        let address = try EmailAddress("ada@example.com")
        let account = AccountID.random { [UInt8](repeating: 1, count: $0) }
        let email = AccountEmail(accountID: account, pending: .init(address, at: 1_000), language: "en")
        #expect(email.pending(at: 999) == nil, "the clock went back")
        #expect(email.pending(at: 1_000) == address && email.pending(at: 87_399) == address)
        #expect(email.pending(at: 87_400) == nil)
    }
}
