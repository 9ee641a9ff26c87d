import Testing
import WardAccounts

@Suite struct `Telephone numbers` {
    @Test(arguments: [
        ("+49 30 1234567", "+49301234567"), ("+49(30)1234567", "+49301234567"), ("+1-212-555-0100", "+12125550100"),
        (" +81 90.1234/5678 ", "+819012345678"), ("+1234567", "+1234567"), ("+123456789012345", "+123456789012345"),
        ("+49\u{A0}30\u{2011}1234567", "+49301234567"),
    ])
    func `what people write between the digits does not count`(typed: String, number: String) throws {
        #expect(try PhoneNumber(typed).text == number)
    }

    @Test(arguments: ["", "  ", "030 1234567", "0049301234567", "49301234567", "()-"])
    func `a number without its country is refused`(typed: String) {
        #expect(throws: PhoneNumberError.noCountry) { try PhoneNumber(typed) }
    }

    @Test(arguments: [
        "+", "+123456", "+1234567890123456", "+0301234567", "+49+301234567", "+49 (0)30 1234567", "+49 30 12345x",
        "+49301234567;ext=1", "tel:+49301234567", "+４９３０１２３４５６７", "+49301234567\n+1", "+4930123\u{0}4567",
        "+49301234567" + String(repeating: " ", count: 60),
    ])
    func `anything else is refused`(typed: String) {
        #expect(throws: PhoneNumberError.malformed) { try PhoneNumber(typed) }
    }

    @Test func `a description hides the digits that reach a person`() throws {
        let number = try PhoneNumber("+49301234567")
        #expect("\(number)" == "+49•••67" && number.masked == "+49•••67")
    }

    @Test func `an address of a message is read as it was stored, and knows its way`() throws {
        for text in ["+49301234567", "+49301234567@example.com"] {
            let address = try #require(MessageAddress(stored: text))
            #expect(address.text == text)
            #expect(address.channel == (text.contains("@") ? .mail : .text))
        }
        #expect(MessageAddress(stored: "ada") == nil)
    }
}
