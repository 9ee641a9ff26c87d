import Foundation
import WardAgentClient
import WardTerminal

/// An item as text.
enum ItemText {
    private static let hidden = "••••••••"

    /// The value of an item with this name, or `nil`.
    static func value(_ name: String, of item: ItemRecord) -> String? {
        switch name.lowercased() {
        case "password": return item.password?.value
        case "username", "user": return item.username.isEmpty ? nil : item.username
        case "title": return item.title
        case "notes": return item.notes.flatMap { $0.isEmpty ? nil : $0 }
        case "otpauth": return item.codes.first?.link
        case "site", "url": return item.sites.first?.address
        case "id", "name": return item.id
        default:
            let fields = item.sections.flatMap(\.fields)
            return fields.first { $0.label == name || $0.name == name }?.value
                ?? fields.first { $0.label.lowercased() == name.lowercased() }?.value
        }
    }

    /// A line of an item: the name of the value, the value, and a remark that does not belong to the value.
    private struct Row {
        var label: String
        var value: String
        var remark = ""
        /// Whether the remark has a line of its own on a terminal, so that the value can be selected.
        var standsAlone = false
        var isWarning = false
    }

    /// An item in the form for a terminal.
    static func lines(_ item: ItemRecord, paint: Paint) -> [String] {
        let rows = rows(item)
        let width = rows.map { TextWidth.of(Table.clean($0.label)) }.max() ?? 0
        let heading = paint.bold((item.isFavorite ? "★ " : "") + Table.clean(item.title))
        var lines = [heading + paint.dim("  \(item.kind) \(item.id.prefix(8))")]
        for row in rows {
            // Values are cleaned before colours are added.
            let label = Table.clean(row.label)
            let start = "  " + paint.dim(label) + String(repeating: " ", count: width - TextWidth.of(label)) + "  "
            let remark = row.remark.isEmpty ? "" : paint.dim(Table.clean(row.remark))
            let clean = Table.clean(row.value)
            let value = row.isWarning ? paint.yellow(clean) : clean
            if row.standsAlone, !remark.isEmpty {
                lines += [start + value, String(repeating: " ", count: width + 4) + remark]
            } else {
                lines.append(start + value + (remark.isEmpty ? "" : "  " + remark))
            }
        }
        return lines + advice(item).enumerated().map { $0 == 0 ? paint.yellow($1) : $1 }
    }

    /// An item in the form for a pipe: one line for each value, with tabs between the name, the value and a remark.
    static func table(_ item: ItemRecord) -> Table {
        var table = Table([.init(heading: "What"), .init(heading: "Value"), .init(heading: "Remark")])
        table.add(["Title", item.title, item.isFavorite ? "favorite" : ""])
        table.add(["Kind", item.kind, ""])
        table.add(["ID", item.id, ""])
        for row in rows(item) { table.add([row.label, row.value, row.remark]) }
        return table
    }

    /// The advice for values that another device changed too.
    static func advice(_ item: ItemRecord) -> [String] {
        guard item.conflicts != nil else { return [] }
        return [
            "Changed on two devices: the later value is shown.",
            CommandHints.here("Take another: ward edit \(item.id.prefix(8)) --take N"),
            CommandHints.here("Keep those shown: ward edit \(item.id.prefix(8)) --settle"),
        ]
    }

    private static func rows(_ item: ItemRecord) -> [Row] {
        var rows = item.sites.map { site in
            Row(label: "Site", value: site.address, remark: site.match == "domain" ? "" : "(\(site.match))")
        }
        if let name = item.siteName { rows.append(Row(label: "Site name", value: name, remark: "(by the site)")) }
        if !item.username.isEmpty { rows.append(Row(label: "User name", value: item.username)) }
        if let password = item.password {
            let past = password.previous == 0 ? "" : ", \(password.previous) before it"
            rows.append(
                Row(
                    label: "Password",
                    value: password.value ?? hidden,
                    remark: "set \(When.day(password.changedAt))\(past)",
                    standsAlone: password.value != nil
                )
            )
        }
        for previous in item.password?.history ?? [] {
            let remark = "until \(When.day(previous.replacedAt))"
            rows.append(Row(label: "Before", value: previous.value, remark: remark, standsAlone: true))
        }
        rows += item.passkeys.map { passkey($0) }
        for code in item.codes {
            let name = [code.issuer, code.account].filter { !$0.isEmpty }.joined(separator: ", ")
            rows.append(Row(label: "Code", value: code.type.uppercased() + (name.isEmpty ? "" : ", \(name)")))
            if let link = code.link { rows.append(Row(label: "", value: link)) }
        }
        for field in item.sections.flatMap(\.fields) {
            rows.append(
                Row(label: field.label.isEmpty ? Self.words(field.name) : field.label, value: field.value ?? hidden)
            )
        }
        rows += item.attachments.map {
            Row(label: "Attachment", value: $0.name, remark: "\(SizeText.of($0.size)), \($0.type)")
        }
        if !item.tags.isEmpty { rows.append(Row(label: "Tags", value: item.tags.joined(separator: ", "))) }
        if let notes = item.notes {
            let lines = notes.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            for (number, line) in lines.enumerated() where !notes.isEmpty {
                rows.append(Row(label: number == 0 ? "Notes" : "", value: line))
            }
        } else {
            rows.append(Row(label: "Notes", value: hidden))
        }
        for (number, conflict) in (item.conflicts ?? []).enumerated() {
            rows.append(
                Row(
                    label: "Other \(number)",
                    value: Self.words(conflict.name) + "  " + (conflict.value ?? hidden),
                    remark: "\(When.minute(conflict.time)), device \(conflict.deviceName ?? conflict.device)",
                    standsAlone: true
                )
            )
        }
        rows.append(
            Row(label: "Changed", value: When.minute(item.modifiedAt), remark: "made \(When.day(item.createdAt))")
        )
        if let deletedAt = item.deletedAt {
            rows.append(Row(label: "Trash", value: "since \(When.day(deletedAt))", isWarning: true))
        }
        return rows
    }

    private static func passkey(_ passkey: PasskeyRecord) -> Row {
        let who = passkey.userName.isEmpty ? passkey.userDisplayName : passkey.userName
        let used = passkey.lastUsedAt.map { ", used \(When.day($0))" } ?? ""
        return Row(
            label: "Passkey",
            value: "\(who) at \(passkey.rpID)" + (passkey.isHidden ? "  the site removed it" : ""),
            remark: "\(passkey.algorithm), made \(When.day(passkey.createdAt))\(used)",
            isWarning: passkey.isHidden
        )
    }

    /// For example, `verificationNumber` becomes “Verification number”.
    ///
    /// A label from a person stays as it is.
    private static func words(_ name: String) -> String {
        guard name.first?.isUppercase == false, !name.contains(" ") else { return name }
        var out = ""
        for character in name {
            if character.isUppercase { out += " " + character.lowercased() } else { out.append(character) }
        }
        return out.prefix(1).uppercased() + out.dropFirst()
    }
}
