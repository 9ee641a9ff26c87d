internal import CryptoExtras
internal import Foundation
internal import GRDB
public import WardVault

/// The logins of a profile of Chromium, or of a browser made from it.
///
/// The file `Login Data` of a profile is a database of SQLite. Names and addresses are plain text in it. A password is encrypted with
/// a key that every installation has (`v10`), or with a key from the keyring of the desktop (`v11`).
public enum ChromiumProfile {
    /// The file of a profile that has the logins.
    public static let fileName = "Login Data"

    /// Reads the logins of a profile.
    ///
    /// - Parameters:
    ///   - database: The content of the file ``fileName``.
    ///   - now: The time of the import, in seconds since 1970.
    ///   - secrets: Asks the keyring of the desktop for the secrets of the browser; each is tried. It is called only if a
    ///     password needs one.
    /// - Returns: An item for each login, and notices about the rest.
    /// - Throws: ``ImportError`` with `malformed`, `tooLarge`, or what `secrets` throws.
    public static func contents(
        of database: [UInt8],
        now: Int64,
        secrets: () throws(ImportError) -> [SecretText]
    ) throws(ImportError) -> ImportedFile {
        let rows = try rows(of: database)
        let isInKeyring = rows.contains { ChromiumKeys.isOwn($0.sealed) || ChromiumKeys.isOwn($0.sealedNote) }
        let keys = ChromiumKeys(isInKeyring ? try secrets() : [])
        var file = ImportedFile()
        for row in rows { add(row, keys, now: now, to: &file) }
        return file
    }

    fileprivate struct Row: Sendable {
        var site: String
        var realm: String
        var username: String
        var sealed: [UInt8]
        var sealedNote: [UInt8]
        var created: Int64
        var changed: Int64
        var isBlocked: Bool
        var isFederated: Bool
        var scheme: Int
    }

    private static func add(_ row: Row, _ keys: ChromiumKeys, now: Int64, to file: inout ImportedFile) {
        // The person chose that this site's password is never saved.
        if row.isBlocked { return }
        let host = Site(row.site).host ?? row.site
        let shown = ItemTitle.clean(String("\(host) \(row.username)".prefix(200)))
        func leaveOut(_ text: String) { file.notices.append(ImportNotice(place: shown, .skipped, text)) }
        if row.isFederated, row.sealed.isEmpty {
            return leaveOut("the site is used through the account of another site, so there is no password")
        }
        let password: String
        switch keys.open(row.sealed) {
        case .success(let text): password = text
        case .failure(let reason): return leaveOut(reason.text)
        }
        let note = row.sealedNote.isEmpty ? "" : (try? keys.open(row.sealedNote).get()) ?? ""
        let login = StoredLogin(
            site: row.site,
            // The realm follows the origin for sign-ins without a form: https://example.com/Name
            realm: row.scheme == 0 || !row.realm.hasPrefix(row.site)
                ? nil : String(row.realm.dropFirst(row.site.count)),
            username: row.username,
            password: password,
            notes: note,
            createdAt: seconds(row.created),
            changedAt: seconds(row.changed)
        )
        let draft = login.draft(now: now)
        file.notices += draft.notices
        file.items.append(draft.finished())
    }

    /// The time in seconds since 1970, from microseconds since 1601.
    private static func seconds(_ time: Int64) -> Int64? {
        time > 0 ? time / 1_000_000 - 11_644_473_600 : nil
    }

    // MARK: The database

    private static func rows(of database: [UInt8]) throws(ImportError) -> [Row] {
        let damaged = ImportError(.malformed, "the file \(fileName) is not a database of logins, or it is damaged")
        let rows: [Row]
        do {
            rows = try MemoryDatabase.read(database) { db -> [Row]? in
                let columns = Set(try db.columns(in: "logins").map { $0.name.lowercased() })
                let hasNotes = try db.tableExists("password_notes")
                let note = "(SELECT value FROM password_notes n WHERE n.parent_id = l.id LIMIT 1)"
                guard columns.isSuperset(of: ["origin_url", "username_value", "password_value"]) else { return nil }
                func column(_ name: String, _ absent: String) -> String {
                    columns.contains(name) ? "l.\(name)" : absent
                }
                let rows = try GRDB.Row.fetchAll(
                    db,
                    sql: """
                        SELECT l.origin_url, \(column("signon_realm", "''")), l.username_value, l.password_value,
                            \(column("date_created", "0")), \(column("date_password_modified", "0")),
                            \(column("blacklisted_by_user", "0")), \(column("federation_url", "''")),
                            \(column("scheme", "0")),
                            \(hasNotes ? note : "NULL")
                        FROM logins l LIMIT \(ImportSource.maximumItems + 1)
                        """
                )
                return rows.map(Row.init)
            }
        } catch {
            throw damaged
        }
        guard rows.count <= ImportSource.maximumItems else {
            throw ImportError(.tooLarge, "the profile has more than \(ImportSource.maximumItems) logins")
        }
        return rows
    }
}

extension ChromiumProfile.Row {
    /// Reads a row; values of another type than the browser's count as empty.
    fileprivate init(_ row: GRDB.Row) {
        func text(_ index: Int) -> String { String.fromDatabaseValue(row[index]) ?? "" }
        func number(_ index: Int) -> Int64 { Int64.fromDatabaseValue(row[index]) ?? 0 }
        func bytes(_ index: Int) -> [UInt8] { Data.fromDatabaseValue(row[index]).map { [UInt8]($0) } ?? [] }
        self.init(
            site: text(0),
            realm: text(1),
            username: text(2),
            sealed: bytes(3),
            sealedNote: bytes(9),
            created: number(4),
            changed: number(5),
            isBlocked: number(6) != 0,
            isFederated: !text(7).isEmpty,
            scheme: Int(clamping: number(8))
        )
    }
}
