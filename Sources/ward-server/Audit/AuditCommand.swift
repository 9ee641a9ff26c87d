import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server audit`.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show what happened to accounts, or verify that the record is complete.",
        discussion: """
            Each row has a number, a time, an event, the person or administrator who did it, the account, the way in which \
            the person proved to be its owner, the passkey, and details such as the session. With --json, each line is one row.

            --verify reads all rows, and shows the first row that was changed or removed, also at the end. It needs the \
            audit key, and compares the rows with the signed heads of --audit-heads. Use a copy of the file of heads that \
            was stored on another machine.

            Exit codes: 1 if --verify finds a change, 64 if the settings are not valid, 66 if the account does not exist, 69 \
            if the database, the key or the heads cannot be read.
            """
    )

    @Option(help: ArgumentHelp("Show only events of this account.", valueName: "name"))
    var account: String?

    @Option(help: ArgumentHelp("Show only events of this kind, such as signed_in.", valueName: "event"))
    var event: String?

    @Option(help: ArgumentHelp("Show only events of the last hours or days, such as 12h or 7d.", valueName: "duration"))
    var since: String?

    @Flag(help: "Verify the whole audit log instead of showing it.")
    var verify = false

    @OptionGroup var audit: AuditOptions

    @OptionGroup var options: AccountsOptions

    func validate() throws {
        guard !verify || (account == nil && event == nil && since == nil) else {
            throw ValidationError("--verify reads all rows: leave out --account, --event and --since.")
        }
        let known = AuditEvent.Kind.known.map(\.rawValue)
        if let event, !known.contains(event) {
            let nearest = NearestName.of(event, among: known).map { "write \($0)" }
            let hint = nearest ?? "the events are \(known.joined(separator: ", "))"
            throw ValidationError("--event: \"\(ShownText.clean(event))\" is not an event: \(hint).")
        }
    }

    func run() async throws {
        try await options.withStore { store in
            if verify {
                try await verifyAll(store)
            } else {
                try await list(store)
            }
        }
    }

    private func list(_ store: SQLiteAccountStore) async throws {
        var earliest = Int64.min
        if let since {
            do {
                earliest = Effects.live.now() - (try Duration(settingText: since)).components.seconds
            } catch { throw SettingsError("--since: \(error)") }
        }
        var id: AccountID?
        if let account { id = try await store.read { try await $0.account(typed: account) }.id }
        var number: Int64 = 0
        while true {
            let after = number
            let page = try await store.read { tx in
                try tx.auditEntries(after: after, limit: 500).map { entry in
                    let owner = try entry.event.account.flatMap { try tx.account(id: $0) }
                    return (entry, owner?.username.text)
                }
            }
            for (entry, name) in page {
                let isShown = entry.event.time >= earliest && (id == nil || entry.event.account == id)
                guard isShown, event == nil || entry.event.kind.rawValue == event else { continue }
                try options.show(JSONValue(auditing: entry, of: name), [entry.line(of: name)])
            }
            guard let last = page.last else { return }
            number = last.0.number
        }
    }

    private func verifyAll(_ store: SQLiteAccountStore) async throws {
        let files = try await audit.files(options.store)
        let result = try await AuditCheck(key: files.key, heads: files.heads).run(on: store)
        if let finding = result.finding {
            try options.show(result.json, [finding.sentence])
            throw ExitCode.failure
        }
        let rows = result.last < result.first ? "there are no rows" : "rows \(result.first) to \(result.last)"
        let known = result.heads == 1 ? "1 signed head" : "\(result.heads) signed heads"
        try options.show(result.json, ["The audit log is as it was written: \(rows), compared with \(known)."])
        if result.heads == 0 {
            warn("without signed heads it is not known whether rows at the end are missing: see --audit-heads")
        }
    }
}

extension AuditEntry {
    /// The values are separated by tabs, for other programs.
    fileprivate func line(of name: String?) -> String {
        let parts = [
            "\(number)", JSONTime.text(event.time), ShownText.clean(event.kind.rawValue), event.actor.rawValue,
            name.map { ShownText.clean($0) } ?? event.account?.text ?? "-", event.method?.rawValue ?? "-",
            event.credential?.base64URL ?? "-",
        ]
        let details = event.details.values.sorted { $0.key < $1.key }.map { name, value in
            "\(ShownText.clean(name))=\(ShownText.clean(value))"
        }
        return (parts + [details.isEmpty ? "-" : details.joined(separator: " ")]).joined(separator: "\t")
    }
}

extension AuditVerification.Finding {
    fileprivate var sentence: String {
        switch self {
        case .checkpointForged:
            "The checkpoint is not signed by the audit key. Rows were removed at the beginning, or the key is another one."
        case .headForged(let number):
            "The head of row \(number) is not signed by the audit key. Name the service's own key and heads."
        case .removed(let number): "Row \(number) was removed."
        case .changed(let number): "Row \(number) was changed."
        case .rewritten(let first, let last):
            "Rows \(first) to \(last) are not the ones that were signed: one of them was changed, and all hashes after it."
        case .cutOff(let first, let last): "Rows \(first) to \(last) were cut off at the end."
        }
    }
}
