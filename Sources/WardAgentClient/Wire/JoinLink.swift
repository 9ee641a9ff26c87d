internal import Foundation

/// What the QR code of `ward devices add` says: the address of the sync server, and the code that is shown beside it.
///
/// It is no more secret than the digits on the same screen: a code is for one device and one try, and people compare the words
/// in either case.
package struct JoinLink {
    package let server: String
    package let code: String

    private static let start = "ward:join?"
    private static let longest = 1_024

    package init(server: String, code: String) {
        self.server = server
        self.code = code
    }

    /// Reads a link, or returns `nil` if the text is not a link.
    ///
    /// The agent checks the address and the code.
    package init?(_ text: String) {
        guard Self.isLink(text), text.utf8.count <= Self.longest else { return nil }
        var values: [Substring: String] = [:]
        for pair in text.dropFirst(Self.start.count).split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, values[parts[0]] == nil, let value = parts[1].removingPercentEncoding else {
                return nil
            }
            values[parts[0]] = value
        }
        guard values.count == 2, let server = values["server"], let code = values["code"], server.contains("://") else {
            return nil
        }
        self.init(server: server, code: code)
    }

    /// The link as text.
    package var text: String {
        "\(Self.start)server=\(Self.encoded(server))&code=\(Self.encoded(code))"
    }

    private static func encoded(_ value: String) -> String {
        let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~:/[]"))
        return value.addingPercentEncoding(withAllowedCharacters: plain) ?? value
    }

    /// Whether a text begins like a link.
    package static func isLink(_ text: String) -> Bool { text.lowercased().hasPrefix(start) }
}
