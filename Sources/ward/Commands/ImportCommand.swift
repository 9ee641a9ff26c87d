import ArgumentParser
import Foundation
import WardAgentClient
import WardExchange

/// Imports from another credential manager or a browser.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import from another credential manager or a browser.",
        discussion: """
            Without --apply, ward shows what is new, what is there already and what conflicts, and changes nothing. On a \
            terminal it then asks whether to import. All items are imported in one step or not at all. A second import of the \
            same file changes nothing. --undo undoes the latest import of the last 30 days.

            The source is a file, a folder of pass, passage or gopass, a picture with QR codes of an authenticator app, or a browser \
            on this machine. ward recognizes the format of a file. --from names it:

            \(ImportFormat.all.map { "\($0.id): \($0.title)" }.joined(separator: "\n"))
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var source: ImportSourceOptions
    @Flag(help: "Import or undo, without a question.")
    var apply = false
    @Flag(help: "Overwrite and remove the file after the import.")
    var wipe = false
    @Flag(help: "Undo the latest import.")
    var undo = false
    @OptionGroup var undoing: UndoOptions

    func validate() throws {
        if undo {
            guard !source.isNamed, !wipe else { throw ValidationError("--undo takes no file and no options of one.") }
        } else {
            guard source.hasPlace else {
                throw ValidationError("Name a file or a folder, or a browser with --from-browser.")
            }
        }
        guard undo || !undoing.includeChanged else { throw ValidationError("--include-changed needs --undo.") }
        guard !wipe || apply else { throw ValidationError("--wipe needs --apply.") }
        guard !wipe || source.browser == nil else { throw ValidationError("--wipe is only for files.") }
    }

    func run() async throws {
        if undo {
            let run = UndoRun(
                kind: "import",
                options: options,
                apply: apply,
                includesChanged: undoing.includeChanged
            )
            return try await run.run()
        }
        let authorization = try options.authorization()
        let progress = ProgressLine(isShown: isatty(STDERR_FILENO) == 1 && !options.json)
        let found = try source.read(progress, noPrompt: options.noPrompt)
        let contents = found.contents
        let batches = try ImportBatches(contents.items)
        try await options.withAgent { agent in
            try await batches.send(to: agent, progress)
            progress.say("Comparing \(contents.items.count) items with the vault")
            var report = ImportReport(
                file: found.name,
                format: found.format,
                title: found.title,
                arguments: found.arguments,
                isApplied: apply,
                outcome: apply
                    ? try await agent.call(ApplyImport(authorization: authorization))
                    : try await agent.call(PlanImport(authorization: authorization)),
                notices: contents.notices
            )
            progress.end()
            if !apply, !options.json {
                Output.lines(report.lines(Paint(isOn: Paint.isWanted)))
                guard report.changes > 0, Terminal.isInteractive, !options.noPrompt else {
                    return Output.lines(report.next)
                }
                guard try Question.confirm("Import these \(report.items(report.changes))?") else {
                    throw Failure(.denied, "Nothing was changed")
                }
                report.outcome = try await agent.call(ApplyImport(authorization: authorization))
                report.isApplied = true
                Output.lines([report.done])
            } else if options.json {
                if report.isApplied, wipe, let file = found.plainFile { report.isWiped = try WipedFile.wipe(file) }
                return try Output.json(report)
            } else {
                Output.lines(report.lines(Paint(isOn: Paint.isWanted)) + [report.done])
            }
            if let file = found.plainFile { try offerWiping(file) }
        }
    }

    /// Removes the file, if the person wants that.
    private func offerWiping(_ file: String) throws {
        if !wipe {
            guard Terminal.isInteractive, !options.noPrompt, !apply else {
                return Terminal.note("\(Table.clean(file)) still has your secrets. Remove it when you can.")
            }
            guard try Question.confirm("Wipe \(Table.clean(file)) now?") else { return }
        }
        Terminal.note(try WipedFile.wipe(file).sentence(file))
    }
}
