internal import WardText

/// What Ward does not understand in an item of this format, kept word for word so that an export has it again.
///
/// The form in ``WardVault/Item/extensions``: `{"item": {…}, "unknown": [credential…], "rest": [{"type", "index", "members"}…]}`.
struct CXFRest {
    /// The name of the data in an item.
    static let name = "org.fidoalliance.cxf"

    /// Members of the item itself.
    var item: [JSONValue.Member] = []
    /// Credentials of other types, whole.
    var unknown: [JSONValue] = []
    /// Members of the credentials that became parts of the item, by type and position.
    private(set) var rest: [(type: String, index: Int, members: JSONValue)] = []
    private var counts: [String: Int] = [:]

    init() {}

    /// Reads what an import kept; data that something else wrote counts as nothing.
    init(_ bytes: [UInt8]?) {
        guard let bytes, let json = try? ImportedJSON.document(bytes) else { return }
        item = json["item"]?.objectValue ?? []
        unknown = json["unknown"]?.elements ?? []
        for part in json["rest"]?.elements ?? [] {
            guard let type = part["type"]?.stringValue, let index = part["index"]?.integerValue,
                let members = part["members"]
            else { continue }
            rest.append((type, Int(clamping: index), members))
        }
    }

    /// The names of what is kept, for a person.
    var names: [String] {
        item.map(\.name) + unknown.compactMap { $0["type"]?.stringValue }
            + rest.flatMap { part in (part.members.objectValue ?? []).map { "\(part.type).\($0.name)" } }
    }

    /// The form in an item, or `nil` if there is nothing.
    var serialized: [UInt8]? {
        guard !item.isEmpty || !unknown.isEmpty || !rest.isEmpty else { return nil }
        var members: [JSONValue.Member] = []
        if !item.isEmpty { members.append(JSONValue.Member("item", .object(item))) }
        if !unknown.isEmpty { members.append(JSONValue.Member("unknown", .array(unknown))) }
        if !rest.isEmpty {
            let parts = rest.map { part -> JSONValue in
                ["type": .string(part.type), "index": .integer(Int64(part.index)), "members": part.members]
            }
            members.append(JSONValue.Member("rest", .array(parts)))
        }
        return JSONValue.object(members).serialized
    }

    /// Keeps of a credential what its written form lacks.
    mutating func keep(_ credential: JSONValue, type: String, known: CXFForm) {
        let index = counts[type, default: 0]
        counts[type] = index + 1
        if let members = Self.difference(credential, known) { rest.append((type, index, members)) }
    }

    /// Gives the credentials of an item what an import kept of them.
    func applied(to credentials: [JSONValue]) -> [JSONValue] {
        var seen: [String: Int] = [:]
        var result = credentials.map { credential -> JSONValue in
            guard let type = credential["type"]?.stringValue else { return credential }
            let index = seen[type, default: 0]
            seen[type] = index + 1
            guard let part = rest.first(where: { $0.type == type && $0.index == index }) else { return credential }
            return credential.joined(with: part.members)
        }
        result += unknown
        return result
    }

    /// The members of a value that its known form does not have; `nil` for none.
    static func difference(_ value: JSONValue, _ known: CXFForm) -> JSONValue? {
        switch (value, known) {
        case (_, .whole): return nil
        case (.object(let members), .object(let forms)):
            let left = members.compactMap { member -> JSONValue.Member? in
                guard let form = forms[member.name] else { return member.value.isVoid ? nil : member }
                return difference(member.value, form).map { JSONValue.Member(member.name, $0) }
            }
            return left.isEmpty ? nil : .object(left)
        case (.array(let elements), .array(let form)):
            let left = elements.map { difference($0, form) }
            return left.allSatisfy { $0 == nil } ? nil : .array(left.map { $0 ?? .null })
        default: return nil
        }
    }
}

/// The part of a value that Ward understands and writes again.
indirect enum CXFForm: Sendable {
    /// The whole value.
    case whole
    /// These members.
    case object([String: CXFForm])
    /// Each element.
    case array(CXFForm)

    /// A value with its type, section 3.4.
    static let field = CXFForm.object(["id": .whole, "fieldType": .whole, "value": .whole, "label": .whole])
}
