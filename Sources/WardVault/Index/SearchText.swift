internal import Foundation

/// The text for searches, in which case and accents do not matter.
package enum SearchText {
    /// The words of a query.
    ///
    /// A match must contain all of them.
    static func words(_ query: String) -> [[UInt8]] {
        query.split(whereSeparator: \.isWhitespace).map { foldedBytes(String($0)) }
    }

    /// The searched text: title, user names, sites and tags, one per line.
    static func text(_ summary: ItemSummary) -> [UInt8] {
        var lines = [summary.title, summary.username]
        lines += summary.sites.map(\.text)
        lines += summary.tags
        for passkey in summary.passkeys {
            lines += [passkey.rpID, passkey.userName, passkey.userDisplayName]
        }
        return foldedBytes(lines.filter { !$0.isEmpty }.joined(separator: "\n"))
    }

    /// A text in lower case, without accents, and with ordinary letters instead of full-width ones.
    package static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        return text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .lowercased()
    }

    /// The bytes of a folded text; for ASCII without a string in between.
    static func foldedBytes(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes[index] |= 0x20
            case 0x80...: return Array(folded(text).utf8)
            default: break
            }
        }
        return bytes
    }

    /// Whether all words are in the bytes.
    static func contains(_ words: [[UInt8]], in bytes: [UInt8], _ range: Range<Int>) -> Bool {
        let input = bytes.span
        guard range.lowerBound >= 0, range.upperBound <= input.count else { return false }
        return words.allSatisfy { contains($0.span, in: input, range) }
    }

    private static func contains(_ word: Span<UInt8>, in input: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard !word.isEmpty else { return true }
        let first = word[0]
        var start = range.lowerBound
        let last = range.upperBound - word.count
        while start <= last {
            if input[start] == first {
                var length = 1
                while length < word.count, input[start + length] == word[length] { length += 1 }
                if length == word.count { return true }
            }
            start += 1
        }
        return false
    }
}
