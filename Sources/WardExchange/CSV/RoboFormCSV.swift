extension ImportFormat {
    /// RoboForm: `Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2`.
    ///
    /// A row has as many further columns as its form had fields.
    static let roboFormCSV = CSVFormat(
        columns: [
            "name": .title, "url": .site, "matchurl": .site, "login": .username, "pwd": .password, "note": .notes,
            "folder": .own, "rffieldsv2": .field("RoboForm field"),
        ],
        required: ["name", "url", "matchurl", "login", "pwd", "note"],
        hasLongRows: true,
        adjust: { draft in
            let folder = draft.row["folder"].split(separator: "/").joined(separator: "/")
            if !folder.isEmpty { draft.tags.append(folder) }
        }
    ).format(id: "roboform", title: "RoboForm (CSV)")
}
