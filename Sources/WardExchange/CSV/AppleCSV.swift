extension ImportFormat {
    /// Apple Passwords: Passwords app and Safari, `Title,URL,Username,Password,Notes,OTPAuth`.
    static let appleCSV = CSVFormat(
        columns: [
            "title": .title, "url": .site, "username": .username, "password": .password, "notes": .notes,
            "otpauth": .code,
        ],
        required: ["title", "url", "username", "password"],
        isExact: true,
        adjust: { draft in
            // Apple writes "example.com (ada)" for an entry without a title of its own.
            let suffix = " (\(draft.username))"
            if !draft.username.isEmpty, draft.title.hasSuffix(suffix), draft.title != suffix {
                draft.title = String(draft.title.dropLast(suffix.count))
            }
        }
    ).format(id: "apple", title: "Apple Passwords (CSV)")
}
