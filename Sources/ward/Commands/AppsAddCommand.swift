import ArgumentParser
import Foundation
import WardAgentClient

/// Registers an app.
struct AppsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register a program as an app. After an update of the program, register it again.",
        discussion: """
            ward apps add ~/bin/shiny --id com.example.shiny --name Shiny
            ward apps add --flatpak org.example.Mail --domain example.com

            The command shows what you will trust, and asks for confirmation. If the program's file changes, the app loses \
            access until you add it again.

            A Flatpak needs no registration. With --flatpak and --domain, a Flatpak may also request passwords and codes of \
            domains that do not list it. For a passkey, the domain must always list the app.
            """
    )

    @OptionGroup var options: QuestionOptions
    @Argument(help: ArgumentHelp("File of the program.", valueName: "path"), completion: .file())
    var path: String?
    @Option(
        help: ArgumentHelp(
            "The app's identifier as domains list it. Optional if the program is already registered.",
            valueName: "identifier"
        )
    )
    var id: String?
    @Option(help: ArgumentHelp("Application ID of a Flatpak, instead of a file.", valueName: "identifier"))
    var flatpak: String?
    @Option(
        help: ArgumentHelp(
            "Name shown in prompts. Default: the registered name, or the file name.",
            valueName: "name"
        )
    )
    var name: String?
    @Option(
        help: ArgumentHelp(
            "Domain whose items the app may request; repeatable. Default: the registered domains, or all that list the app.",
            valueName: "domain"
        )
    )
    var domain: [String] = []
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @Flag(help: "Accept an interpreter, such as a shell. Every script that it runs then counts as this app.")
    var force = false

    func validate() throws {
        guard (path == nil) != (flatpak == nil) else {
            throw ValidationError("Give the program's file, or an application ID with --flatpak.")
        }
        guard flatpak == nil || !domain.isEmpty else { throw ValidationError("--flatpak needs --domain.") }
        guard flatpak == nil || (id == nil && name == nil) else {
            throw ValidationError(
                "For a Flatpak, identifier and name are its application ID. Leave out --id and --name."
            )
        }
    }

    func run() async throws {
        if let flatpak { return try await add(flatpak: flatpak) }
        let given = URL(fileURLWithPath: path ?? "").path
        try await options.withDefaultAgent { agent in
            let found = try await agent.call(CheckApp(path: given))
            // An update keeps the person's earlier choices, above all the limits on domains.
            let before = try await agent.call(ListApps()).apps.first {
                !$0.isAdministrators && $0.path == found.path
            }
            guard let id = id ?? before?.identifier else {
                throw Failure(.usage, "\(found.path) is not registered yet. Give its identifier: --id")
            }
            let method = AddApp(
                path: found.path,
                identifier: id,
                displayName: name ?? before?.displayName ?? found.path.split(separator: "/").last.map(String.init)
                    ?? id,
                domains: domain.isEmpty ? before?.domains ?? [] : domain,
                digest: found.digest,
                allowsInterpreter: force
            )
            try confirm { show(method, found) }
            let app = try await agent.call(method)
            if options.json { return try Output.json(app) }
            Output.lines(["\(Table.clean(app.displayName)) is registered as \(app.identifier)."])
        }
    }

    private func add(flatpak: String) async throws {
        let domains = domain.joined(separator: ", ")
        try confirm {
            Terminal.note("Flatpak     \(Table.clean(flatpak))")
            Terminal.note("Domains     \(Table.clean(domains))")
            Terminal.note("It may ask for passwords and codes of these domains, even if they do not name it.\n")
        }
        try await options.withDefaultAgent { agent in
            let app = try await agent.call(AddFlatpakApp(identifier: flatpak, domains: domain))
            if options.json { return try Output.json(app) }
            Output.lines(["\(app.identifier) may ask for passwords and codes of \(domains)."])
        }
    }

    /// Shows what the registration will trust, and asks for confirmation.
    private func confirm(_ show: () -> Void) throws {
        guard !yes else { return }
        guard !options.noPrompt, !options.json else {
            throw Failure(.usage, "Cannot ask for confirmation here: add --yes")
        }
        show()
        guard try Question.confirm("Trust it?") else { throw Failure(.denied, "Nothing was registered") }
    }

    private func show(_ method: AddApp, _ found: CheckApp.Result) {
        Terminal.note("App         \(Table.clean(method.displayName))")
        Terminal.note("Identifier  \(Table.clean(method.identifier))")
        Terminal.note("Program     \(Table.clean(found.path))")
        Terminal.note("SHA-256     \(found.digest)")
        let domains = method.domains.map(Table.clean).joined(separator: ", ")
        Terminal.note("Domains     \(domains.isEmpty ? "all that name it" : domains)")
        if found.isInterpreter { Terminal.note("It is an interpreter: every script it runs counts as this app.") }
        Terminal.note("")
    }
}
