extension ImportFormat {
    /// Dashlane: `username,username2,username3,title,password,note,url,category,otpUrl`.
    static let dashlaneCSV = CSVFormat(
        columns: [
            "username": .username, "username2": .field("User name 2"), "username3": .field("User name 3"),
            "title": .title, "password": .password, "note": .notes, "url": .site, "category": .tag,
            "otpurl": .code, "otpsecret": .code,
        ],
        required: ["username", "username2", "username3", "title", "password"]
    ).format(id: "dashlane", title: "Dashlane (CSV)")
}
