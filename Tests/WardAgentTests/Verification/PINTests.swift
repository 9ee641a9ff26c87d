import Testing
@testable import WardAgent
import WardAgentClient
import WardVault
import WardWebAuthn

@Suite struct `A PIN` {
    @Test(arguments: ["2580", "0001", "1233", "13579", "918273645500"])
    func `is digits`(text: String) throws {
        #expect(try PIN(new: text.utf8).digits == Array(text.utf8))
    }

    @Test(
        arguments: [
            "", "258", "25a0", "25 80", "٢٥٨٠", "1234", "4321", "0000", "23456789", "987654321",
            String(repeating: "25", count: 17),
        ]
    )
    func `that is short, no number, or the first that anybody tries is refused`(text: String) {
        #expect(throws: AgentError(.invalidValue, "")) { try PIN(new: text.utf8) }
    }

    @Test func `is told from others, also after it was kept`() throws {
        let verifier = try PINVerifier(PIN(new: "2580".utf8), .live)
        let kept = try #require(PINVerifier(bytes: verifier.bytes))
        #expect(try kept.isRight(Array("2580".utf8)))
        for wrong in ["2581", "258", "25800", "", String(repeating: "2", count: 5000)] {
            #expect(try !kept.isRight(Array(wrong.utf8)), "\(wrong.count) digits")
        }
    }

    @Test(arguments: [0, 15, 17]) func `is not kept without enough randomness`(count: Int) throws {
        let effects = Effects(now: { 0 }, randomBytes: { _ in [UInt8](repeating: 7, count: count) })
        let pin = try PIN(new: "2580".utf8)
        #expect(throws: VaultError(.unavailable, "")) { try PINVerifier(pin, effects) }
    }

    @Test func `is not in what is kept, and two of the same differ`() throws {
        let pin = try PIN(new: "2580".utf8)
        let (one, other) = (try PINVerifier(pin, .live), try PINVerifier(pin, .live))
        #expect(one.bytes != other.bytes && one.bytes.count == 48)
        #expect(PINVerifier(bytes: Array(one.bytes.dropLast())) == nil)
    }
}
