import ArgumentParser
import Foundation
import WardAgentClient
import WardExchange
import WardVault

/// Imports the file of another credential manager.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the file of another credential manager.",
        discussion: """
            Without --apply, ward shows what is new, what is there already and what conflicts, and changes nothing. On a \
            terminal it then asks whether to import. All items are imported in one step or not at all. A second import of the \
            same file changes nothing.

            ward recognizes the format of the file. --from names it:

            \(ImportFormat.all.map { "\($0.id): \($0.title)" }.joined(separator: "\n"))
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("File to import.", valueName: "file"), completion: .file())
    var file: String
    @Option(
        help: ArgumentHelp("Format of the file.", valueName: "format"),
        completion: .list(ImportFormat.all.map(\.id))
    )
    var from: String?
    @Flag(help: "Import the items, without a question.")
    var apply = false
    @Option(
        name: .customLong("file-passphrase-fd"),
        help: ArgumentHelp("Read the passphrase of the file from this file descriptor.", valueName: "n")
    )
    var filePassphraseDescriptor: Int32?
    @Option(help: ArgumentHelp("Key file that opens the file.", valueName: "file"), completion: .file())
    var keyFile: String?
    @Flag(help: "Overwrite and remove the file after the import.")
    var wipe = false

    func validate() throws {
        guard from == nil || ImportFormat.named(from ?? "") != nil else {
            let names = ImportFormat.all.map(\.id).joined(separator: ", ")
            throw ValidationError("--from is one of: \(names).")
        }
        guard !wipe || apply || !options.json else { throw ValidationError("--wipe needs --apply.") }
    }

    func run() async throws {
        let authorization = try options.authorization()
        let progress = ImportProgress(isShown: isatty(STDERR_FILENO) == 1 && !options.json)
        progress.say("Reading \(file)")
        let (format, contents) = try read()
        let batches = try ImportBatches(contents.items)
        try await options.withAgent { agent in
            try await batches.send(to: agent, progress)
            progress.say("Comparing \(contents.items.count) items with the vault")
            var report = ImportReport(
                file: file,
                format: format,
                isApplied: apply,
                outcome: apply
                    ? try await agent.call(ApplyImport(authorization: authorization))
                    : try await agent.call(PlanImport(authorization: authorization)),
                notices: contents.notices,
                isFormatNamed: from != nil
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
                if report.isApplied, wipe { report.isWiped = try WipedFile.wipe(file) }
                return try Output.json(report)
            } else {
                Output.lines(report.lines(Paint(isOn: Paint.isWanted)) + [report.done])
            }
            try offerWiping(report)
        }
    }

    /// Removes the file, if the person wants that.
    private func offerWiping(_ report: ImportReport) throws {
        if !wipe {
            guard Terminal.isInteractive, !options.noPrompt, !apply else {
                return Terminal.note("\(Table.clean(file)) still has your secrets. Remove it when you can.")
            }
            guard try Question.confirm("Wipe \(Table.clean(file)) now?") else { return }
        }
        Terminal.note(try WipedFile.wipe(file).sentence(file))
    }

    // MARK: The file

    private func read() throws -> (ImportFormat, ImportedFile) {
        var source = ImportSource(
            name: URL(fileURLWithPath: file).lastPathComponent,
            bytes: try Self.bytes(of: file, atMost: ImportSource.maximumSize),
            now: Int64(Date().timeIntervalSince1970)
        )
        if let filePassphraseDescriptor {
            let name = "--file-passphrase-fd \(filePassphraseDescriptor)"
            source.passphrase = SecretText(try AgentOptions.readLine(filePassphraseDescriptor, name))
        }
        if let keyFile { source.keyFile = SecretBytes(try Self.bytes(of: keyFile, atMost: 1 << 20)) }
        let format: ImportFormat
        do throws(ImportError) {
            format = if let from, let named = ImportFormat.named(from) { named } else { try ImportFormat.of(source) }
        } catch {
            throw Failure(error, file)
        }
        switch Self.contents(of: source, format) {
        case .success(let contents): return (format, contents)
        case .failure(let error):
            guard error.code == .passphraseNeeded, source.passphrase == nil, Terminal.isInteractive, !options.noPrompt
            else { throw Failure(error, file) }
        }
        let typed = try Question.secret("Passphrase of \(Table.clean(source.name)): ")
        source.passphrase = SecretText(String(decoding: typed, as: UTF8.self))
        switch Self.contents(of: source, format) {
        case .success(let contents): return (format, contents)
        case .failure(let error): throw Failure(error, file)
        }
    }

    private static func contents(of source: ImportSource, _ format: ImportFormat) -> Result<ImportedFile, ImportError> {
        Result { () throws(ImportError) in try format.contents(of: source) }
    }

    private static func bytes(of path: String, atMost limit: Int) throws(Failure) -> [UInt8] {
        guard let content = try NamedFile.read(path, atMost: limit) else {
            throw Failure(.usage, "\(path) is larger than \(SizeText.of(limit)), the limit for files to import")
        }
        return content
    }
}

extension Failure {
    fileprivate init(_ error: ImportError, _ file: String) {
        let status: Status =
            switch error.code {
            case .wrongPassphrase, .passphraseNeeded: .key
            case .malformed, .truncated: .damaged
            default: .usage
            }
        let hint =
            switch error.code {
            case .passphraseNeeded: "The file needs its passphrase: add --file-passphrase-fd"
            case .wrongPassphrase: "The passphrase or the key file does not open this file"
            default: error.detail.isEmpty ? error.code.name : error.detail
            }
        self.init(status, "\(Table.clean(file)): \(hint). Nothing was imported", code: error.code.name)
    }
}
