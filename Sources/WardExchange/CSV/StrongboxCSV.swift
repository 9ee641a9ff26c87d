internal import WardVault

extension ImportFormat {
    /// Strongbox: `Title,Username,Email,Password,URL,OTPAuth,Notes`.
    static let strongboxCSV = CSVFormat(
        columns: [
            "title": .title, "username": .username, "email": .field("Email", .email), "password": .password,
            "url": .site, "otpauth": .code, "notes": .notes,
        ],
        required: ["title", "username", "email", "password", "url", "otpauth", "notes"]
    ).format(id: "strongbox", title: "Strongbox (CSV)")
}
