import ArgumentParser
import Configuration
import WardSQLite
import WardServer
import WardStoreSQLite
import WardText
import WardWebAuthn

/// `ward-server check`.
struct Check: SettingsUse {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the settings, the databases and the machine.",
        discussion: """
            The command has the same settings as ward-server serve, reads the whole databases, and changes nothing. The \
            service may run at the same time.

            Exit codes: 0 if the service can run, even if there are warnings; 1 if something is wrong; 64 if the settings \
            are not valid.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    func run(_ given: [AbsoluteConfigKey: ConfigValue]) async throws {
        var report = CheckReport()
        try await reportingFailures {
            let settings = try await ServeSettings(given)
            try settings.server.validate()
            report.check(settings)
        }
        if json { try answer(report.json.text) } else { try report.lines.forEach(answer) }
        if report.hasErrors { throw ExitCode(1) }
    }
}

/// What a check found.
struct CheckReport {
    private var database: DatabaseState?
    private var path: String?
    private var rpID = ""
    private var sync: SyncDatabaseCheck?
    private var findings: [Finding] = []

    /// Whether the check found an error, so that the service cannot or should not run.
    var hasErrors: Bool { findings.contains { $0.isError } }

    mutating func check(_ settings: ServeSettings) {
        rpID = settings.server.rpID
        if settings.server.servesFIDOConformance {
            findings.append(.warning("fido_conformance", "the FIDO conformance API is on: use it for tests only"))
        }
        if settings.server.acceptsPasswords, settings.server.breachedPasswords == nil {
            findings.append(.warning("no_breached_passwords", ServerConfiguration.noBreachedPasswords))
        }
        if let problem = settings.server.mailProblem { findings.append(.error("mail_not_usable", problem)) }
        if let problem = settings.server.policyProblem { findings.append(.error("policy_not_usable", problem)) }
        if let problem = settings.server.textProblem { findings.append(.error("texts_not_usable", problem)) }
        if let problem = settings.server.metadataProblem(at: Effects.live.now()) {
            findings.append(.error("metadata_not_usable", problem))
        }
        if let warning = settings.server.metadataWarning(at: Effects.live.now()) {
            findings.append(.warning("metadata_outdated", warning))
        }
        if let problem = settings.server.webhookProblem { findings.append(.error("webhooks_not_usable", problem)) }
        // The settings were validated, so the proxies can be read.
        if let warning = try? settings.server.proxyWarning(listeningOn: settings.server.listen) {
            findings.append(.warning(warning.code, warning.message))
        }
        defer { check(settings.sync) }
        guard !settings.server.storeIsInMemory else {
            findings.append(
                .warning("database_in_memory", "the database is in memory: everything is lost at the next stop")
            )
            return
        }
        path = settings.database
        findings += FileFindings(settings.database).findings
        guard !findings.contains(where: { $0.code == "database_missing" }) else { return }
        do {
            let state = try DatabaseState.check(settings.database)
            database = state
            findings += state.findings(settings.server)
        } catch {
            let code = (error as? DatabaseFailure)?.code ?? .unavailable
            findings.append(.error("database_" + code.name, "the database cannot be used: \(error)"))
        }
    }

    /// Checks the database of the sync server, if there is one.
    ///
    /// What is wrong with a folder of both databases is said once.
    private mutating func check(_ settings: SyncSettings?) {
        guard let settings else { return }
        let checked = SyncDatabaseCheck(settings)
        sync = checked
        let said = Set(findings.map(\.message))
        findings += checked.findings.filter { !said.contains($0.message) }
    }

    var json: JSONValue {
        var members = [JSONValue.Member("ok", .bool(!hasErrors)), .init("rpID", .string(rpID))]
        members.append(.init("database", path.map { .string($0) } ?? .null))
        if let database {
            members += [
                .init("schemaVersion", .integer(Int64(database.schemaVersion))),
                .init("currentSchemaVersion", .integer(Int64(DatabaseState.currentSchemaVersion))),
                .init("accounts", .integer(Int64(database.accounts))),
                .init("passkeys", .integer(Int64(database.passkeys))),
                .init("passwordOnlyAccounts", .integer(Int64(database.passwordOnlyAccounts))),
            ]
        }
        if let sync { members.append(.init("sync", sync.json)) }
        members.append(.init("findings", .array(findings.map(\.json))))
        return .object(members)
    }

    var lines: [String] {
        var lines = ["RP ID      \(rpID)"]
        if let path { lines.append("Database   \(path)") }
        if let database {
            lines.append("Contents   \(database.sentence)")
            lines.append("Schema     version \(database.schemaVersion) of \(DatabaseState.currentSchemaVersion)")
        }
        lines += sync?.lines ?? []
        lines += findings.map { "\($0.isError ? "Error  " : "Warning")    \($0.message)" }
        return lines + [hasErrors ? "The service should not run like this." : "The service can run."]
    }
}

/// One finding of a check.
struct Finding {
    let code: String
    let message: String
    let isError: Bool

    static func error(_ code: String, _ message: String) -> Finding {
        .init(code: code, message: message, isError: true)
    }
    static func warning(_ code: String, _ message: String) -> Finding {
        .init(code: code, message: message, isError: false)
    }

    /// The same finding about another database.
    func prefixed(_ prefix: String) -> Finding { .init(code: prefix + code, message: message, isError: isError) }

    var json: JSONValue {
        ["level": .string(isError ? "error" : "warning"), "code": .string(code), "message": .string(message)]
    }
}

extension DatabaseState {
    /// A contradiction between a database and the settings.
    fileprivate func findings(_ server: ServerConfiguration) -> [Finding] {
        var findings: [Finding] = []
        if schemaVersion < Self.currentSchemaVersion {
            findings.append(
                .warning(
                    "schema_outdated",
                    "the tables are of an earlier version: the next start migrates them; back up first"
                )
            )
        }
        if let rpID, rpID != server.rpID {
            findings.append(
                .error("other_rp_id", "the database is of \(rpID): use --rp-id \(rpID), or another database")
            )
        }
        if !server.acceptsPasswords, passwordOnlyAccounts > 0 {
            findings.append(.warning("password_only_accounts", passwordOnlyWarning(passwordOnlyAccounts)))
        }
        return findings
    }
}

/// The accounts that cannot sign in with `--passkeys-only`.
func passwordOnlyWarning(_ count: Int) -> String {
    (count == 1
        ? "1 account has a password and no passkey, and" : "\(count) accounts have a password and no passkey, and")
        + " cannot sign in with --passkeys-only"
}
