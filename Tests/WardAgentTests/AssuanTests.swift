import Testing
import WardAgentClient

@testable import WardAgent

@Suite struct `Assuan, in which pinentry speaks` {
    @Test(arguments: [
        ("plain", "plain"), ("100 %", "100 %25"), ("two\nlines", "two%0Alines"), ("bell\u{7}", "bell%20"),
        ("日本", "日本"), ("a%0Ab", "a%250Ab"),
    ])
    func `text travels in one line and comes back`(text: String, line: String) {
        #expect(AssuanText.escape(text) == line)
        #expect(!AssuanText.escape(text).contains("\n"))
    }

    @Test func `what does not fit is cut at a character, and an escape is never torn`() {
        let long = String(repeating: "%", count: 1000)
        let line = AssuanText.escape(long, room: 100)
        #expect(line.utf8.count <= 103)
        #expect(line.filter { $0 != "…" }.count % 3 == 0)
        #expect(AssuanText.escape(String(repeating: "語", count: 10), room: 10).utf8.count <= 12)
    }

    @Test(arguments: [("%41%25", "A%"), ("%e6%97%a5", "日"), ("", "")])
    func `data is taken with its escapes`(line: String, text: String) {
        let bytes = Array(line.utf8)
        #expect(AssuanText.unescape(bytes[...]) == Array(text.utf8))
    }

    @Test(arguments: ["%", "%4", "%4g", "abc%"]) func `a torn escape is refused`(line: String) {
        let bytes = Array(line.utf8)
        #expect(AssuanText.unescape(bytes[...]) == nil)
    }

    @Test func `data comes before its OK, status lines and comments say nothing`() throws {
        var parser = AssuanParser()
        #expect(try parser.take(Array("# hello".utf8)) == nil)
        #expect(try parser.take(Array("S PIN_REPEATED".utf8)) == nil)
        #expect(try parser.take(Array("D pass".utf8)) == nil)
        #expect(try parser.take(Array("D %20word".utf8)) == nil)
        #expect(try parser.take(Array("OK".utf8)) == .ok(Array("pass word".utf8)))
        #expect(try parser.take(Array("OK".utf8)) == .ok([]))
    }

    @Test(arguments: [
        ("ERR 83886179 Operation cancelled <Pinentry>", AssuanReply.cancelled),
        ("ERR 83886194 Not confirmed <Pinentry>", AssuanReply.notConfirmed),
        ("ERR 83886142 Timeout <Pinentry>", AssuanReply.timedOut), ("ERR 99 without a source", 99),
    ])
    func `errors are told apart by their number alone`(line: String, number: UInt32) throws {
        var parser = AssuanParser()
        #expect(try parser.take(Array(line.utf8)) == .error(number))
    }

    @Test(arguments: ["hello", "ERR", "ERR x", "ERR 99999999999999999999", "D %", "ok", "\u{0}"])
    func `what is not Assuan is refused`(line: String) {
        var parser = AssuanParser()
        #expect(throws: AgentError(.promptFailed, "")) { try parser.take(Array(line.utf8)) }
    }

    @Test func `data without end is refused`() {
        var parser = AssuanParser()
        let line = Array(("D " + String(repeating: "x", count: 900)).utf8)
        #expect(throws: AgentError(.promptFailed, "")) {
            for _ in 0..<20 { _ = try parser.take(line) }
        }
    }

    @Test func `no bytes make the parser trap`() {
        var random = SystemRandomNumberGenerator()
        let heads = ["OK", "D ", "ERR ", "S ", "#", ""]
        for _ in 0..<20_000 {
            var parser = AssuanParser()
            let rest = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            let head = heads[Int.random(in: 0..<heads.count, using: &random)]
            _ = try? parser.take(Array(head.utf8) + rest)
        }
    }
}
