import Foundation
import WardExchange

/// A folder of pass, passage or gopass, whose entries are decrypted by `gpg` and `age`.
struct PasswordStoreFolder {
    /// The files of age identities, if the person named none.
    private static let usualIdentities = ["/.passage/identities", "/.config/age/identities"]
    /// How long a person can take to answer a prompt of `gpg`, in seconds.
    private static let patience = 300

    private let root: String
    private let files: [String]
    private let identity: String?

    /// Looks for the entries of a store.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - identity: The file of the age identity that the person named.
    /// - Throws: ``Failure`` if there are no entries.
    init(_ path: String, identity: String?) throws(Failure) {
        root = URL(fileURLWithPath: path).standardizedFileURL.path
        self.identity = identity
        var files: [String] = []
        let all = FileManager.default.enumerator(atPath: root)
        while let name = all?.nextObject() as? String {
            // .git, .extensions and the lists of recipients
            if name.split(separator: "/").last?.hasPrefix(".") == true {
                if all?.fileAttributes?[.type] as? FileAttributeType == .typeDirectory { all?.skipDescendants() }
                continue
            }
            if name.hasSuffix(".gpg") || name.hasSuffix(".age") { files.append(name) }
            guard files.count <= ImportSource.maximumItems else {
                throw Failure(.usage, "\(path) has more than \(ImportSource.maximumItems) entries")
            }
        }
        guard !files.isEmpty else {
            throw Failure(.usage, "\(path) has no entries of pass, passage or gopass (files that end in .gpg or .age)")
        }
        self.files = files.sorted()
    }

    /// Decrypts all entries, one after the other.
    ///
    /// An entry that this person's keys do not open, such as one of a team, becomes a notice.
    ///
    /// - Throws: ``Failure`` if a program is missing, or if no entry can be decrypted.
    func contents(_ progress: ProgressLine, mayAsk: Bool, now: Int64) throws -> ImportedFile {
        let tools = try Tools(files: files, identity: identity, mayAsk: mayAsk)
        var entries: [PasswordStore.Entry] = []
        var refused: [ImportNotice] = []
        for (index, file) in files.enumerated() {
            progress.say("Decrypting entry \(index + 1) of \(files.count)")
            let path = String(file.dropLast(4))
            if let content = try tools.decrypt(root + "/" + file) {
                entries.append(PasswordStore.Entry(path: path, content: content))
            } else {
                refused.append(ImportNotice(place: path, .skipped, "the entry is left out: it cannot be decrypted"))
            }
            // Every entry would ask for a passphrase that the person does not give.
            guard !entries.isEmpty || refused.count < 3 else { break }
        }
        progress.end()
        guard !entries.isEmpty else {
            throw Failure(
                .key,
                "No entry of the store could be decrypted. Nothing was imported. Try: gpg --decrypt FILE"
            )
        }
        do {
            var found = try PasswordStore.contents(of: entries, now: now)
            found.notices += refused
            return found
        } catch {
            throw Failure(error, root)
        }
    }

    /// The programs that decrypt.
    private struct Tools {
        private let gpg: String?
        private let age: String?
        private let isQuiet: Bool
        /// The age identities, decrypted once, so that a passphrase is asked for once.
        private var identities: [UInt8] = []

        init(files: [String], identity: String?, mayAsk: Bool) throws {
            func program(_ name: String, _ ending: String, package: String) throws -> String? {
                guard files.contains(where: { $0.hasSuffix(ending) }) else { return nil }
                if let program = ProgramPath.find(name) { return program }
                throw Failure(
                    .unavailable,
                    "\(name) decrypts this store and is not installed: sudo apt install \(package)"
                )
            }
            gpg = try program("gpg", ".gpg", package: "gnupg")
            age = try program("age", ".age", package: "age")
            isQuiet = !mayAsk
            // A pinentry in the terminal asks here.
            if let terminal = unsafe ttyname(STDIN_FILENO), unsafe getenv("GPG_TTY") == nil {
                unsafe setenv("GPG_TTY", terminal, 1)
            }
            if age != nil { identities = try Self.identities(identity, age: age) }
        }

        func decrypt(_ path: String) throws -> [UInt8]? {
            if path.hasSuffix(".age") {
                return try age.flatMap { try Self.run($0, ["--decrypt", "--identity", "-", path], identities) }
            }
            let quiet = isQuiet ? ["--pinentry-mode", "error"] : []
            let options = quiet + ["--quiet", "--batch", "--no-tty", "--decrypt", "--", path]
            return try gpg.flatMap { try Self.run($0, options, []) }
        }

        private static func identities(_ named: String?, age: String?) throws -> [UInt8] {
            let home = FileManager.default.homeDirectoryForCurrentUser.path
            let usual = usualIdentities.map { home + $0 }.first { FileManager.default.fileExists(atPath: $0) }
            guard let path = named ?? usual, let age else {
                throw Failure(
                    .usage,
                    "The entries are encrypted with age. Name the file of your identity: --age-identity FILE"
                )
            }
            guard let content = try NamedFile.read(path, atMost: 1 << 20) else {
                throw Failure(.usage, "\(path) is too large for a file of identities")
            }
            guard content.starts(with: "age-encryption.org/".utf8) else { return content }
            // age asks for the passphrase on the terminal.
            guard let plain = try run(age, ["--decrypt", path], []) else {
                throw Failure(.key, "\(path) cannot be decrypted. Nothing was imported")
            }
            return plain
        }

        private static func run(_ program: String, _ arguments: [String], _ input: [UInt8]) throws -> [UInt8]? {
            let child = try Child(program, arguments, error: STDERR_FILENO)
            _ = child.write(input)
            guard let output = child.read(limit: PasswordStore.maximumEntrySize, seconds: patience) else {
                child.kill()
                return nil
            }
            return child.succeeds(seconds: 5) ? output : nil
        }
    }
}
