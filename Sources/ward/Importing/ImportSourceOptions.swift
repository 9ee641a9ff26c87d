import ArgumentParser
import Foundation
import WardExchange
import WardTerminal
import WardVault

/// What an import reads.
struct ImportSourceOptions: ParsableArguments {
    /// What was found, and how the report names it.
    struct Found {
        /// The path, or the name of the browser.
        var name: String
        /// The word for the format.
        var format: String
        /// The name of the format for people.
        var title: String
        /// The words of the command that name the source.
        var arguments: [String]
        var contents: ImportedFile
        /// The file that has secrets in plain text and can be wiped.
        var plainFile: String?
    }

    @Argument(
        help: ArgumentHelp("File to import, or the folder of pass, passage or gopass.", valueName: "file"),
        completion: .file()
    )
    var file: String?
    @Option(
        help: ArgumentHelp("Format of the file.", valueName: "format"),
        completion: .list(ImportFormat.all.map(\.id))
    )
    var from: String?
    @Option(
        name: .customLong("from-browser"),
        help: ArgumentHelp("Import the saved passwords of a browser on this machine.", valueName: "name")
    )
    var browser: KnownBrowser?
    @Option(help: ArgumentHelp("Profile of the browser, by the name of its folder or by its path.", valueName: "name"))
    var profile: String?
    @Option(
        name: .customLong("file-passphrase-fd"),
        help: ArgumentHelp(
            "Read the passphrase of the file, or the primary password of Firefox, from this file descriptor.",
            valueName: "n"
        )
    )
    var filePassphraseDescriptor: Int32?
    @Option(help: ArgumentHelp("Key file that opens the file.", valueName: "file"), completion: .file())
    var keyFile: String?
    @Option(help: ArgumentHelp("Identity that opens entries of age.", valueName: "file"), completion: .file())
    var ageIdentity: String?

    func validate() throws {
        guard file == nil || browser == nil else {
            throw ValidationError("Name a file or a folder, or a browser with --from-browser.")
        }
        guard from == nil || ImportFormat.named(from ?? "") != nil else {
            let names = ImportFormat.all.map(\.id).joined(separator: ", ")
            throw ValidationError("--from is one of: \(names).")
        }
        guard browser != nil || profile == nil else { throw ValidationError("--profile needs --from-browser.") }
        guard browser == nil || from == nil else { throw ValidationError("--from is only for files.") }
    }

    /// Whether there is a file, a folder or a browser to import.
    var hasPlace: Bool { file != nil || browser != nil }

    /// Whether any of these options is there.
    var isNamed: Bool {
        hasPlace || from != nil || profile != nil || filePassphraseDescriptor != nil || keyFile != nil
            || ageIdentity != nil
    }

    /// Reads everything, and asks for a passphrase if one is needed.
    ///
    /// - Parameters:
    ///   - progress: The line on the terminal.
    ///   - noPrompt: Whether no question may be asked.
    /// - Returns: What was found.
    /// - Throws: ``Failure`` that says what to do.
    func read(_ progress: ProgressLine, noPrompt: Bool) throws -> Found {
        let mayAsk = Terminal.isInteractive && !noPrompt
        progress.say("Reading \(file ?? browser?.title ?? "")")
        if let browser { return try read(browser, mayAsk: mayAsk) }
        let file = file ?? ""
        if isFolder(file) { return try readFolder(file, progress, mayAsk: mayAsk) }
        return try readFile(file, mayAsk: mayAsk)
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    // MARK: Sources

    private func read(_ browser: KnownBrowser, mayAsk: Bool) throws -> Found {
        let found = try BrowserProfile.find(browser, named: profile)
        let place = "\(browser.title), \(found.name)"
        let label = mayAsk ? "Primary password of \(place): " : nil
        let contents = try opened(place, asking: label) { (passphrase) throws(ImportError) in
            try found.contents(passphrase: passphrase, now: now)
        }
        let choice = profile.map { ["--profile", $0] } ?? []
        return Found(
            name: place,
            format: browser.rawValue,
            title: "saved passwords",
            arguments: ["--from-browser", browser.rawValue] + choice,
            contents: contents
        )
    }

    private func readFolder(_ path: String, _ progress: ProgressLine, mayAsk: Bool) throws -> Found {
        let store = try PasswordStoreFolder(path, identity: ageIdentity)
        return Found(
            name: path,
            format: "password-store",
            title: "pass, passage or gopass",
            arguments: [path] + (ageIdentity.map { ["--age-identity", $0] } ?? []),
            contents: try store.contents(progress, mayAsk: mayAsk, now: now)
        )
    }

    private func readFile(_ file: String, mayAsk: Bool) throws -> Found {
        guard var bytes = try NamedFile.read(file, atMost: ImportSource.maximumSize) else {
            let limit = SizeText.of(ImportSource.maximumSize)
            throw Failure(.usage, "\(file) is larger than \(limit), the limit for files to import")
        }
        let isPicture = from == nil && QRReader.isPicture(bytes)
        // The picture goes to a program of its own, which answers with the texts of its QR codes.
        if isPicture { bytes = Array(try QRReader.texts(at: file).joined(separator: "\n").utf8) }
        var source = ImportSource(name: URL(fileURLWithPath: file).lastPathComponent, bytes: bytes, now: now)
        if let keyFile {
            guard let content = try NamedFile.read(keyFile, atMost: 1 << 20) else {
                throw Failure(.usage, "\(keyFile) is larger than 1 MiB, the limit for key files")
            }
            source.keyFile = SecretBytes(content)
        }
        let format: ImportFormat
        do throws(ImportError) {
            format = if let from, let named = ImportFormat.named(from) { named } else { try ImportFormat.of(source) }
        } catch {
            throw Failure(error, file)
        }
        let contents = try opened(file, asking: mayAsk ? "Passphrase of \(Table.clean(source.name)): " : nil) {
            (passphrase) throws(ImportError) in
            source.passphrase = passphrase
            return try format.contents(of: source)
        }
        return Found(
            name: file,
            format: format.id,
            title: format.title,
            arguments: [file] + (from.map { ["--from", $0] } ?? []),
            contents: contents,
            plainFile: file == "-" || source.passphrase != nil || source.keyFile != nil ? nil : file
        )
    }

    /// Reads, and reads once more with a passphrase if one is needed and the person can be asked.
    private func opened(
        _ place: String,
        asking label: String?,
        _ read: (SecretText?) throws(ImportError) -> ImportedFile
    ) throws -> ImportedFile {
        var passphrase: SecretText?
        if let filePassphraseDescriptor {
            let name = "--file-passphrase-fd \(filePassphraseDescriptor)"
            passphrase = SecretText(try AgentOptions.readLine(filePassphraseDescriptor, name))
        }
        do throws(ImportError) {
            return try read(passphrase)
        } catch {
            guard error.code == .passphraseNeeded, passphrase == nil, label != nil else { throw Failure(error, place) }
        }
        let typed = try Question.secret(label ?? "")
        do throws(ImportError) {
            return try read(SecretText(String(decoding: typed, as: UTF8.self)))
        } catch {
            throw Failure(error, place)
        }
    }
}

extension Failure {
    init(_ error: ImportError, _ place: String) {
        let status: Status =
            switch error.code {
            case .wrongPassphrase, .passphraseNeeded: .key
            case .malformed, .truncated: .damaged
            default: .usage
            }
        let hint =
            switch error.code {
            case .passphraseNeeded:
                "\(error.detail.isEmpty ? "a passphrase is needed" : error.detail). Add --file-passphrase-fd"
            case .wrongPassphrase: "The passphrase or the key file does not open this source"
            default: error.detail.isEmpty ? error.code.name : error.detail
            }
        self.init(status, "\(Table.clean(place)): \(hint). Nothing was imported", code: error.code.name)
    }
}
