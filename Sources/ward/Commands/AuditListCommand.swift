import ArgumentParser
import Foundation
import WardAgentClient
import WardAudit
import WardPasswords

/// Lists the security problems.
struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the security problems of all items, or of some.",
        discussion: """
            A password is weak if it can be guessed with fewer than 2^40 tries. The title, the site and the user name count as \
            known to the attacker. Sites that share their accounts count as one site: see ward update-data.

            Nothing leaves this machine without --online. Each online check says before it begins what it sends and to whom, and \
            asks. --online leaks compares the passwords with a service that lists leaked passwords: it gets the first 5 digits \
            of a hash of each password. The answers count for a day, until the vault is locked. --leaks-from FILE does the same \
            without the network: with a file in the format of Pwned Passwords, sorted by hash. --online passkeys asks the sites \
            of accounts that have a password and no passkey whether they offer passkeys, at \(PasskeyOffer.path).

            The exit status is 11 if there are problems. Problems that you ignore do not count.
            """
    )

    @OptionGroup var options: AgentOptions
    @Flag(help: "Show the problems that you ignore too.")
    var showIgnored = false
    @Option(
        help: ArgumentHelp(
            "Check over the network: \(OnlineCheck.allCases.map(\.rawValue).joined(separator: " or ")). Repeat for more.",
            valueName: "check"
        ),
        completion: .list(OnlineCheck.allCases.map(\.rawValue))
    )
    var online: [OnlineCheck] = []
    @Option(
        help: ArgumentHelp(
            "File with hashes of leaked passwords. With --online leaks: https address of a service, before the digits.",
            valueName: "file or address"
        ),
        completion: .file()
    )
    var leaksFrom: String?
    @OptionGroup var sending: ConsentOptions
    @Argument(
        help: ArgumentHelp("Only these items: title, words or ID.", valueName: "item"),
        completion: .custom { words, index, prefix in await ItemCompletion.titles(words, index, prefix) }
    )
    var items: [String] = []

    private var hasLeaksFile: Bool { leaksFrom.map { !$0.contains("://") } ?? false }

    func validate() throws {
        if leaksFrom != nil, !hasLeaksFile, !online.contains(.leaks) {
            throw ValidationError("Use an address in --leaks-from only with --online leaks.")
        }
        if hasLeaksFile, online.contains(.leaks) {
            throw ValidationError("Use only one of --online leaks and a file in --leaks-from.")
        }
        guard !online.isEmpty || sending.isEmpty else {
            throw ValidationError("Use --yes, --remember and --no-remember only with --online.")
        }
    }

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            if hasLeaksFile, let leaksFrom { try await search(leaksFrom, authorization, agent) }
            if online.contains(.leaks) { try await lookUp(authorization, agent) }
            let sites = online.contains(.passkeys) ? try await askSites(authorization, agent) : nil
            let result = try await agent.call(
                AuditVault(authorization: authorization, items: items, passkeySites: sites)
            )
            let report = AuditReport(result, showIgnored: showIgnored)
            if options.json { try Output.json(report.json) } else { report.print() }
            if report.hasProblems { throw ExitCode(AuditReport.problemsFound) }
        }
    }

    /// Looks up the passwords in a file.
    private func search(_ file: String, _ authorization: Authorization, _ agent: AgentClient) async throws {
        let path = URL(fileURLWithPath: file).path
        let done = try await agent.call(SearchLeakFile(authorization: authorization, path: path))
        let checked = AuditReport.number(done.checked, "password", "passwords")
        Terminal.note("Compared \(checked) with \(Table.clean(file)).")
    }

    /// Looks up the passwords at a service.
    private func lookUp(_ authorization: Authorization, _ agent: AgentClient) async throws {
        let lookup = try LeakLookup(leaksFrom ?? BreachedPasswordRange.standard)
        let wanted = try await agent.call(ListLeakPrefixes(authorization: authorization))
        guard !wanted.prefixes.isEmpty else { return }
        try sending.consent.ask(lookup.text(wanted), as: "\(OnlineCheck.leaks.rawValue) \(lookup.host)", options)
        let done = try await lookup.run(wanted.prefixes, agent)
        let checked = AuditReport.number(done.checked, "password", "passwords")
        Terminal.note("Compared \(checked) with the list of \(lookup.host).")
        guard done.failed > 0 else { return }
        let failed = AuditReport.number(done.failed, "query", "queries")
        Terminal.note("Warning: \(failed) had no usable answer, so some passwords were not checked. Try again later")
    }

    /// Asks sites whether they offer passkeys.
    private func askSites(
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws -> [AuditVault.PasskeySite] {
        let domains = try await agent.call(ListPasskeyDomains(authorization: authorization)).domains
        guard !domains.isEmpty else { return [] }
        let lookup = PasskeyLookup(domains)
        try sending.consent.ask(lookup.text, as: "\(OnlineCheck.passkeys.rawValue) sites", options)
        let progress = ProgressLine(isShown: isatty(STDERR_FILENO) == 1 && !options.json)
        let found = try await lookup.run(progress)
        let asked = AuditReport.number(domains.count, "site", "sites")
        Terminal.note("Asked \(asked): \(found.count) of them say that they offer passkeys.")
        return found
    }
}
