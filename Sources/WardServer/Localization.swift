import Foundation
import HTTPTypes
import Hummingbird

/// A language of the pages; the raw value is its BCP 47 tag.
package enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case japanese = "ja"
    case korean = "ko"
    case simplifiedChinese = "zh-Hans"

    /// The language's name in that language.
    var endonym: String {
        switch self {
        case .english: "English"
        case .japanese: "日本語"
        case .korean: "한국어"
        case .simplifiedChinese: "简体中文"
        }
    }

    /// The supported language that a browser prefers, or English.
    ///
    /// RFC 9110, [§12.5.4](https://www.rfc-editor.org/rfc/rfc9110#name-accept-language), matched by primary language,
    /// as in RFC 4647 lookup. A browser that accepts only traditional Chinese does not get simplified Chinese.
    ///
    /// - Parameter accepted: The header's value; unreadable parts are ignored.
    /// - Returns: A supported language.
    package static func preferred(by accepted: String?) -> Self {
        let ranges = (accepted ?? "").split(separator: ",").compactMap(LanguageRange.init)
        let wanted = ranges.filter { $0.weight > 0 && $0.language != nil }
        // Of several languages with the same weight the first one is used. `max(by:)` does not guarantee that.
        guard let best = wanted.map(\.weight).max() else { return .english }
        return wanted.first { $0.weight == best }?.language ?? .english
    }

    /// The name of the cookie with the language that a person chose.
    static let cookie = "ward-language"

    /// The language for the answer to a request: the one that the person chose, or the one that the browser prefers.
    static func wanted(by request: Request) -> Self {
        request.cookies[cookie].flatMap { Self(chosen: $0.value) } ?? .preferred(by: request.headers[.acceptLanguage])
    }

    /// The language with a tag that a person chose before, in upper or lower case.
    package init?(chosen tag: String) {
        guard let language = Self.allCases.first(where: { $0.rawValue.lowercased() == tag.lowercased() }) else {
            return nil
        }
        self = language
    }
}

/// One element of `Accept-Language`, such as `zh-TW;q=0.8`.
private struct LanguageRange {
    let language: PageLanguage?
    let weight: Double

    init?(_ text: Substring) {
        let parts = text.split(separator: ";").map { $0.trimmingSpace() }
        guard let range = parts.first else { return nil }
        var weight = 1.0
        for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("q=") {
            guard let given = Double(parameter.dropFirst(2)), (0...1).contains(given) else { return nil }
            weight = given
        }
        self.weight = weight
        language = Self.language(for: range.lowercased().split(separator: "-"))
    }

    private static func language(for subtags: [Substring]) -> PageLanguage? {
        switch subtags.first {
        case "en": .english
        case "ja": .japanese
        case "ko": .korean
        case "zh": isTraditional(subtags) ? nil : .simplifiedChinese
        default: nil
        }
    }

    private static func isTraditional(_ subtags: [Substring]) -> Bool {
        if subtags.contains("hans") { return false }
        return subtags.contains { ["hant", "tw", "hk", "mo"].contains($0) }
    }
}

/// The texts of one language, by section and key.
///
/// Values that are the same for all pages are already filled in.
///
/// The pages' scripts read the same files and fill in the other values.
struct PageText: Sendable {
    let sections: [String: [String: String]]

    /// Reads the texts.
    ///
    /// - Parameters:
    ///   - json: A file of `locales`.
    ///   - values: What takes the place of `{service}` and others, by name.
    /// - Throws: `DecodingError` unless the file has exactly two levels of strings.
    init(_ json: [UInt8], _ values: [String: String]) throws {
        sections = try JSONDecoder().decode([String: [String: String]].self, from: Data(json)).mapValues { section in
            section.mapValues { sentence in
                guard sentence.utf8.contains(UInt8(ascii: "{")) else { return sentence }
                return values.reduce(sentence) { $0.replacing("{\($1.key)}", with: $1.value) }
            }
        }
    }

    /// One text, or an empty string if it does not exist.
    subscript(section: String, key: String) -> String { sections[section]?[key] ?? "" }
}
