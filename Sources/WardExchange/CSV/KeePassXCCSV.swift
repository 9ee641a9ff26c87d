extension ImportFormat {
    /// KeePassXC: `"Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"`.
    static let keePassXCCSV = CSVFormat(
        columns: [
            "group": .own, "title": .title, "username": .username, "password": .password, "url": .site,
            "notes": .notes, "totp": .code, "icon": .internalValue, "last modified": .changed(.iso8601),
            "created": .created(.iso8601),
        ],
        required: ["group", "title", "username", "password", "url", "notes"],
        endsRows: true,
        adjust: { draft in
            // The first part is the database itself: "Root", or another name that the person gave it.
            let parts = draft.row["group"].split(separator: "/").dropFirst()
            if !parts.isEmpty { draft.tags.append(parts.joined(separator: "/")) }
        }
    ).format(id: "keepassxc-csv", title: "KeePassXC (CSV)")
}
