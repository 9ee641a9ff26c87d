public import WardText

/// One decoded line, with the lines below it.
public struct InspectedField: Hashable, Sendable {
    /// The name, in the standard's words.
    public let label: String
    /// The value, printable on one line.
    public let value: String
    /// The meaning, if the value does not show it.
    public let note: String?
    /// The lines below it.
    public let children: [InspectedField]

    /// Creates a line.
    public init(_ label: String, _ value: String, note: String? = nil, _ children: [InspectedField] = []) {
        self.label = label
        self.value = value
        self.note = note
        self.children = children
    }

    /// Creates a heading for lines below it.
    public init(_ label: String, note: String? = nil, _ children: [InspectedField]) {
        self.init(label, "", note: note, children)
    }

    /// Creates a line for bytes: at most `limit` of them in hexadecimal, and their number.
    static func bytes(
        _ label: String,
        _ bytes: [UInt8],
        limit: Int = 32,
        note: String? = nil,
        _ children: [InspectedField] = []
    )
        -> InspectedField
    {
        let shown = Hex.encode(bytes.prefix(limit)) + (bytes.count > limit ? "…" : "")
        return InspectedField(
            label,
            shown,
            note: note ?? (bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"),
            children
        )
    }

    /// The lines as text, indented by two spaces for each level.
    public func lines(indent: Int = 0) -> [String] {
        let margin = String(repeating: "  ", count: indent)
        let head = margin + label + (value.isEmpty ? "" : ": \(value)") + (note.map { "  (\($0))" } ?? "")
        return [head] + children.flatMap { $0.lines(indent: indent + 1) }
    }

    /// The lines as JSON.
    public var json: JSONValue {
        var members: [JSONValue.Member] = [.init("label", .string(label))]
        if !value.isEmpty { members.append(.init("value", .string(value))) }
        if let note { members.append(.init("note", .string(note))) }
        if !children.isEmpty { members.append(.init("children", .array(children.map(\.json)))) }
        return .object(members)
    }

    /// Input from outside, made printable for a terminal: no control characters, at most 200 characters.
    static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(200).map { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.isDefaultIgnorableCodePoint
                ? "�" : scalar
        }
        return String(String.UnicodeScalarView(scalars)) + (text.unicodeScalars.count > 200 ? "…" : "")
    }
}
