import WardServer
import WardSyncRecords
import WardSyncStoreSQLite
import WardTerminal
import WardText

extension SyncVaultOverview {
    var id: String { vault.name }

    /// What JSON says of a vault.
    var members: [JSONValue.Member] {
        [
            .init("id", .string(id)), .init("createdAt", .string(JSONTime.text(vault.createdAt))),
            .init("entries", .integer(vault.head)), .init("bytes", .integer(vault.bytes)),
            .init("devices", .integer(Int64(devices))),
            .init("lastContactAt", seenAt.map { .string(JSONTime.text($0)) } ?? .null),
        ]
    }

    /// Tabs separate the parts, for other programs.
    var line: String { ([id] + parts).joined(separator: "\t") }

    /// What `show` prints.
    var lines: [String] { [id] + parts + visitors.map { "  " + $0.line } }

    private var parts: [String] {
        [
            SizeText.of(Int(vault.bytes)), vault.head == 1 ? "1 entry" : "\(vault.head) entries",
            devices == 1 ? "1 device" : "\(devices) devices", "since \(JSONTime.text(vault.createdAt))",
            seenAt.map { "last contact \(JSONTime.text($0))" } ?? "no contact yet",
        ]
    }
}

extension SyncVaultOverview.Visitor {
    private var kind: String { subject.device == nil ? "recovery key" : "device" }

    var json: JSONValue {
        [
            "kind": .string(subject.device == nil ? "recovery_key" : "device"),
            "id": .string(subject.name), "isAllowed": .bool(isAllowed),
            "entries": .integer(entries), "bytes": .integer(bytes),
            "lastContactAt": seenAt.map { .string(JSONTime.text($0)) } ?? .null,
        ]
    }

    var line: String {
        let parts = [
            kind, subject.name, SizeText.of(Int(bytes)), entries == 1 ? "1 entry" : "\(entries) entries",
            seenAt.map { "last contact \(JSONTime.text($0))" } ?? "no contact yet",
        ]
        return (parts + (isAllowed ? [] : ["removed"])).joined(separator: "\t")
    }
}
