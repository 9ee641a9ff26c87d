import ArgumentParser
import Foundation
import WardExchange
import WardVault

/// Writes everything in the vault to a file for another credential manager.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all items to a file for another credential manager.",
        discussion: """
            The file has every secret of the vault, so you type the passphrase of the vault, also if the vault is unlocked. \
            ward lists what the format cannot hold before it writes the file, and asks. --dry-run only lists. Only you can \
            read the new file. ward does not replace a file without --replace.

            To keep a copy for yourself, use ward backup: it loses nothing.

            Formats:

            \(ExportFormat.all.map { "\($0.id): \($0.title)" }.joined(separator: "\n"))
            """
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var strength: NewPassphraseOptions
    @Argument(help: ArgumentHelp("File to write.", valueName: "file"), completion: .file())
    var file: String
    @Option(
        help: ArgumentHelp("Format of the file.", valueName: "format"),
        completion: .list(ExportFormat.all.map(\.id))
    )
    var to: String
    @Option(
        name: .customLong("file-passphrase-fd"),
        help: ArgumentHelp("Read the passphrase of the file from this file descriptor.", valueName: "n")
    )
    var filePassphraseDescriptor: Int32?
    @Option(
        help: ArgumentHelp(
            "Encrypt the file to this public key of age instead of with a passphrase; repeatable.",
            valueName: "age1…"
        )
    )
    var recipient: [String] = []
    @Flag(help: "Write a file that is not encrypted, so that every program can read all secrets.")
    var plainText = false
    @Flag(help: "Accept what the format cannot hold, and a file that is not encrypted, without a question.")
    var yes = false
    @Flag(help: "Replace a file that exists.")
    var replace = false
    @Flag(help: "Only list what the format cannot hold.")
    var dryRun = false

    func validate() throws {
        guard let format = ExportFormat.named(to) else {
            let names = ExportFormat.all.map(\.id).joined(separator: ", ")
            throw ValidationError("--to is one of: \(names).")
        }
        guard format.isSealed || plainText else {
            throw ValidationError("With --to \(to) every program can read all secrets in the file. Add --plain-text.")
        }
        guard format.isSealed || filePassphraseDescriptor == nil else {
            throw ValidationError("--file-passphrase-fd: with --to \(to) the file is not encrypted.")
        }
        guard recipient.isEmpty || format.takesRecipients else {
            throw ValidationError("--recipient: only --to cxf-age encrypts to public keys.")
        }
        guard recipient.isEmpty || filePassphraseDescriptor == nil else {
            throw ValidationError("Give a passphrase or recipients, not both.")
        }
        for text in recipient where AgeRecipient(text) == nil {
            // The text can be a private key by mistake, so it is not repeated.
            throw ValidationError("--recipient must be a public key of age. age-keygen prints one: age1…")
        }
        guard !format.isSealed || !plainText else {
            throw ValidationError("--plain-text: with --to \(to) the file is encrypted.")
        }
    }

    func run() async throws {
        guard let format = ExportFormat.named(to) else { throw Failure(.usage, "Unknown format: \(to)") }
        let authorization = try options.authorization()
        var seal: ExportSeal?
        if !dryRun {
            try NewFile.check(file, replacing: replace, option: "--replace")
            if format.isSealed { seal = try fileSeal() }
        }
        let progress = ProgressLine(isShown: isatty(STDERR_FILENO) == 1 && !options.json)
        let fetched = try await options.withAgent { agent in
            try await ExportFetch.items(from: agent, for: format, authorization, progress)
        }
        var report = ExportReport(
            file: file,
            format: format,
            fetched: fetched,
            notices: format.notices(for: fetched.source)
        )
        if !options.json { Output.lines(report.lines(Paint(isOn: Paint.isWanted))) }
        if dryRun {
            if options.json { try Output.json(report) }
            return
        }
        if !format.isSealed {
            let question = "Write all passwords to \(Table.clean(file)), where every program can read them?"
            try Confirmation.ask(question, isGiven: yes, options)
        } else if report.hasLosses {
            try Confirmation.ask("Write the file without these?", isGiven: yes, options)
        }
        progress.say("Writing \(file)")
        let bytes: [UInt8]
        do throws(ImportError) {
            bytes = try format.file(fetched.source, seal: seal)
        } catch {
            throw Failure(.failed, "\(Table.clean(file)): \(error.detail)", code: error.code.name)
        }
        try NewFile.write(bytes, to: file, replacing: replace, option: "--replace")
        progress.end()
        report.isWritten = true
        if options.json { return try Output.json(report) }
        Output.lines([report.done])
        if !format.isSealed { Terminal.note("It has your secrets in plain text. Remove it when you can.") }
    }

    /// What opens a sealed file.
    private func fileSeal() throws -> ExportSeal {
        let recipients = recipient.compactMap { AgeRecipient($0) }
        return recipients.isEmpty ? .passphrase(try filePassphrase()) : .recipients(recipients)
    }

    private func filePassphrase() throws -> SecretText {
        if let filePassphraseDescriptor {
            let name = "--file-passphrase-fd \(filePassphraseDescriptor)"
            let text = try AgentOptions.readLine(filePassphraseDescriptor, name)
            guard !text.isEmpty else { throw Failure(.usage, "\(name) must give a passphrase") }
            return SecretText(try strength.checked(text) ?? text)
        }
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            throw Failure(.usage, "The new file needs a passphrase: add --file-passphrase-fd")
        }
        return SecretText(try NewPassphrase.ask(forFile: file, strength))
    }
}
