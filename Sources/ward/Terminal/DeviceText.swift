import WardAgentClient

/// The devices of a vault, as text.
enum DeviceText {
    static func table(_ devices: [DeviceRecord]) -> Table {
        var table = Table([
            .init(heading: "Name"), .init(heading: "Status"), .init(heading: "Last heard", shrinks: false),
            .init(heading: "ID", shrinks: false),
        ])
        for device in devices {
            table.add([
                (device.name ?? "not known") + (device.isThisDevice ? " (this device)" : ""), status(device),
                device.lastHeard.map { When.minute($0) } ?? "never", String(device.id.prefix(8)),
            ])
        }
        return table
    }

    /// How long ago a device asked to join.
    static func age(_ request: ListDeviceRequests.Request) -> String {
        switch request.age {
        case ..<60: "just now"
        case ..<7200: "\(request.age / 60) min ago"
        case ..<172_800: "\(request.age / 3600) h ago"
        default: "\(request.age / 86_400) days ago"
        }
    }

    /// The name that a device chose, or the beginning of its ID.
    static func name(_ name: String?, _ id: String) -> String { name ?? String(id.prefix(8)) }

    /// The name of a device in quotation marks, because the device chose it.
    static func name(_ device: DeviceRecord) -> String { quoted(name(device.name, device.id)) }

    /// The same, with the first characters of its ID, which the device did not choose.
    static func nameAndID(_ device: DeviceRecord) -> String { "\(name(device)) (\(device.id.prefix(8)))" }

    /// A text of another device in quotation marks.
    static func quoted(_ text: String) -> String { "“\(Table.clean(text))”" }

    private static func status(_ device: DeviceRecord) -> String {
        let status =
            switch device.status {
            case "waiting": "added, not heard yet"
            case "removed": device.removedAt.map { "removed \(When.day($0))" } ?? "removed"
            default: device.status
            }
        let clock =
            device.clockAhead.map { ", clock \(SyncText.number(Int(clamping: $0 / 86_400), "day", "days")) ahead" }
            ?? ""
        let late =
            device.lateChanges.map { ", \(SyncText.number($0, "change does", "changes do")) not count" } ?? ""
        return status + (device.hasBrokenRules ? ", broke a rule" : "") + (device.lacksKey ? ", lacks a key" : "")
            + clock + late
    }
}
