extension ImportFormat {
    /// SafeInCloud: `"Title","Login","Password","URL","Notes","OTP"`.
    static let safeInCloudCSV = CSVFormat(
        columns: [
            "title": .title, "login": .username, "password": .password, "url": .site, "website": .site,
            "notes": .notes, "otp": .code, "labels": .tags,
        ],
        required: ["title", "login", "password", "notes"]
    ).format(id: "safeincloud", title: "SafeInCloud (CSV)")
}
