internal import WardText
internal import WardVault

/// The logins of a profile of Firefox, or of a browser made from it.
///
/// `logins.json` has the logins, and NSS decrypts their names and passwords with the keys of `key4.db`.
public enum FirefoxProfile {
    /// The file of a profile that has the logins.
    public static let fileName = "logins.json"

    /// Reads the logins of a profile.
    ///
    /// - Parameters:
    ///   - folder: The folder of the profile. It is only read, and the browser may be running.
    ///   - logins: The content of the file ``fileName`` in it.
    ///   - libraries: Paths of `libnss3.so`; the first that can be loaded decrypts.
    ///   - source: The primary password, if the person was asked for it, and the time.
    /// - Returns: An item for each login, and notices about the rest.
    /// - Throws: ``ImportError`` with `passphraseNeeded` and `wrongPassphrase` for the primary password, `malformed`, or
    ///   `unsupported` if there is no NSS.
    public static func contents(
        in folder: String,
        logins: [UInt8],
        libraries: [String],
        source: ImportSource
    ) throws(ImportError) -> ImportedFile {
        let document = try ImportedJSON.document(logins, name: fileName)
        guard let rows = document["logins"]?.arrayValue else {
            throw ImportError(.malformed, "\(fileName) has no list of logins")
        }
        guard rows.count <= ImportSource.maximumItems else {
            throw ImportError(.tooLarge, "the profile has more than \(ImportSource.maximumItems) logins")
        }
        guard !rows.isEmpty else { return ImportedFile() }
        let keys = try NSSKeys(folder: folder, libraries: libraries, passphrase: source.passphrase)
        defer { keys.close() }
        var file = ImportedFile()
        for (index, row) in rows.enumerated() {
            add(row, "login \(index + 1)", keys, now: source.now, to: &file)
        }
        guard !file.items.isEmpty || !file.notices.contains(where: { $0.text == Self.locked }) else {
            let text = "no password of the profile can be decrypted: key4.db does not fit logins.json"
            throw ImportError(.malformed, text)
        }
        return file
    }

    private static let locked = "the login is left out: its password cannot be decrypted"

    private static func add(
        _ row: JSONValue,
        _ place: String,
        _ keys: NSSKeys,
        now: Int64,
        to file: inout ImportedFile
    ) {
        // A deleted login stays as a mark for synchronization, without a password.
        guard row["deleted"]?.boolValue != true else { return }
        let site = row["hostname"]?.stringValue ?? ""
        let shown = ItemTitle.clean(String(site.prefix(200)))
        let title = shown.isEmpty ? place : shown
        guard site != "chrome://FirefoxAccounts" else {
            return file.notices.append(
                ImportNotice(place: title, .skipped, "the key of Firefox's own account is not a password")
            )
        }
        func text(_ name: String) -> String? {
            row[name]?.stringValue.flatMap { Base64.decode(lenient: $0) }.flatMap(keys.decrypt)
                .flatMap { String(validating: $0, as: UTF8.self) }
        }
        guard let username = text("encryptedUsername"), let password = text("encryptedPassword") else {
            return file.notices.append(ImportNotice(place: title, .skipped, Self.locked))
        }
        let login = StoredLogin(
            site: site,
            realm: row["httpRealm"]?.stringValue,
            username: username,
            password: password,
            createdAt: row["timeCreated"]?.integerValue.map { $0 / 1000 },
            changedAt: row["timePasswordChanged"]?.integerValue.map { $0 / 1000 }
        )
        var draft = login.draft(now: now)
        if let action = row["formSubmitURL"]?.stringValue, action != site { draft.addField("Form action", action) }
        file.notices += draft.notices
        file.items.append(draft.finished())
    }
}
