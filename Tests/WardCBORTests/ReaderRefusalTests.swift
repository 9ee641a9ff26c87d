import Testing
import WardCBOR

/// One input, the rules it is read by, and why it is refused.
struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let rules: CBORRules
    let code: CBORError.Code
    let offset: Int

    init(
        _ description: String,
        _ text: String,
        _ code: CBORError.Code,
        at offset: Int = 0,
        rules: CBORRules = .ctap2
    ) {
        testDescription = description
        bytes = hex(text)
        self.rules = rules
        self.code = code
        self.offset = offset
    }
}

extension Refusal {
    static let floats = CBORRules(maximumDepth: 4, allowsFloats: true)
    static let unsorted = CBORRules(maximumDepth: 4, requiresSortedKeys: false)

    /// RFC 8949, section 3: not well-formed at all.
    static let malformed = [
        Self("nothing", "", .truncated),
        Self("an integer without its byte", "18", .truncated),
        Self("an integer of eight bytes that has seven", "1b ffffffffffffff", .truncated),
        Self("a byte string shorter than it says", "44 010203", .truncated),
        Self("a text string shorter than it says", "63 6161", .truncated),
        Self("a byte string of 2^64 - 1 bytes", "5b ffffffffffffffff", .tooLong),
        Self("a text string of 2^63 bytes", "7b 8000000000000000", .tooLong),
        Self("an array of 2^64 - 1 elements", "9b ffffffffffffffff", .truncated),
        Self("a map of 2^64 - 1 pairs", "bb ffffffffffffffff", .truncated),
        Self("a map of 2^63 pairs, twice which overflows", "bb 8000000000000000", .truncated),
        Self("an array with an element missing", "82 01", .truncated),
        Self("a map with a value missing", "a1 01", .truncated),
        Self("a map with a pair missing", "a2 01 01", .truncated),
        Self("a float without its bytes", "fb 40", .truncated, rules: floats),
        Self("two items", "01 01", .trailingBytes, at: 1),
        Self("a byte behind a map", "a1 01 01 00", .trailingBytes, at: 3),
        Self("additional information 28", "1c", .reservedValue),
        Self("additional information 29 of a string", "5d", .reservedValue),
        Self("additional information 30 of a map", "be", .reservedValue),
        Self("additional information 28 of a simple value", "fc", .reservedValue),
        Self("additional information 30 of a tag", "de", .reservedValue),
        Self("an integer of indefinite length", "1f", .reservedValue),
        Self("a negative integer of indefinite length", "3f", .reservedValue),
        Self("a tag of indefinite length", "df", .reservedValue),
    ]

    /// CTAP 2.2, section 8; RFC 8949, section 4.2: well-formed, but not the one canonical form.
    static let notCanonical = [
        Self("zero in two bytes", "18 00", .notShortest),
        Self("23 in two bytes", "18 17", .notShortest),
        Self("255 in three bytes", "19 00ff", .notShortest),
        Self("65535 in five bytes", "1a 0000ffff", .notShortest),
        Self("2^32 - 1 in nine bytes", "1b 00000000ffffffff", .notShortest),
        Self("-1 in two bytes", "38 00", .notShortest),
        Self("the length of bytes in two bytes", "58 01 00", .notShortest),
        Self("the length of text in three bytes", "79 0001 61", .notShortest),
        Self("the count of an array in two bytes", "98 01 00", .notShortest),
        Self("the count of a map in two bytes", "b8 01 00 00", .notShortest),
        Self("bytes of indefinite length", "5f 41 00 ff", .indefiniteLength),
        Self("text of indefinite length", "7f 61 61 ff", .indefiniteLength),
        Self("an array of indefinite length", "9f 01 ff", .indefiniteLength),
        Self("a map of indefinite length", "bf 01 01 ff", .indefiniteLength),
        Self("a break", "ff", .indefiniteLength),
        Self("a break inside an array", "81 ff", .indefiniteLength, at: 1),
        Self("a tag", "c0 60", .tag),
        Self("a tag with a number of its own", "d9 d9f7 60", .tag),
        Self("a tag inside a map", "a1 01 c1 00", .tag, at: 2),
        Self("a tag as a key", "a1 c1 00 00", .tag, at: 1),
        Self("the key that belongs first comes second", "a2 02 00 01 00", .unsortedKeys, at: 3),
        Self("a negative key before a positive one", "a2 20 00 01 00", .unsortedKeys, at: 3),
        Self("a longer key before a shorter one", "a2 62 6161 00 61 62 00", .unsortedKeys, at: 5),
        Self("a text key before a number", "a2 61 61 00 01 00", .unsortedKeys, at: 4),
        Self("unsorted keys in a map inside", "81 a2 02 00 01 00", .unsortedKeys, at: 4),
        Self("a key twice", "a2 01 00 01 00", .duplicateKey, at: 3),
        Self("a text key twice", "a2 61 61 00 61 61 01", .duplicateKey, at: 4),
        Self("an empty text key twice", "a2 60 00 60 00", .duplicateKey, at: 3),
        Self("a key twice where order is free", "a2 01 00 01 00", .duplicateKey, at: 3, rules: unsorted),
        Self("a key twice, far apart", "a3 02 00 01 00 02 00", .duplicateKey, at: 5, rules: unsorted),
        Self("a text key twice, far apart", "a3 61 62 00 61 61 00 61 62 00", .duplicateKey, at: 7, rules: unsorted),
        Self(
            "a key twice, found by looking ahead",
            "a4 03 00 02 00 01 00 01 00",
            .duplicateKey,
            at: 7,
            rules: unsorted
        ),
        Self("a key twice behind nested maps", "a3 02 a1 01 81 a0 01 00 02 00", .duplicateKey, at: 8, rules: unsorted),
        Self("a double that a half holds", "fb 3ff0000000000000", .notShortest, rules: floats),
        Self("a double that a single holds", "fb 40f86a0000000000", .notShortest, rules: floats),
        Self("a single that a half holds", "fa 3f800000", .notShortest, rules: floats),
        Self("a single infinity", "fa 7f800000", .notShortest, rules: floats),
        Self("a NaN with a payload", "f9 7e01", .notShortest, rules: floats),
        Self("a double NaN", "fb 7ff8000000000000", .notShortest, rules: floats),
    ]

    /// Canonical, but more or other than the profile has.
    static let outsideTheProfile = [
        Self("a float", "f9 3c00", .floatNotAllowed),
        Self("a double", "fb 3ff199999999999a", .floatNotAllowed),
        Self("undefined", "f7", .undefined),
        Self("simple value 0", "e0", .simpleValue),
        Self("simple value 19", "f3", .simpleValue),
        Self("simple value 255", "f8 ff", .simpleValue),
        Self("false in two bytes", "f8 14", .simpleValue),
        Self("text that is no UTF-8", "61 ff", .invalidUTF8),
        Self("text that ends inside a character", "61 c3", .invalidUTF8),
        Self("an overlong slash", "62 c0af", .invalidUTF8),
        Self("a surrogate", "63 eda080", .invalidUTF8),
        Self("a character above U+10FFFF", "64 f4908080", .invalidUTF8),
        Self("a key that is no UTF-8", "a1 61 ff 00", .invalidUTF8, at: 1),
        Self("a byte string as a key", "a1 41 00 00", .keyType, at: 1),
        Self("an array as a key", "a1 80 00", .keyType, at: 1),
        Self("a map as a key", "a1 a0 00", .keyType, at: 1),
        Self("true as a key", "a1 f5 00", .keyType, at: 1),
        Self("a float as a key", "a1 f9 3c00 00", .keyType, at: 1, rules: floats),
        Self("a key above 2^63 - 1", "a1 1b 8000000000000000 00", .integerOutOfRange, at: 1),
        Self("a key of -2^64", "a1 3b ffffffffffffffff 00", .integerOutOfRange, at: 1),
        Self("five arrays where four are allowed", "8181818180", .tooDeep, at: 4),
        Self("five maps where four are allowed", "a101a101a101a101a0", .tooDeep, at: 8),
        Self("an array where none is allowed", "80", .tooDeep, rules: CBORRules(maximumDepth: 0)),
        Self(
            "four items where three are allowed",
            "83 01 01 01",
            .tooManyItems,
            rules: CBORRules(maximumDepth: 4, maximumItems: 3)
        ),
        Self(
            "a map of two pairs where four items are allowed",
            "a2 01 01 02 02",
            .tooManyItems,
            rules: CBORRules(maximumDepth: 4, maximumItems: 4)
        ),
        Self(
            "more items inside than are left",
            "82 82 01 01 82 01 01",
            .tooManyItems,
            at: 4,
            rules: CBORRules(maximumDepth: 4, maximumItems: 6)
        ),
        Self("an item where none is allowed", "01", .tooManyItems, rules: CBORRules(maximumDepth: 4, maximumItems: 0)),
        Self(
            "five bytes where four are allowed",
            "45 0000000000",
            .tooLong,
            rules: CBORRules(maximumDepth: 4, maximumLength: 4)
        ),
        Self(
            "five letters where four are allowed",
            "65 6161616161",
            .tooLong,
            rules: CBORRules(maximumDepth: 4, maximumLength: 4)
        ),
    ]

    static let all = malformed + notCanonical + outsideTheProfile
}

@Suite struct `What the reader refuses` {
    @Test(arguments: Refusal.all)
    func `decoding says what is wrong and where`(refusal: Refusal) {
        do throws(CBORError) {
            let value = try CBORValue.decode(refusal.bytes, rules: refusal.rules)
            Issue.record("read as \(value)")
        } catch {
            #expect(error.code == refusal.code)
            #expect(error.offset == refusal.offset)
        }
    }

    @Test(arguments: Refusal.all)
    func `skipping is as strict as decoding`(refusal: Refusal) {
        let input = refusal.bytes.span
        var reader = CBORReader(rules: refusal.rules)
        do throws(CBORError) {
            _ = try reader.skip(input)
            try reader.finish(input)
            Issue.record("skipped")
        } catch {
            #expect(error.code == refusal.code)
            #expect(error.offset == refusal.offset)
        }
    }

    @Test func `values below zero that fit no Int64 are read as what they are, and refused as integers`() throws {
        let bytes = hex("3b ffffffffffffffff")
        #expect(try CBORValue.decode(bytes) == .negative(.max))
        let input = bytes.span
        var reader = CBORReader()
        #expect(throws: CBORError(.integerOutOfRange, at: 0)) { try reader.readInteger(bytes.span) }
        reader = CBORReader()
        #expect(try reader.readNegative(input) == .max)
    }

    @Test func `limits that make no sense are bounded`() {
        #expect(CBORRules(maximumDepth: .max).maximumDepth == 64)
        #expect(CBORRules(maximumDepth: -1).maximumDepth == 0)
        var rules = CBORRules.ctap2
        rules.maximumDepth = 1000
        #expect(rules.maximumDepth == 64)
        let bytes = [UInt8](repeating: 0x81, count: 100_000)
        #expect(throws: CBORError(.tooDeep, at: 64)) {
            try CBORValue.decode(bytes, rules: CBORRules(maximumDepth: .max, maximumItems: .max, maximumLength: .max))
        }
        #expect(throws: CBORError(.tooLong, at: 0)) {
            try CBORValue.decode([0x41, 0x00], rules: CBORRules(maximumDepth: 1, maximumItems: 2, maximumLength: -1))
        }
    }
}
