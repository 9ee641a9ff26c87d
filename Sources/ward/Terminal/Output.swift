import Foundation

/// What commands print.
enum Output {
    /// A value as JSON, members sorted, one line.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(value)
        data.append(0x0a)
        write(data)
    }

    /// Lines of text.
    static func lines(_ lines: [String]) { write(Data((lines.joined(separator: "\n") + "\n").utf8)) }

    private static func write(_ data: Data) {
        // A reader that went away (ward list | head) is no error.
        try? FileHandle.standardOutput.write(contentsOf: data)
    }
}

/// Times as a person says them.
enum When {
    /// A day, in the time zone of the machine.
    static func day(_ seconds: Int64) -> String { format(seconds, "yyyy-MM-dd") }
    /// A day and a time.
    static func minute(_ seconds: Int64) -> String { format(seconds, "yyyy-MM-dd HH:mm") }

    private static func format(_ seconds: Int64, _ pattern: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = pattern
        return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}
