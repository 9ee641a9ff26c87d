import Foundation

/// The media type of a file, by its name.
enum MediaType {
    /// The media type for a file name's extension, in the system's list.
    ///
    /// The list is in Debian's package media-types. Without it, every file is `application/octet-stream`.
    static func of(_ name: String, list: String = "/etc/mime.types") -> String {
        let unknown = "application/octet-stream"
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            let text = try? String(contentsOfFile: list, encoding: .utf8)
        else { return unknown }
        let ending = name[name.index(after: dot)...].lowercased()
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if let type = words.first, words.dropFirst().contains(where: { $0 == ending }) { return String(type) }
        }
        return unknown
    }
}
