import Testing
import WardAccounts

@Suite struct `User names` {
    /// What is typed, and what names are unique by.
    static let accepted: [(typed: String, mapped: String)] = [
        ("alice", "alice"),
        ("Alice", "alice"),
        ("a", "a"),
        ("7", "7"),
        ("Alice.B+tag_1-x@Example.ORG", "alice.b+tag_1-x@example.org"),
        ("'; DROP TABLE account; --".filter { $0 != " " }, "';droptableaccount;--"),
        ("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        // Width
        ("Ａｌｉｃｅ７＠", "alice7@"),
        ("ﾊﾝｶｸ", "ハンカク"),
        ("ｶﾞｷﾞ", "ガギ"),
        // Composition
        ("zoe\u{308}", "zo\u{eb}"),
        ("ZO\u{cb}", "zo\u{eb}"),
        ("q\u{323}\u{307}", "q\u{323}\u{307}"),
        ("q\u{307}\u{323}", "q\u{323}\u{307}"),
        ("\u{212b}ngström", "ångström"),
        ("\u{212a}im", "kim"),
        ("\u{1112}\u{1161}\u{11ab}글", "한글"),
        ("क\u{93c}", "क\u{93c}"),
        ("\u{958}", "क\u{93c}"),
        // Case
        ("İstanbul", "i\u{307}stanbul"),
        ("i\u{307}stanbul", "i\u{307}stanbul"),
        ("ısı", "ısı"),
        ("ISI", "isi"),
        ("Straße", "straße"),
        ("STRAẞE", "straße"),
        ("STRASSE", "strasse"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"),
        ("Οδυσσευς", "οδυσσευσ"),
        ("οδυσσευσ", "οδυσσευσ"),
        ("ЖУКОВ", "жуков"),
        ("ⴀႠ", "ⴀⴀ"),
        ("𐐀", "𐐨"),
        // Scripts
        ("田中さくら", "田中さくら"),
        ("ジョン・スミス", "ジョン・スミス"),
        ("々〇", "々〇"),
        ("王小明", "王小明"),
        ("김민준", "김민준"),
        ("नमस्ते", "नमस्ते"),
        ("ไทย", "ไทย"),
        ("தமிழ்", "தமிழ்"),
        ("ሰላም", "ሰላም"),
        ("col·lega", "col·lega"),
        ("COL·LEGA", "col·lega"),
        ("͵α", "͵α"),
        // Right to left
        ("עמית", "עמית"),
        ("עמית123", "עמית123"),
        ("עמית.כהן", "עמית.כהן"),
        ("צה״ל", "צה״ל"),
        ("محمد", "محمد"),
        ("محمد٣", "محمد٣"),
        ("محمد3", "محمد3"),
        ("محمد۳", "محمد۳"),
        ("مُحَمَّد", "مُحَمَّد"),
        ("ދިވެހި", "ދިވެހި"),
    ]

    @Test(arguments: accepted)
    func `a name is accepted and mapped`(typed: String, mapped: String) throws {
        let name = try Username(typed)
        #expect(Array(name.mapped.unicodeScalars) == Array(mapped.unicodeScalars))
        #expect(name.text == typed)
        #expect(name.description == name.text)
    }

    @Test(arguments: accepted)
    func `a mapped name is a name and maps to itself`(typed: String, mapped: String) throws {
        let again = try Username(try Username(typed).mapped)
        #expect(Array(again.mapped.utf8) == Array(mapped.utf8))
        #expect(Array(again.text.utf8) == Array(mapped.utf8))
    }

    /// U+FDD0, which literals do not take.
    static let nonCharacter = String(decoding: [0xef, 0xb7, 0x90] as [UInt8], as: UTF8.self)

    static let refused: [(typed: String, code: UsernameError.Code)] = [
        ("", .empty),
        // Spaces
        (" ", .containsSpace), ("a b", .containsSpace), (" alice", .containsSpace), ("alice ", .containsSpace),
        ("a\tb", .containsSpace), ("a\nb", .containsSpace), ("a\u{a0}b", .containsSpace),
        ("a\u{3000}b", .containsSpace),
        ("a\u{2028}b", .containsSpace), ("a\u{85}b", .containsSpace),
        // Controls
        ("a\0b", .containsControl), ("a\u{7f}", .containsControl), ("a\u{1b}[31m", .containsControl),
        ("é\u{9b}", .containsControl),
        // What is not seen
        ("a\u{200b}b", .containsInvisible), ("a\u{200d}b", .containsInvisible), ("می\u{200c}خواهم", .containsInvisible),
        ("a\u{ad}b", .containsInvisible), ("a\u{feff}", .containsInvisible), ("a\u{2060}b", .containsInvisible),
        ("a\u{202e}b", .containsInvisible), ("a\u{2066}b", .containsInvisible), ("a\u{34f}b", .containsInvisible),
        ("a\u{fe0f}", .containsInvisible), ("\u{3164}", .containsInvisible), ("\u{ffa0}", .containsInvisible),
        ("\u{115f}", .containsInvisible), ("a\u{e0061}", .containsInvisible), ("a\u{180e}", .containsInvisible),
        // Symbols and punctuation
        ("🦊", .containsSymbol), ("a🇯🇵", .containsSymbol), ("👩‍👧", .containsSymbol), ("€", .containsSymbol),
        ("a–b", .containsSymbol), ("«a»", .containsSymbol), ("a。", .containsSymbol), ("♥", .containsSymbol),
        ("a©", .containsSymbol), ("￥", .containsSymbol), ("（ａ）\u{3001}", .containsSymbol), ("a›", .containsSymbol),
        // Variants of letters
        ("ﬁ", .containsUnusualLetter), ("𝐀", .containsUnusualLetter), ("a²", .containsUnusualLetter),
        ("Ⅳ", .containsUnusualLetter), ("½", .containsUnusualLetter), ("ª", .containsUnusualLetter),
        ("ǆ", .containsUnusualLetter), ("ǅ", .containsUnusualLetter), ("ſ", .containsUnusualLetter),
        ("ﷲ", .containsUnusualLetter), ("ᄀ", .containsUnusualLetter), ("ㄱ", .containsUnusualLetter),
        ("ﾡ", .containsUnusualLetter), ("مـد", .containsUnusualLetter), ("〱", .containsUnusualLetter),
        ("a\u{20dd}", .containsUnusualLetter), ("ŀ", .containsUnusualLetter), ("㍿", .containsSymbol),
        // Unknown
        ("\u{e000}", .containsUnknown), ("\u{378}", .containsUnknown), ("a" + nonCharacter, .containsUnknown),
        ("a\u{10ffff}", .containsUnknown), ("\u{fffd}", .containsSymbol),
        // Marks without a letter
        ("\u{301}a", .startsWithMark), ("ﾞ", .startsWithMark), ("\u{93e}", .startsWithMark),
        // Places
        ("a·b", .misplacedCharacter), ("l·", .misplacedCharacter), ("·l", .misplacedCharacter),
        ("͵", .misplacedCharacter), ("a͵b", .misplacedCharacter), ("״א", .misplacedCharacter),
        ("a・b", .misplacedCharacter), ("・", .misplacedCharacter), ("م٣۳", .misplacedCharacter),
        // Directions
        ("aא", .mixedDirections), ("אa", .mixedDirections), ("1א", .mixedDirections), (".א", .mixedDirections),
        ("א.", .mixedDirections), ("א1٢", .mixedDirections), ("a٣", .mixedDirections), ("٣", .mixedDirections),
        ("user@דוגמה", .mixedDirections), ("म\u{647}", .mixedDirections), ("א@b", .mixedDirections),
    ]

    @Test(arguments: refused)
    func `a name is refused with the reason`(typed: String, code: UsernameError.Code) throws {
        let error = try #require(throws: UsernameError.self) { try Username(typed) }
        #expect(error.code == code, "\(error)")
        #expect(error.scalar == nil || typed.decomposed.contains { $0 == error.scalar } || code == .startsWithMark)
    }

    @Test func `an error names the character and nothing else`() throws {
        let error = try #require(throws: UsernameError.self) { try Username("secret name") }
        #expect(error.description == "contains_space: U+0020")
        let other = try #require(throws: UsernameError.self) { try Username("secret🦊") }
        #expect(other.description == "contains_symbol: U+1F98A")
    }

    static let collisions: [[String]] = [
        ["Zoë", "zoë", "ZOE\u{308}", "ＺＯＥ\u{308}", "zoe\u{308}"],
        ["Οδυσσεύς", "ΟΔΥΣΣΕΎΣ", "οδυσσεύσ"],
        ["ガギ", "ｶﾞｷﾞ", "カ\u{3099}キ\u{3099}"],
        ["한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"],
        ["Kim", "\u{212a}im", "ｋｉｍ"],
    ]

    @Test(arguments: collisions)
    func `spellings of one name collide`(spellings: [String]) throws {
        let mapped = try Set(spellings.map { Array(try Username($0).mapped.utf8) })
        #expect(mapped.count == 1)
    }

    static let distinct: [[String]] = [
        ["isi", "ısı", "i\u{307}si\u{307}"],
        ["straße", "strasse"],
        ["zoe", "zoë"],
        ["a", "а", "α"],
        ["はな", "ハナ"],
        ["国", "國"],
        ["alice", "alice.", "alice1"],
    ]

    @Test(arguments: distinct)
    func `names that the profile tells apart do not collide`(spellings: [String]) throws {
        let mapped = try Set(spellings.map { try Username($0).mapped })
        #expect(mapped.count == spellings.count)
    }

    @Test(arguments: ["a", "é", "長", "한", "ｶﾞ", "q\u{323}\u{307}", "नि"])
    func `64 characters fit and 65 do not, whatever a character is made of`(character: String) throws {
        let longest = String(repeating: character, count: 64)
        #expect(try Username(longest).text.count == 64)
        #expect(throws: UsernameError.self) { try Username(longest + character) }
        #expect(throws: UsernameError.self) { try Username(longest + "1") }
    }

    @Test func `one character cannot be made of any number of scalars or bytes`() throws {
        #expect(try Username("a" + String(repeating: "\u{320}", count: 255)).text.count == 1)
        for text in [
            "a" + String(repeating: "\u{320}", count: 256), String(repeating: "a", count: 65),
            String(repeating: "x", count: 10_000_000), "é" + String(repeating: "\u{301}", count: 1_000_000),
            String(repeating: "\u{1d2bc}", count: 257),
        ] {
            let error = try #require(throws: UsernameError.self) { try Username(text) }
            #expect(error.code == .tooLong || error.code == .containsUnknown)
        }
    }

    @Test func `every single character is accepted stably or refused`() {
        var accepted = 0
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value), let name = try? Username(String(scalar)) else { continue }
            accepted += 1
            guard let again = try? Username(name.mapped) else {
                Issue.record("U+\(String(value, radix: 16)) maps to what is not a name")
                continue
            }
            if !again.mapped.unicodeScalars.elementsEqual(name.mapped.unicodeScalars) {
                Issue.record("U+\(String(value, radix: 16)) maps on and on")
            }
        }
        #expect(accepted > 130_000)
    }

    @Test func `a stored name is not checked again`() {
        let name = Username(storedText: "no longer allowed", mapped: "x")
        #expect(name.text == "no longer allowed")
        #expect(name.mapped == "x")
    }
}

extension String {
    /// The scalars of the text and of what each may be composed to.
    fileprivate var decomposed: [Unicode.Scalar] { Array(unicodeScalars) }
}
