internal import WardText

/// The JSON of an export.
enum ImportedJSON {
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Reads a whole document within the limits for files.
    ///
    /// - Throws: ``ImportError`` with `truncated`, `malformed`, or `tooLarge` with the name of the limit.
    static func document(_ bytes: [UInt8], name: String = "the file") throws(ImportError) -> JSONValue {
        let limits = JSONLimits.document
        let bytes = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        do {
            return try JSONValue(bytes, limits: limits)
        } catch {
            throw switch error.code {
            case .truncated: ImportError(.truncated, "the JSON of \(name) is cut off")
            case .tooDeep: ImportError(.tooLarge, "the JSON of \(name) has more than \(limits.depth) levels")
            case .tooManyItems: ImportError(.tooLarge, "the JSON of \(name) has more than \(limits.items) values")
            default: ImportError(.malformed, "the JSON of \(name) is damaged at byte \(error.offset)")
            }
        }
    }

    /// The names of the first members of the outermost object; empty for other files.
    ///
    /// It reads on until the file is damaged or cut off.
    static func memberNames(_ bytes: [UInt8]) -> Set<String> {
        let input = bytes.span
        var reader = JSONReader(at: bytes.starts(with: byteOrderMark) ? 3 : 0, limits: .document)
        var names: Set<String> = []
        guard var members = try? reader.readObject(input) else { return names }
        while names.count < 64, let text = try? reader.nextName(&members, input),
            let name = try? reader.string(text, input)
        {
            names.insert(name)
            guard (try? reader.skip(input)) != nil else { break }
        }
        return names
    }
}

extension JSONValue {
    /// The text of a string or a number; `nil` for an empty string.
    var shownText: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        case .number(let number): "\(number)"
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    /// The whole number of a number or a string of digits.
    var wholeNumber: Int64? { integerValue ?? stringValue.flatMap { Int64($0) } }

    /// The elements of an array; empty for anything else.
    var elements: [JSONValue] { arrayValue ?? [] }

    /// Whether the value is absent, or says nothing: `null`, `false`, 0, or an empty text, array or object.
    var isVoid: Bool {
        switch self {
        case .null, .bool(false), .integer(0): true
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let members): members.allSatisfy(\.value.isVoid)
        case .bool(true), .integer, .number: false
        }
    }

    /// The members of an object that are not understood and say something.
    func members(except known: Set<String>) -> [Member] {
        (objectValue ?? []).filter { !known.contains($0.name) && !$0.value.isVoid }
    }

    /// The value with the members that were kept of another one.
    ///
    /// What the value has itself has precedence.
    func joined(with kept: JSONValue) -> JSONValue {
        switch (self, kept) {
        case (.object(var members), .object(let others)):
            for other in others {
                if let index = members.firstIndex(where: { $0.name == other.name }) {
                    members[index].value = members[index].value.joined(with: other.value)
                } else {
                    members.append(other)
                }
            }
            return .object(members)
        case (.array(let elements), .array(let others)) where elements.count == others.count:
            return .array(zip(elements, others).map { $0.joined(with: $1) })
        default: return self
        }
    }
}
