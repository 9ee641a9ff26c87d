import Testing
import WardServer

@Suite struct `The header Retry-After` {
    @Test(
        arguments: [
            ("0", 0), ("120", 120), ("99999999999999999999", Int64.max), ("Sun, 06 Nov 1994 08:49:37 GMT", 60),
            ("Sun, 06 Nov 1994 08:48:37 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 252_618_189_082),
        ] as [(String, Int64)]
    )
    func `is a number of seconds, or a time`(text: String, seconds: Int64) {
        #expect(RetryAfter.seconds(text, at: 784_111_717) == seconds)
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1 ", "soon", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "\u{0661}",
    ])
    func `is nothing else`(text: String) {
        #expect(RetryAfter.seconds(text, at: 784_111_717) == nil)
    }

    @Test func `is read at every time of the clock`() {
        for now in [Int64.min, -1, .max] { _ = RetryAfter.seconds("Sun, 06 Nov 1994 08:49:37 GMT", at: now) }
    }
}
