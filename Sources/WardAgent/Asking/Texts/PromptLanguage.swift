/// The texts of prompts in one language.
protocol PromptLanguage: Sendable {
    /// The separator between two sentences on one line.
    static var separator: String { get }
    static func text(_ sentence: PromptSentence) -> String
    static func text(_ word: PromptWord) -> String
    /// The words after "to" in the sentence that asks to unlock the vault.
    static func text(_ purpose: PromptPurpose) -> String
    /// The end of the sentence that says why fingerprints cannot be used, without a full stop.
    static func text(_ problem: FingerprintProblem) -> String
}

/// The languages of prompts.
///
/// They are the same as those of the service's pages.
enum PromptLocale: String, CaseIterable, Sendable {
    case english = "en"
    case japanese = "ja"
    case korean = "ko"
    case simplifiedChinese = "zh-Hans"

    /// The language of a locale in `LC_MESSAGES`, such as `ja_JP.UTF-8`.
    ///
    /// For every other language it is English.
    init(_ locale: String?) {
        let parts = (locale ?? "").split(whereSeparator: { "_.@-".contains($0) }).map { $0.lowercased() }
        switch parts.first {
        case "ja": self = .japanese
        case "ko": self = .korean
        // There are no texts in traditional Chinese characters.
        case "zh" where parts.count < 2 || ["cn", "sg", "hans", "utf"].contains(parts[1]): self = .simplifiedChinese
        default: self = .english
        }
    }

    var language: any PromptLanguage.Type {
        switch self {
        case .english: EnglishPrompts.self
        case .japanese: JapanesePrompts.self
        case .korean: KoreanPrompts.self
        case .simplifiedChinese: ChinesePrompts.self
        }
    }
}

extension PromptLanguage {
    /// Lines of sentences.
    static func text(_ lines: [[PromptSentence]]) -> String {
        lines.map { $0.map { text($0) }.joined(separator: separator) }.joined(separator: "\n")
    }
}

extension PromptPlace {
    /// The language of prompts on this terminal or desktop.
    ///
    /// A terminal without UTF-8 gets English, because it can show only English.
    var language: any PromptLanguage.Type {
        let isUTF8 = locale.map { $0.lowercased().replacing("-", with: "").contains("utf8") } ?? false
        guard desktop.hasDisplay || isUTF8 else { return PromptLocale.english.language }
        return PromptLocale(messages).language
    }
}
