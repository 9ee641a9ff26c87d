import ArgumentParser
import Foundation
import WardAgentClient

/// Which programs are apps.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List, add and remove the programs that may ask for passkeys and passwords as apps.",
        discussion: """
            An app is known by its executable: its path and what the file contains. Flatpak apps are known by their sandbox and \
            need not be added. An app gets what belongs to a domain only if the domain names it, in \
            https://DOMAIN/.well-known/apple-app-site-association.
            """,
        subcommands: [List.self, Add.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the programs that are registered, and whether they are still what they were."
        )

        @OptionGroup var options: AgentOptions

        func run() async throws {
            try await options.withAgent { agent in
                let result = try await agent.call(ListApps())
                if options.json { return try Output.json(result) }
                for problem in result.problems { Terminal.note("Passed over: \(Table.clean(problem))") }
                guard !result.apps.isEmpty else {
                    return Terminal.note(
                        "No programs are registered: ward apps add PATH --id com.example.app --name Name"
                    )
                }
                var table = Table([
                    .init(heading: "App"), .init(heading: "Identifier"), .init(heading: "Program"),
                    .init(heading: "SHA-256", shrinks: false), .init(heading: "State", shrinks: false),
                    .init(heading: "By", shrinks: false),
                ])
                for app in result.apps {
                    table.add([
                        app.displayName, app.identifier,
                        app.isFlatpak == true
                            ? "Flatpak, for " + app.domains.joined(separator: ", ") : Paths.short(app.path),
                        String(app.digest.prefix(12)),
                        app.state.rawValue, app.isAdministrators ? "administrator" : "you",
                    ])
                }
                Output.lines(table.lines(width: Terminal.width, paint: Paint(isOn: Paint.isWanted)))
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register a program as an app. After an update of the program, register it again.",
            discussion: """
                ward apps add ~/bin/shiny --id com.example.shiny --name Shiny
                ward apps add --flatpak org.example.Mail --domain example.com

                Shows what will be trusted, and asks. If the file changes, the app loses access until you add it again.

                A Flatpak needs no registration. With --flatpak it may ask for the passwords and codes of domains that do not \
                name it themselves; a passkey always needs the domain's own word.
                """
        )

        @OptionGroup var options: AgentOptions
        @Argument(help: ArgumentHelp("The program's file.", valueName: "path"), completion: .file())
        var path: String?
        @Option(
            help: ArgumentHelp(
                "The app's identifier as domains list it. Optional if the program is already registered.",
                valueName: "identifier"
            )
        )
        var id: String?
        @Option(help: ArgumentHelp("A Flatpak's application ID, instead of a program's file.", valueName: "identifier"))
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
                "A domain that it may speak for; repeatable. Default: the registered domains, or all that name it.",
                valueName: "domain"
            )
        )
        var domain: [String] = []
        @Flag(help: "Do not ask.")
        var yes = false
        @Flag(help: "Take a program that runs what it is told, such as a shell: every script will be this app.")
        var force = false

        func validate() throws {
            guard (path == nil) != (flatpak == nil) else {
                throw ValidationError("Name the program's file, or an application ID with --flatpak.")
            }
            guard flatpak == nil || !domain.isEmpty else { throw ValidationError("--flatpak needs --domain.") }
            guard flatpak == nil || (id == nil && name == nil) else {
                throw ValidationError(
                    "A Flatpak's application ID is its identifier and its name: leave out --id and --name."
                )
            }
        }

        func run() async throws {
            if let flatpak { return try await add(flatpak: flatpak) }
            let given = URL(fileURLWithPath: path ?? "").path
            try await options.withAgent { agent in
                let found = try await agent.call(CheckApp(path: given))
                // An update keeps what the person said before, limits above all.
                let before = try await agent.call(ListApps()).apps.first {
                    !$0.isAdministrators && $0.path == found.path
                }
                guard let id = id ?? before?.identifier else {
                    throw Failure(.usage, "\(found.path) is not registered yet: say what it is with --id")
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
                Output.lines(["\(Table.clean(app.displayName)) is known as \(app.identifier)."])
            }
        }

        private func add(flatpak: String) async throws {
            let domains = domain.joined(separator: ", ")
            try confirm {
                Terminal.note("Flatpak     \(Table.clean(flatpak))")
                Terminal.note("Domains     \(Table.clean(domains))")
                Terminal.note("It may ask for passwords and codes of these, also where the domain does not name it.\n")
            }
            try await options.withAgent { agent in
                let app = try await agent.call(AddFlatpakApp(identifier: flatpak, domains: domain))
                if options.json { return try Output.json(app) }
                Output.lines(["\(app.identifier) may ask for passwords and codes of \(domains)."])
            }
        }

        /// Shows what will be trusted, and asks.
        private func confirm(_ show: () -> Void) throws {
            guard !yes else { return }
            guard !options.noPrompt, !options.json else {
                throw Failure(.usage, "cannot ask for confirmation here: add --yes")
            }
            show()
            guard try Question.confirm("Trust it?") else { throw Failure(.denied, "nothing was registered") }
        }

        private func show(_ method: AddApp, _ found: CheckApp.Result) {
            Terminal.note("App         \(Table.clean(method.displayName))")
            Terminal.note("Identifier  \(Table.clean(method.identifier))")
            Terminal.note("Program     \(Table.clean(found.path))")
            Terminal.note("SHA-256     \(found.digest)")
            let domains = method.domains.map(Table.clean).joined(separator: ", ")
            Terminal.note("Domains     \(domains.isEmpty ? "all that name it" : domains)")
            if found.isInterpreter { Terminal.note("It runs what it is told: every script will be this app.") }
            Terminal.note("")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a program out; what was kept for it stays in the vault."
        )

        @OptionGroup var options: AgentOptions
        @Argument(help: ArgumentHelp("The identifier, or the program's path.", valueName: "app"))
        var app: String

        func run() async throws {
            let name = app.contains("/") ? URL(fileURLWithPath: app).path : app
            try await options.withAgent { agent in
                let removed = try await agent.call(RemoveApp(app: name)).apps
                if options.json { return try Output.json(removed) }
                Output.lines(
                    removed.map {
                        $0.isFlatpak == true
                            ? "Removed what \($0.identifier) was given."
                            : "Removed \(Table.clean($0.displayName)) (\($0.identifier), \(Table.clean($0.path)))."
                    }
                )
            }
        }
    }
}
