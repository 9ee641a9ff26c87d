import Foundation
import Testing

@testable import WardAgentClient

@Suite struct `Long lists on the wire` {
    private typealias Outcome = Envelope.Outcome<ListItems.Result>

    private static let texts = [
        "", "Example", "Zoë’s 🐈‍⬛ «账户»", "a \"quote\" and a \\ backslash", "https://example.com/a/b?c=d&e", "\u{2028}",
        "tab\tline\nreturn\rnull\u{0}bell\u{7}escape\u{1b}delete\u{7f}", "]},{\"codes\":1", "\u{feff}e\u{301}",
    ]

    private static func record(_ text: String) -> SummaryRecord {
        SummaryRecord(
            id: "01hzy" + text,
            kind: text,
            title: text,
            username: text,
            sites: [text, "https://example.com", text],
            tags: text.isEmpty ? [] : [text],
            isFavorite: text.isEmpty,
            conflicts: text.isEmpty ? nil : text.count,
            hasPassword: !text.isEmpty,
            codes: text.count,
            passkeys: Int.max - text.count,
            modifiedAt: Int64.max,
            deletedAt: text.isEmpty ? nil : -1_700_000_000
        )
    }

    @Test(arguments: [[]] + texts.map { [$0] } + [texts])
    func `are the same JSON as any other answer`(texts: [String]) throws {
        let records = texts.map { Self.record($0) }
        let result = ListItems.Result(items: records)
        let ours = try Envelope.encode(answer: .number(7), result)
        let theirs = try Envelope.encode(Envelope.Answer(id: .number(7), result: result))
        for line in [ours, theirs] {
            let quick = try Envelope.outcome(ListItems.Result.self, from: line)
            let slow = try Envelope.decode(Outcome.self, from: line)
            for outcome in [quick, slow] {
                #expect(outcome.id == 7)
                #expect(outcome.error == nil)
                #expect(outcome.result?.items == records)
            }
        }
        #expect(!ours.contains(0x0a))
    }

    @Test func `are read without the other coder's help`() throws {
        let result = ListItems.Result(items: Self.texts.map { Self.record($0) })
        var writer = BulkWriter()
        result.write(to: &writer)
        var reader = BulkReader()
        let read = ListItems.Result(&reader, writer.bytes.span)
        #expect(read?.items == result.items)
        #expect(reader.offset == writer.bytes.count)
    }

    @Test func `are refused when cut off or altered, as any other answer is`() throws {
        let line = try Envelope.encode(answer: .number(1), ListItems.Result(items: Self.texts.map { Self.record($0) }))
        for count in 0..<line.count {
            #expect(throws: (any Error).self) {
                try Envelope.outcome(ListItems.Result.self, from: Array(line.prefix(count)))
            }
        }
        for index in line.indices {
            var altered = line
            altered[index] ^= 0x80
            let quick = try? Envelope.outcome(ListItems.Result.self, from: altered)
            let slow = try? Envelope.decode(Outcome.self, from: altered)
            #expect(quick?.result?.items == slow?.result?.items)
        }
    }

    @Test func `give way to a refusal, and to JSON in another order`() throws {
        let refusal = try Envelope.encode(Envelope.Refusal(id: .number(3), AgentError(.locked, "the vault is locked")))
        let outcome = try Envelope.outcome(ListItems.Result.self, from: refusal)
        #expect(outcome.error?.data?.code == "locked")
        #expect(outcome.result == nil)
        let other = Array(#"{ "result": {"items": []}, "later": 1, "id": 3, "jsonrpc": "2.0" }"#.utf8)
        #expect(try Envelope.outcome(ListItems.Result.self, from: other).result?.items == [])
    }
}
