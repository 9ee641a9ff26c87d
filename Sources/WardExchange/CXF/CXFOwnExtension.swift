internal import WardText

/// The extension with which Ward writes what only Ward reads again (CXF 1.0, section 3.2.1): other programs pass over it.
///
/// At custom fields: the group of a kind that the fields belong to, and their names in it. At a field: its type.
enum CXFOwnExtension {
    private static let name: JSONValue = "ward"

    /// The member `extensions` with members of Ward's own.
    static func member(_ members: [JSONValue.Member]) -> JSONValue.Member {
        JSONValue.Member("extensions", [.object([JSONValue.Member("name", name)] + members)])
    }

    /// A member of Ward's own at a value of a file.
    static func value(_ member: String, of json: JSONValue) -> JSONValue? {
        (json["extensions"]?.elements ?? []).first { $0["name"] == name }?[member]
    }

    /// A value without what Ward itself wrote.
    static func removed(from json: JSONValue) -> JSONValue {
        guard let members = json.objectValue else { return json }
        return .object(
            members.map { member in
                guard member.name == "extensions" else { return member }
                return JSONValue.Member("extensions", .array(member.value.elements.filter { $0["name"] != name }))
            }
        )
    }
}
