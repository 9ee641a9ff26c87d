import Foundation
import Testing
import WardText

@Suite struct `JSON values` {
    static let written: [Case<JSONValue, String>] = [
        Case("null", .null, "null"),
        Case("truth", [true, false], "[true,false]"),
        Case("numbers", [0, -1, .integer(.max), .number(1.5)], "[0,-1,9223372036854775807,1.5]"),
        Case("what JSON has no word for", [.number(.infinity), .number(.nan)], "[null,null]"),
        Case("escapes", "\"\\/\u{8}\n\u{1f}\u{7f}é😀", "\"\\\"\\\\/\\u0008\\u000a\\u001f\u{7f}é😀\""),
        Case("members in their order", ["z": 1, "a": [:], "\"": []], "{\"z\":1,\"a\":{},\"\\\"\":[]}"),
    ]

    @Test(arguments: written)
    func `a value is written without white space, its members in order`(value: Case<JSONValue, String>) {
        #expect(value.input.text == value.expected)
        #expect(value.input.serialized == utf8(value.expected))
    }

    @Test func `what was written reads as itself`() throws {
        let value: JSONValue = [
            "string": "\u{0}\u{1f} \"\\/é😀\u{10ffff}", "integers": [0, -1, .integer(.min), .integer(.max)],
            "numbers": [.number(1.5), .number(-1e300), .number(.leastNonzeroMagnitude), .number(1e22)], "z": [:],
            "a": [[], nil, true],
        ]
        #expect(try JSONValue(value.serialized) == value)
    }

    @Test func `members are found by name and only in objects`() {
        let value: JSONValue = ["a": 1, "b": ["c": "AQI"]]
        #expect(value["a"]?.integerValue == 1)
        #expect(value["b"]?["c"]?.base64URLValue == [1, 2])
        #expect(value["c"] == nil && value["a"]?["a"] == nil)
        #expect(value["a"]?.stringValue == nil && value["a"]?.boolValue == nil && value["a"]?.arrayValue == nil)
        #expect(value["a"]?.objectValue == nil && value["a"]?.base64URLValue == nil)
        #expect(JSONValue.string("AQI=").base64URLValue == nil)
    }

    @Test func `names are compared by their code units`() throws {
        // The sign for kelvin and é of two scalars are equal to K and é as strings of Swift, but other names in JSON.
        let value = try JSONValue(utf8("{\"\u{212a}ey\":1,\"e\u{301}\":2,\"\u{e9}\":3}"))
        #expect(value["Key"] == nil && value["\u{212a}ey"] == 1)
        #expect(value["e\u{301}"] == 2 && value["\u{e9}"] == 3)
        #expect(throws: JSONError.self) { try JSONValue(utf8("{\"\u{e9}\":1,\"\\u00e9\":2}")) }
    }

    @Test func `Foundation's coders carry it`() throws {
        let value: JSONValue = ["a": [1, .number(1.5), "é", nil, true, [], [:]], "b": ["c": -7]]
        let data = try JSONEncoder().encode(value)
        #expect(try JSONValue([UInt8](data))["b"] == ["c": -7])
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data("\"x\"".utf8)) == "x")
        #expect(throws: (any Error).self) { try JSONDecoder().decode(JSONValue.self, from: Data("{".utf8)) }
    }
}
