import Testing
import WardCBOR

@Suite struct `Reading item by item` {
    @Test func `a map is read key by key in one pass`() throws {
        let bytes = hex("a4 01 02 20 43 010203 61 61 82 f5 f6 62 6162 62 c3a9")
        let input = bytes.span
        var reader = CBORReader()
        var map = try reader.readMap(input)
        #expect(map.count == 4)

        #expect(try reader.nextKey(&map, input) == .integer(1))
        #expect(try reader.readUnsigned(input) == 2)

        #expect(try reader.nextKey(&map, input) == .integer(-1))
        #expect(try reader.readBytes(input) == 5..<8)

        let key = try reader.nextKey(&map, input)
        #expect(key == .text(9..<10))
        #expect(key?.isText("a", in: input) == true)
        #expect(key?.isText("b", in: input) == false)
        #expect(key?.isText("", in: input) == false)
        var array = try reader.readArray(input)
        #expect(array.count == 2)
        #expect(try reader.nextElement(&array, input))
        #expect(try reader.readBool(input))
        #expect(try reader.nextElement(&array, input))
        try reader.readNull(input)
        #expect(try reader.nextElement(&array, input) == false)

        #expect(try reader.nextKey(&map, input) == .text(14..<16))
        #expect(try reader.readTextString(input) == "é")
        #expect(try reader.nextKey(&map, input) == nil)
        #expect(reader.offset == bytes.count)
        try reader.finish(input)
    }

    @Test func `a reader starts anywhere and stops behind its item`() throws {
        let bytes = hex("ffff a1 01 41 00 ffff")
        let input = bytes.span
        var reader = CBORReader(at: 2)
        #expect(try reader.skip(input) == 2..<6)
        #expect(reader.offset == 6)
        #expect(throws: CBORError(.trailingBytes, at: 6)) { try reader.finish(bytes.span) }
    }

    @Test func `an offset outside the input is an end, not a trap`() {
        let bytes = hex("01")
        for offset in [-1, Int.min] {
            var reader = CBORReader(at: offset)
            #expect(throws: Never.self) { try reader.readUnsigned(bytes.span) }
        }
        for offset in [1, 2, Int.max] {
            var reader = CBORReader(at: offset)
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.peekType(bytes.span) }
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.readInteger(bytes.span) }
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.readBytes(bytes.span) }
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.readText(bytes.span) }
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.readMap(bytes.span) }
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.readBool(bytes.span) }
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.readNull(bytes.span) }
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.readFloat(bytes.span) }
            #expect(throws: CBORError(.truncated, at: offset)) { try reader.skip(bytes.span) }
        }
        #expect(throws: CBORError(.truncated, at: 2)) { try CBORReader(at: 2).finish(bytes.span) }
    }

    @Test func `a reader that is given a shorter input than before does not trap`() throws {
        let long = hex("a2 61 61 01 61 62 02")
        let short = hex("a2")
        var reader = CBORReader()
        var map = try reader.readMap(long.span)
        _ = try reader.nextKey(&map, long.span)
        #expect(throws: CBORError(.truncated, at: 3)) { try reader.readInteger(short.span) }
        #expect(throws: CBORError(.truncated, at: 3)) { try reader.nextKey(&map, short.span) }
        #expect(CBORKey.text(2..<3).isText("a", in: short.span) == false)
        #expect(CBORReader.copy(2..<3, of: short.span) == [])
    }

    @Test func `another type than asked for is refused and nothing is consumed`() throws {
        let items = ["00", "20", "40", "60", "80", "a0", "f4", "f6"].map(hex)
        for item in items {
            let type = try CBORReader().peekType(item.span)
            var reader = CBORReader()
            func refuses(_ read: (inout CBORReader) throws -> Void, unless accepted: CBORType...) {
                guard !accepted.contains(type) else { return }
                #expect(throws: CBORError(.unexpectedType, at: 0)) { try read(&reader) }
                #expect(reader.offset == 0)
            }
            refuses({ _ = try $0.readUnsigned(item.span) }, unless: .unsigned)
            refuses({ _ = try $0.readNegative(item.span) }, unless: .negative)
            refuses({ _ = try $0.readInteger(item.span) }, unless: .unsigned, .negative)
            refuses({ _ = try $0.readBytes(item.span) }, unless: .bytes)
            refuses({ _ = try $0.readText(item.span) }, unless: .text)
            refuses({ _ = try $0.readTextString(item.span) }, unless: .text)
            refuses({ _ = try $0.readArray(item.span) }, unless: .array)
            refuses({ _ = try $0.readMap(item.span) }, unless: .map)
            refuses({ _ = try $0.readBool(item.span) }, unless: .bool)
            refuses({ _ = try $0.readNull(item.span) }, unless: .null)
            refuses({ _ = try $0.readFloat(item.span) })
        }
    }

    @Test func `what is never read has its own reason, whatever is asked for`() {
        let reasons: [(String, CBORError.Code)] = [
            ("c0", .tag), ("f7", .undefined), ("e0", .simpleValue), ("f9 3c00", .floatNotAllowed),
            ("ff", .indefiniteLength),
        ]
        for (text, code) in reasons {
            let bytes = hex(text)
            var reader = CBORReader()
            #expect(throws: CBORError(code, at: 0)) { try reader.readInteger(bytes.span) }
            #expect(throws: CBORError(code, at: 0)) { try reader.readMap(bytes.span) }
            #expect(throws: CBORError(code, at: 0)) { try reader.readBool(bytes.span) }
            #expect(throws: CBORError(code, at: 0)) { try reader.readNull(bytes.span) }
        }
    }

    @Test func `an array that is left early does not count towards the depth of what follows`() throws {
        let bytes = hex("82 81 81 80 81 81 80")
        let input = bytes.span
        var reader = CBORReader(rules: CBORRules(maximumDepth: 4))
        var outer = try reader.readArray(input)
        #expect(try reader.nextElement(&outer, input))
        var inner = try reader.readArray(input)
        #expect(try reader.nextElement(&inner, input))
        _ = try reader.skip(input)
        #expect(try reader.nextElement(&outer, input))
        _ = try reader.skip(input)
        #expect(try reader.nextElement(&outer, input) == false)
        try reader.finish(input)
    }

    @Test func `items that follow each other each have the whole depth`() throws {
        let bytes = hex("81818180 a101a101a101a0 81818180 81818180")
        let input = bytes.span
        var reader = CBORReader(rules: CBORRules(maximumDepth: 4))
        #expect(try reader.skip(input) == 0..<4)
        #expect(try reader.skip(input) == 4..<11)
        #expect(try reader.skip(input) == 11..<15)
        #expect(try reader.skip(input) == 15..<19)
        try reader.finish(input)
    }

    @Test func `floats are read only where the rules allow them`() throws {
        let bytes = hex("f9 3c00")
        var strict = CBORReader()
        #expect(throws: CBORError(.floatNotAllowed, at: 0)) { try strict.readFloat(bytes.span) }
        var open = CBORReader(rules: CBORRules(maximumDepth: 0, allowsFloats: true))
        #expect(try open.peekType(bytes.span) == .float)
        #expect(try open.readFloat(bytes.span) == 1)
        #expect(throws: CBORError(.unexpectedType, at: 0)) {
            var reader = CBORReader(rules: CBORRules(maximumDepth: 0, allowsFloats: true))
            _ = try reader.readInteger(bytes.span)
        }
    }

    @Test func `keys in any order are read where the rules allow it`() throws {
        let rules = CBORRules(maximumDepth: 4, requiresSortedKeys: false)
        let bytes = hex("a4 61 62 01 03 a1 02 00 61 61 82 01 02 01 f6")
        let value = try CBORValue.decode(bytes, rules: rules)
        #expect(value["b"] == 1)
        #expect(value[3] == [2: 0])
        #expect(value["a"] == [1, 2])
        #expect(value[1] == .null)
        #expect(value.encoded() == hex("a4 01 f6 03 a1 02 00 61 61 82 01 02 61 62 01"))
    }

    @Test func `errors print the code and the offset and compare by code`() {
        let error = CBORError(.duplicateKey, at: 7)
        #expect(error.description == "duplicate_key at byte 7")
        #expect(error == CBORError(.duplicateKey, at: 9))
        #expect(error != CBORError(.unsortedKeys, at: 7))
        #expect(Set([error, CBORError(.duplicateKey, at: 1)]).count == 1)
    }
}
