extension ImportFormat {
    /// 1Password 8: `Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes`.
    static let onePasswordCSV = CSVFormat(
        columns: [
            "title": .title, "url": .site, "website": .site, "username": .username, "password": .password,
            "otpauth": .code, "favorite": .favorite, "archived": .own, "tags": .tags, "notes": .notes,
        ],
        required: ["title", "username", "password", "favorite", "archived"],
        adjust: { draft in
            if draft.row["archived"].lowercased() == "true" { draft.tags.append("Archived") }
        }
    ).format(id: "1password-csv", title: "1Password 8 (CSV)")
}
