import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Runs a program with secrets in its environment.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program with secrets in its environment.",
        discussion: """
            If the value of an environment variable is ward://VAULT/ITEM/FIELD, the program gets the value of that field \
            instead. VAULT is a name from ward vault list; if it is empty, it is the vault of the command. ITEM is the exact \
            title or the item ID. FIELD is a name for ward show --field, or code. Write a slash inside VAULT, ITEM or FIELD \
            as %2F.

            DB_PASSWORD=ward://default/Database/password ward run -- ./migrate
            ward run --env-file deploy.env -- ./deploy --now

            ward masks these values in the output of the program if they have 4 characters or more. The exit status is the \
            program's.
            """
    )

    @OptionGroup var options: AgentOptions
    @Option(
        name: .customLong("env-file"),
        help: ArgumentHelp(
            "File with a NAME=value on each line, for the program's environment; repeatable.",
            valueName: "file"
        ),
        completion: .file()
    )
    var files: [String] = []
    @Flag(help: "Do not mask the output; the program gets the terminal itself.")
    var noMask = false
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Program and its arguments, after --.", valueName: "command")
    )
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("Give a program to run: ward run -- COMMAND") }
    }

    func run() async throws {
        guard let program = ProgramPath.find(command[0]) else {
            throw Failure(.missing, "There is no program \(command[0]). Check its name and PATH")
        }
        var environment = ProcessInfo.processInfo.environment
        for file in files { try environment.merge(variables(file)) { $1 } }
        let references = try environment.filter { $0.value.hasPrefix(SecretReference.scheme) }
            .sorted { $0.key < $1.key }.map { ($0.key, try SecretReference($0.value, in: $0.key)) }
        var secrets: [String] = []
        if !references.isEmpty {
            let values = try await resolved(references)
            for (name, reference) in references { environment[name] = values[reference] }
            secrets = Array(values.values)
        }
        let arguments = Array(command.dropFirst())
        if noMask || secrets.isEmpty { return try Foreground.become(program, arguments, environment: environment) }
        throw ExitCode(try MaskedRun.run(program, arguments, environment: environment, hiding: secrets))
    }

    /// The values of references, by vault.
    ///
    /// A passphrase from a file descriptor belongs to the command's vault. For other vaults the person is asked.
    private func resolved(_ references: [(String, SecretReference)]) async throws -> [SecretReference: String] {
        let own = try options.vault()
        let authorization = try options.authorization()
        var values: [SecretReference: String] = [:]
        var rest = references
        while let (name, first) = rest.first {
            let vault = try first.vault.isEmpty ? own : VaultChoice(named: first.vault, by: name)
            let isHere = { (reference: SecretReference) in
                reference.vault.isEmpty ? vault.name == own.name : reference.vault == vault.name.description
            }
            let here = rest.filter { isHere($0.1) }
            rest.removeAll { isHere($0.1) }
            let allowed = vault.name == own.name ? authorization : Authorization(mayPrompt: authorization.mayPrompt)
            let found = try await vault.existing().withAgent { agent in
                var found: [SecretReference: String] = [:]
                for (name, reference) in here where found[reference] == nil {
                    found[reference] = try await Self.value(of: reference, for: name, allowed, agent)
                }
                return found
            }
            values.merge(found) { $1 }
        }
        return values
    }

    private static func value(
        of reference: SecretReference,
        for name: String,
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws -> String {
        let value: String?
        do {
            let found = try await agent.call(FindItem(authorization: authorization, item: reference.item))
            guard found.deletedAt == nil else {
                throw Failure(
                    .missing,
                    "\(name): \(found.title) is in the trash. Restore it: ward restore \(found.id.prefix(8))"
                )
            }
            if reference.field == "code" {
                value = try await agent.call(ShowCode(authorization: authorization, item: found.id)).code
            } else {
                let item = try await agent.call(GetItem(authorization: authorization, item: found.id, reveal: true))
                value = ItemText.value(reference.field, of: item)
            }
        } catch let error as AgentError { throw Failure(AgentError(error.code, "\(name): \(error.message)")) }
        guard let value else { throw Failure(.missing, "\(name): \(reference.item) has no \(reference.field)") }
        guard !value.utf8.contains(0) else {
            throw Failure(.usage, "\(name): the value has a NUL character, and a variable cannot contain that")
        }
        return value
    }

    private func variables(_ file: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for (number, line) in try TextFile.read(file).split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            guard let equals = line.firstIndex(of: "="), equals > line.startIndex else {
                throw Failure(.usage, "Line \(number + 1) of \(file) is not NAME=value")
            }
            found[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        return found
    }
}
