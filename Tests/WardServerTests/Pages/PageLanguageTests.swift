import Testing
import WardServer

@Suite struct `The pages' languages` {
    struct Wish: Sendable, CustomTestStringConvertible {
        let header: String?
        let language: PageLanguage
        var testDescription: String { header ?? "no header" }

        init(_ header: String?, _ language: PageLanguage) {
            self.header = header
            self.language = language
        }
    }

    @Test(arguments: [
        Wish(nil, .english), Wish("", .english), Wish("*", .english), Wish("fr-FR,de;q=0.9", .english),
        Wish("ja", .japanese), Wish("JA-jp", .japanese), Wish("ko-KR,ko;q=0.9,en-US;q=0.8", .korean),
        Wish("en;q=0.4, ja;q=0.8 , ko;q=0.6", .japanese), Wish("fr, ko;q=0.2, en;q=0.1", .korean),
        Wish("en, ja", .english), Wish("ja, en", .japanese), Wish("ja;q=1.000, en;q=1", .japanese),
        Wish("ja;q=0, en;q=0.1", .english), Wish("ja;q=0", .english),
        Wish("zh", .simplifiedChinese), Wish("zh-CN", .simplifiedChinese), Wish("zh-Hans-HK", .simplifiedChinese),
        Wish("zh-TW, ja;q=0.5", .japanese), Wish("zh-Hant", .english),
        Wish("zh-TW,zh;q=0.9,en;q=0.8", .simplifiedChinese),
        Wish("zh-HK;q=0.9, en;q=0.2", .english),
    ])
    func `the first language asked for that we have is taken`(wish: Wish) {
        #expect(PageLanguage.preferred(by: wish.header) == wish.language)
    }

    @Test(arguments: [
        "ja;q=2, ko;q=0.1", "ja;q=-1, ko", "ja;q=nan, ko", "ja;q=inf, ko", "ja;q=, ko", "ja;q=x;q=y, ko", ";,;, ko",
        ", ,ko", "ko;level=1", "ko ; Q=0.3",
    ])
    func `what cannot be read is passed over`(header: String) {
        #expect(PageLanguage.preferred(by: header) == .korean)
    }

    @Test func `a long header is read to its end`() {
        let header = String(repeating: "xx-YY;q=0.5,", count: 1000) + "ja;q=0.6"
        #expect(PageLanguage.preferred(by: header) == .japanese)
    }

    @Test(arguments: PageLanguage.allCases)
    func `a language is chosen by its tag`(language: PageLanguage) {
        #expect(PageLanguage(chosen: language.rawValue) == language)
        #expect(PageLanguage(chosen: language.rawValue.uppercased()) == language)
        #expect(PageLanguage(chosen: language.rawValue + "-x") == nil)
    }
}
