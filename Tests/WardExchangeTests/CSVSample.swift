@testable import WardExchange

/// Reads samples as files.
enum CSVSample {
    static let now: Int64 = 1_795_000_000

    static func source(_ text: String, name: String = "export.csv") -> ImportSource {
        ImportSource(name: name, bytes: Array(text.utf8), now: now)
    }

    /// The format that recognizes a text, and its content.
    static func read(_ text: String) throws -> (format: String, file: ImportedFile) {
        let format = try ImportFormat.of(source(text))
        return (format.id, try format.contents(of: source(text)))
    }
}
