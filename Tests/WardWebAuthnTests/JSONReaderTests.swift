import Testing
import WardTesting
import WardText

@Suite struct `JSON as RFC 8259 has it` {
    static let accepted: [Case<String, JSONValue>] = [
        Case("null", .null),
        Case("true", true),
        Case("false", false),
        Case("white space around", " \t\r\n null \n", .null),
        Case("0", 0),
        Case("-0", 0),
        Case("-1", -1),
        Case("9223372036854775807", .integer(.max)),
        Case("-9223372036854775808", .integer(.min)),
        Case("9223372036854775808", .number(9_223_372_036_854_775_808)),
        Case("1.5", .number(1.5)),
        Case("-0.25", .number(-0.25)),
        Case("1e3", .number(1000)),
        Case("1E+2", .number(100)),
        Case("1e-2", .number(0.01)),
        Case("0.1e1", .number(1)),
        Case("1.0", .number(1)),
        Case("an empty string", "\"\"", ""),
        Case("\"a\"", "a"),
        Case(#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        Case(#""\u0041\u00e9\u00E9""#, "Aéé"),
        Case(#""\ud83d\ude00\uD83D\uDE00""#, "😀😀"),
        Case(#""\u0000""#, "\u{0}"),
        Case("\"é € 😀 \u{10ffff}\"", "é € 😀 \u{10ffff}"),
        Case("a DEL needs no escape", "\"\u{7f}\"", "\u{7f}"),
        Case("[]", []),
        Case("{}", [:]),
        Case("[1, \"a\" ,[null]]", [1, "a", [nil]]),
        Case("{ \"b\" : 1 , \"a\" : {\"b\":2} }", ["b": 1, "a": ["b": 2]]),
        Case("an empty name", "{\"\":1}", ["": 1]),
    ]

    @Test(arguments: accepted)
    func `what the grammar produces is read`(text: Case<String, JSONValue>) throws {
        #expect(try JSONValue(utf8(text.input)) == text.expected)
        var reader = JSONReader()
        let input = utf8(text.input)
        _ = try reader.skip(input.span)
        try reader.finish(input.span)
    }

    static let refused: [Case<String, JSONError.Code>] = [
        Case("", .truncated),
        Case(" ", .truncated),
        Case("tru", .truncated),
        Case("nul", .truncated),
        Case("falsy", .unexpectedByte),
        Case("True", .unexpectedByte),
        Case("NaN", .unexpectedByte),
        Case("-Infinity", .invalidNumber),
        Case("undefined", .unexpectedByte),
        Case("01", .invalidNumber),
        Case("-01", .invalidNumber),
        Case("-", .invalidNumber),
        Case("--1", .invalidNumber),
        Case("+1", .unexpectedByte),
        Case(".5", .unexpectedByte),
        Case("1.", .invalidNumber),
        Case("1.e3", .invalidNumber),
        Case("1e", .invalidNumber),
        Case("1e+", .invalidNumber),
        Case("1e400", .invalidNumber),
        Case("-1e400", .invalidNumber),
        Case("a number of 65 digits", String(repeating: "1", count: 65), .invalidNumber),
        Case("0x10", .trailingBytes),
        Case("1 2", .trailingBytes),
        Case("{}{}", .trailingBytes),
        Case("null,", .trailingBytes),
        Case("a zero byte behind", "{}\u{0}", .trailingBytes),
        Case("\"", .truncated),
        Case("\"a", .truncated),
        Case("\"\\", .truncated),
        Case("\"\\\"", .truncated),
        Case(#""\x41""#, .invalidEscape),
        Case(#""\'""#, .invalidEscape),
        Case(#"["\u12",""]"#, .invalidEscape),
        Case(#""\u1"#, .truncated),
        Case(#""\u00G0""#, .invalidEscape),
        Case(#""\U0041""#, .invalidEscape),
        Case("a lone high surrogate", #""\ud800""#, .invalidEscape),
        Case("a lone low surrogate", #""\udc00""#, .invalidEscape),
        Case("a high surrogate before a letter", #""\ud800\u0041""#, .invalidEscape),
        Case("a high surrogate before what only looks like an escape", #""\ud83dxude00""#, .invalidEscape),
        Case("a high surrogate before another escape", #""\ud83d\nde00""#, .invalidEscape),
        Case("two low surrogates", #""\udc00\udc00""#, .invalidEscape),
        Case("two high surrogates", #""\ud800\ud800""#, .invalidEscape),
        Case("surrogates the wrong way round", #""\udc00\ud800""#, .invalidEscape),
        Case("a high surrogate at the end", #""\ud83d\u"#, .truncated),
        Case("a line break in a string", "\"\n\"", .unexpectedByte),
        Case("a tab in a string", "\"\t\"", .unexpectedByte),
        Case("a zero byte in a string", "\"\u{0}\"", .unexpectedByte),
        Case("'a'", .unexpectedByte),
        Case("[", .truncated),
        Case("[1", .truncated),
        Case("[1,", .truncated),
        Case("[1,]", .unexpectedByte),
        Case("[,1]", .unexpectedByte),
        Case("[1 2]", .unexpectedByte),
        Case("[1}", .unexpectedByte),
        Case("]", .unexpectedByte),
        Case("{", .truncated),
        Case("{\"a\"", .truncated),
        Case("{\"a\":", .truncated),
        Case("{\"a\":1", .truncated),
        Case("{\"a\":1,}", .wrongType),
        Case("{,}", .wrongType),
        Case("{\"a\"}", .unexpectedByte),
        Case("{\"a\" 1}", .unexpectedByte),
        Case("{\"a\":1 \"b\":2}", .unexpectedByte),
        Case("{a:1}", .wrongType),
        Case("{1:2}", .wrongType),
        Case("{null:2}", .wrongType),
        Case("// a comment", .unexpectedByte),
        Case("[1/**/]", .unexpectedByte),
        Case("{\"a\":1,\"a\":1}", .duplicateMember),
        Case(#"{"a":1,"\u0061":2}"#, .duplicateMember),
        Case(#"{"\u0061":1,"b":0,"a":2}"#, .duplicateMember),
        Case(#"{"😀":1,"\ud83d\ude00":2}"#, .duplicateMember),
        Case(#"{"":1,"":2}"#, .duplicateMember),
        Case(#"[{"a":{"b":1,"b":2}}]"#, .duplicateMember),
    ]

    @Test(arguments: refused)
    func `what the grammar does not produce is refused by its rule`(text: Case<String, JSONError.Code>) {
        #expect(throws: JSONError(text.expected, at: 0)) { try JSONValue(utf8(text.input)) }
    }

    static let badUTF8: [Case<[UInt8], Void>] = [
        Case("a continuation alone", hex("80"), ()),
        Case("an overlong slash", hex("c0af"), ()),
        Case("an overlong zero", hex("c080"), ()),
        Case("overlong in three bytes", hex("e09fbf"), ()),
        Case("overlong in four bytes", hex("f08fbfbf"), ()),
        Case("a surrogate", hex("eda080"), ()),
        Case("beyond the last scalar", hex("f4908080"), ()),
        Case("a lead that never was", hex("f5808080"), ()),
        Case("two bytes of three", hex("e282"), ()),
        Case("three bytes of four", hex("f09f98"), ()),
        Case("a lead before a quote", hex("c3"), ()),
        Case("a wrong third byte", hex("e28241"), ()),
        Case("a wrong fourth byte", hex("f09f9841"), ()),
        Case("0xff", hex("ff"), ()),
    ]

    @Test(arguments: badUTF8)
    func `bytes that are no UTF-8 are refused wherever they stand`(bytes: Case<[UInt8], Void>) {
        let quoted = utf8("\"") + bytes.input + utf8("\"")
        #expect(throws: JSONError(.invalidUTF8, at: 0)) { try JSONValue(quoted) }
        #expect(throws: JSONError(.invalidUTF8, at: 0)) { try JSONValue(utf8("{") + quoted + utf8(":1}")) }
        #expect(throws: JSONError.self) { try JSONValue(utf8("\"") + bytes.input) }
        #expect(throws: JSONError(.unexpectedByte, at: 0)) { try JSONValue(bytes.input + utf8("1")) }
    }

    @Test func `a byte order mark is not part of JSON`() {
        #expect(throws: JSONError(.unexpectedByte, at: 0)) { try JSONValue(hex("efbbbf") + utf8("{}")) }
    }

    @Test func `sixteen levels are read and a seventeenth is not`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            utf8(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        _ = try JSONValue(nested(16))
        #expect(throws: JSONError(.tooDeep, at: 0)) { try JSONValue(nested(17)) }
        #expect(throws: JSONError(.tooDeep, at: 0)) { try JSONValue(utf8(String(repeating: "[", count: 60_000))) }
        let mixed = String(repeating: "{\"a\":[", count: 9) + "0" + String(repeating: "]}", count: 9)
        #expect(throws: JSONError(.tooDeep, at: 0)) { try JSONValue(utf8(mixed)) }
        // Depth is what is open, not what was.
        _ = try JSONValue(utf8("[" + Array(repeating: "[[]]", count: 40).joined(separator: ",") + "]"))
    }

    @Test func `four thousand and ninety-six values are read and one more is not`() throws {
        func wide(_ elements: Int) -> [UInt8] {
            utf8("[" + Array(repeating: "0", count: elements).joined(separator: ",") + "]")
        }
        _ = try JSONValue(wide(4_095))
        #expect(throws: JSONError(.tooManyItems, at: 0)) { try JSONValue(wide(4_096)) }
        // Names count, so that an object of many members is bounded too.
        let members = (0..<2_048).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(throws: JSONError(.tooManyItems, at: 0)) { try JSONValue(utf8("{\(members)}")) }
    }

    @Test func `limits of the caller take the place of those for messages`() throws {
        let (wide, deep) = (utf8("[0,0,0]"), utf8("[[[]]]"))
        #expect(try JSONValue(wide, limits: JSONLimits(depth: 1, items: 4)) == [0, 0, 0])
        #expect(throws: JSONError(.tooManyItems, at: 0)) {
            try JSONValue(wide, limits: JSONLimits(depth: 1, items: 3))
        }
        #expect(throws: JSONError(.tooDeep, at: 0)) { try JSONValue(deep, limits: JSONLimits(depth: 2, items: 9)) }
        let element = #"{"a":[{"a\u0301":1}]}"#
        let document = utf8("[" + Array(repeating: element, count: 1_000).joined(separator: ",") + "]")
        #expect(throws: JSONError(.tooManyItems, at: 0)) { try JSONValue(document) }
        #expect(try JSONValue(document, limits: .document).arrayValue?.count == 1_000)
        // Two spellings of one letter are two names.
        #expect(try JSONValue(utf8(#"{"é":1,"e\u0301":2}"#), limits: .document).objectValue?.count == 2)
    }

    @Test func `a text damaged anywhere is refused or reads as the value that it then writes`() {
        let text = utf8(#"{"a":[1,-2.5e3,true,null],"b\u0061":"\ud83d\ude00é€😀","c":{"d":"x","e":[]}}"#)
        for damaged in Damage.everywhere(in: text, masks: [0x01, 0x02, 0x10, 0x20, 0x80, 0xff]) {
            #expect(throws: Never.self) { try ParserProperty.json.check(damaged) }
        }
        for end in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONValue(Array(text[..<end])) }
        }
    }

    @Test func `an error says where and nothing of the text`() throws {
        let error = #expect(throws: JSONError.self) { try JSONValue(utf8(#"{"secret":hunter2}"#)) }
        #expect(error?.offset == 10)
        #expect(error?.description == "unexpected_byte at byte 10")
    }
}
