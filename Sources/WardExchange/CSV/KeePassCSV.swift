extension ImportFormat {
    /// KeePass 2, "KeePass CSV (1.x)": `"Account","Login Name","Password","Web Site","Comments"`.
    ///
    /// A backslash stands before quotation marks and backslashes.
    static let keePassCSV = CSVFormat(
        columns: [
            "account": .title, "login name": .username, "password": .password, "web site": .site, "comments": .notes,
        ],
        required: ["account", "login name", "password", "web site", "comments"],
        escapesWithBackslash: true
    ).format(id: "keepass-csv", title: "KeePass 2 (CSV 1.x)")
}
