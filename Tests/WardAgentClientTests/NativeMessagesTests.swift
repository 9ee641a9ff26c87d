import Foundation
import Testing
import WardAgentClient

@Suite struct `Native messaging` {
    private func framed(_ text: String) -> [UInt8] { NativeMessages.frames(Array(text.utf8), id: nil) }

    private static func head(_ length: UInt32) -> [UInt8] {
        unsafe withUnsafeBytes(of: length) { unsafe Array($0) }
    }

    @Test func `messages are read in pieces of every length`() {
        let all = framed("{}") + framed("") + framed(#"{"a":1}"#)
        for length in 1...all.count {
            var reader = NativeMessageReader()
            var found: [NativeMessageReader.Event] = []
            for start in stride(from: 0, to: all.count, by: length) {
                found += reader.read(all[start..<min(start + length, all.count)])
            }
            #expect(found == [.message(Array("{}".utf8)), .message([]), .message(Array(#"{"a":1}"#.utf8))])
        }
    }

    @Test func `a message that is too long is skipped, and the next one is read`() {
        var reader = NativeMessageReader()
        let long = [UInt8](repeating: 0x20, count: NativeMessageReader.maximumLength)
        #expect(reader.read(NativeMessages.frames([0x20], id: nil)) == [.message([0x20])])
        let head = Self.head(UInt32(NativeMessageReader.maximumLength + 1))
        #expect(reader.read(head + long) == [])
        #expect(reader.read([0x20] + framed("{}")) == [.tooLong, .message(Array("{}".utf8))])
        #expect(reader.read(Self.head(.max) + long) == [])
    }

    @Test func `a long answer comes in pieces below the browser's limit, cut between characters`() throws {
        for character in ["a", "é", "鍵", "🔑", "\\\\", "\\\""] {
            let count = 700_000 / character.utf8.count
            let answer = Array("{\"x\":\"\(String(repeating: character, count: count))\"}".utf8)
            var reader = Pieces(NativeMessages.frames(answer, id: .number(7)))
            var text = ""
            var index = 0
            while let message = reader.next() {
                #expect(message.count < 1 << 20)
                let piece = try #require(
                    try JSONSerialization.jsonObject(with: Data(message)) as? [String: [String: Any]]
                )
                let chunk = try #require(piece["chunk"])
                #expect(chunk["id"] as? Int == 7 && chunk["index"] as? Int == index)
                text += try #require(chunk["text"] as? String)
                index += 1
                if index == chunk["count"] as? Int { break }
            }
            #expect(text.utf8.elementsEqual(answer) && index > 1 && reader.next() == nil)
        }
        let short = [UInt8](repeating: 0x20, count: NativeMessages.maximumAnswer)
        #expect(NativeMessages.frames(short, id: .number(1)).count == short.count + 4)
    }

    /// The messages of a byte sequence, of any length.
    private struct Pieces {
        var bytes: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

        mutating func next() -> [UInt8]? {
            guard bytes.count >= 4 else { return nil }
            let length = Int(
                bytes.prefix(4).enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (8 * $1.offset) }
            )
            defer { bytes = bytes.dropFirst(4 + length) }
            return Array(bytes.dropFirst(4).prefix(length))
        }
    }

    @Test func `only requests for browsers on one line are passed on`() throws {
        let good = #"{"jsonrpc":"2.0","id":7,"method":"browser.state","params":{}}"#
        let message = try BrowserMessage(Array(good.utf8))
        #expect(message.id == .number(7) && message.method == "browser.state" && message.line == Array(good.utf8))
        #expect(throws: Never.self) { try BrowserMessage(Array(good.replacing("7", with: "\"a\"").utf8)) }
        for (old, new, code) in [
            ("2.0", "1.0", AgentError.Code.invalidRequest), ("7", "null", .invalidRequest),
            ("7", "1.5", .invalidRequest),
            (",", ",\n", .invalidRequest), (",", ",\r", .invalidRequest), ("{", " {", .invalidRequest),
            ("7", "\"\(String(repeating: "x", count: 65))\"", .invalidRequest), ("}}", "}", .invalidRequest),
            ("browser.state", "browsers.list", .unknownMethod), ("browser.state", "status", .unknownMethod),
            ("browser.state", "hello", .unknownMethod),
        ] {
            let text = good.replacing(old, with: new, maxReplacements: 1)
            let error = #expect(throws: BrowserMessage.Refusal.self) { try BrowserMessage(Array(text.utf8)) }
            #expect(error?.error.code == code, "\(text)")
            #expect(error?.id == (code == .unknownMethod ? .number(7) : nil))
        }
        for bytes in [[], [0x7b], [0xff], Array("[]".utf8), [UInt8](repeating: 0x7b, count: 100_000)] {
            #expect(throws: BrowserMessage.Refusal.self) { try BrowserMessage(bytes) }
        }
    }

    @Test func `the extension's ID comes from the browser's arguments`() {
        let id = String(repeating: "a", count: 32)
        #expect(ExtensionID.given(by: ["chrome-extension://\(id)/"]) == id)
        #expect(ExtensionID.given(by: ["chrome-extension://\(id)/", "--parent-window=0"]) == id)
        #expect(ExtensionID.given(by: ["/usr/lib/x.json", "browser@ward.example"]) == "browser@ward.example")
        let wrong = [
            [], ["chrome-extension://\(id)"], ["chrome-extension:///"], ["https://\(id)/"], ["/x.json"], ["x", id],
            ["/x.json", "a b"], ["/x.json", ""], ["/x.json", String(repeating: "a", count: 81)],
            ["chrome-extension://a/b/"],
        ]
        for arguments in wrong { #expect(ExtensionID.given(by: arguments) == nil, "\(arguments)") }
    }
}
