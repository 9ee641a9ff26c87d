internal import WardVault

extension ImportFormat {
    /// Proton Pass: `type,name,url,email,username,password,note,totp,createTime,modifyTime,vault`.
    static let protonCSV = CSVFormat(
        columns: [
            "type": .own, "name": .title, "url": .own, "email": .own, "username": .username, "password": .password,
            "note": .notes, "totp": .code, "createtime": .created(.seconds), "modifytime": .changed(.seconds),
            "vault": .tag,
        ],
        required: ["type", "name", "url", "username", "password", "note", "createtime", "vault"],
        adjust: { draft in
            for address in CSVDraft.list(draft.row["url"], separators: ",") { draft.addSite(address) }
            let email = draft.row["email"]
            if draft.username.isEmpty {
                draft.username = email
            } else if !email.isEmpty, email != draft.username {
                draft.fields.append(Field(label: "Email", type: .email, value: .text(SecretText(email))))
            }
            switch draft.row["type"].lowercased() {
            case "login": draft.kind = .login
            case "alias":
                draft.kind = .login
                draft.tags.append("Alias")
            case "note": draft.kind = .note
            case "creditcard": draft.kind = .card
            case "identity": draft.kind = .identity
            default: draft.fields.append(Field(label: "Type", text: draft.row["type"]))
            }
        }
    ).format(id: "proton-csv", title: "Proton Pass (CSV)")
}
