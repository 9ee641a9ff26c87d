internal import WardVault

extension ImportFormat {
    /// Firefox: `"url","username","password","httpRealm","formActionOrigin","guid",…` with times in milliseconds.
    static let firefoxCSV = CSVFormat(
        columns: [
            "url": .site, "username": .username, "password": .password, "httprealm": .field("HTTP realm"),
            "formactionorigin": .own, "guid": .internalValue, "timecreated": .created(.milliseconds),
            "timelastused": .internalValue, "timepasswordchanged": .changed(.milliseconds),
        ],
        required: ["url", "username", "password", "httprealm", "formactionorigin"],
        adjust: { draft in
            if draft.row["url"] == "chrome://FirefoxAccounts" {
                draft.isSkipped = true
                draft.note(.skipped, "the key of Firefox's own account is not a password")
            }
            let action = draft.row["formactionorigin"]
            if !action.isEmpty, action != draft.row["url"] {
                draft.fields.append(.init(label: "Form action", text: action))
            }
        }
    ).format(id: "firefox", title: "Firefox (CSV)")
}
