extension ImportFormat {
    /// Chromium's browsers: Chrome, Edge, Brave, Vivaldi, Opera; `name,url,username,password,note`.
    static let chromeCSV = CSVFormat(
        columns: ["name": .title, "url": .site, "username": .username, "password": .password, "note": .notes],
        required: ["name", "url", "username", "password"],
        isExact: true,
        endsRows: true
    ).format(id: "chrome", title: "Chrome, Edge, Brave and other Chromium browsers (CSV)")
}
