import Testing
import WardServer

@Suite struct `The date of an answer` {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (4_133_980_799, "Fri, 31 Dec 2100 23:59:59 GMT"),
    ])
    func `is the one of the time`(now: Int64, text: String) {
        let date = HTTPDate()
        for _ in 0..<2 { #expect(date.text(at: now) == text) }
        #expect(date.text(at: now + 1) != text)
    }
}
