import Foundation
import WardAgentClient
import WardTerminal

/// An item as text.
enum ItemText {
    private static let hidden = "••••••••"

    /// A value of an item by its name, or `nil`.
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

    static func lines(_ item: ItemRecord, paint: Paint, reveal: Bool) -> [String] {
        // Values are cleaned before colours are added.
        let clean = Table.clean
        var rows: [(String, String)] = []
        for site in item.sites {
            rows.append(("Site", clean(site.match == "domain" ? site.address : "\(site.address)  (\(site.match))")))
        }
        if !item.username.isEmpty { rows.append(("User name", clean(item.username))) }
        if let password = item.password {
            let past = password.previous == 0 ? "" : ", \(password.previous) before it"
            let remark = paint.dim("set \(When.day(password.changedAt))\(past)")
            // A value that can be read has its line to itself, so that it can be selected.
            if let value = password.value {
                rows += [("Password", clean(value)), ("", remark)]
            } else {
                rows.append(("Password", hidden + "  " + remark))
            }
        }
        for previous in item.password?.history ?? [] {
            rows += [("Before", clean(previous.value)), ("", paint.dim("until \(When.day(previous.replacedAt))"))]
        }
        for passkey in item.passkeys { rows.append(("Passkey", self.passkey(passkey, paint))) }
        for code in item.codes {
            let name = [code.issuer, code.account].filter { !$0.isEmpty }.joined(separator: ", ")
            rows.append(("Code", clean(code.type.uppercased() + (name.isEmpty ? "" : ", \(name)"))))
            if let link = code.link { rows.append(("", clean(link))) }
        }
        for section in item.sections {
            for field in section.fields {
                rows.append((field.label.isEmpty ? Self.words(field.name) : field.label, clean(field.value ?? hidden)))
            }
        }
        if !item.tags.isEmpty { rows.append(("Tags", clean(item.tags.joined(separator: ", ")))) }
        if let notes = item.notes {
            let lines = notes.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            for (number, line) in lines.enumerated() where !notes.isEmpty {
                rows.append((number == 0 ? "Notes" : "", clean(line)))
            }
        } else {
            rows.append(("Notes", hidden))
        }
        for (number, conflict) in (item.conflicts ?? []).enumerated() {
            let remark = paint.dim("\(When.minute(conflict.time)), device \(clean(conflict.device))")
            rows += [
                ("Other \(number)", clean(Self.words(conflict.name)) + "  " + clean(conflict.value ?? hidden)),
                ("", remark),
            ]
        }
        rows.append(("Changed", When.minute(item.modifiedAt) + paint.dim("  made \(When.day(item.createdAt))")))
        if let deletedAt = item.deletedAt { rows.append(("Trash", paint.yellow("since \(When.day(deletedAt))"))) }
        let width = rows.map { TextWidth.of(Table.clean($0.0)) }.max() ?? 0
        let heading = paint.bold((item.isFavorite ? "★ " : "") + Table.clean(item.title))
        let advice =
            item.conflicts == nil
            ? []
            : [
                paint.yellow("Changed on two devices: the later value is shown."),
                CommandHints.here("Take another: ward edit \(item.id.prefix(8)) --take N"),
                CommandHints.here("Keep those shown: ward edit \(item.id.prefix(8)) --settle"),
            ]
        return [heading + paint.dim("  \(item.kind) \(item.id.prefix(8))")]
            + rows.map { row in
                let label = Table.clean(row.0)
                let padding = String(repeating: " ", count: width - TextWidth.of(label))
                return "  " + paint.dim(label) + padding + "  " + row.1
            } + advice
    }

    private static func passkey(_ passkey: PasskeyRecord, _ paint: Paint) -> String {
        let who = passkey.userName.isEmpty ? passkey.userDisplayName : passkey.userName
        let used = passkey.lastUsedAt.map { ", used \(When.day($0))" } ?? ""
        let hidden = passkey.isHidden ? paint.yellow("  the site removed it") : ""
        return Table.clean("\(who) at \(passkey.rpID)")
            + paint.dim("  \(passkey.algorithm), made \(When.day(passkey.createdAt))\(used)") + hidden
    }

    /// `verificationNumber` as “Verification number”; a label that a person wrote stays as it is.
    private static func words(_ name: String) -> String {
        guard name.first?.isUppercase == false, !name.contains(" ") else { return name }
        var out = ""
        for character in name {
            if character.isUppercase { out += " " + character.lowercased() } else { out.append(character) }
        }
        return out.prefix(1).uppercased() + out.dropFirst()
    }
}
