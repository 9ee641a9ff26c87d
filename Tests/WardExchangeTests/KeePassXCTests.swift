import Foundation
import Testing
import WardExchange
import WardVault

/// Debian's `keepassxc-cli`, where it is installed.
enum KeePassXC {
    static let program = "/usr/bin/keepassxc-cli"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }
}

/// KeePassXC's own program writes what Ward reads, and reads what Ward writes.
@Suite(.enabled(if: KeePassXC.isInstalled))
struct KeePassXCTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "keepassxc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Runs the program, and returns what it printed.
    private func run(_ arguments: [String], typing lines: [String]) throws -> String {
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: KeePassXC.program)
        process.arguments = arguments
        process.environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path]
        process.currentDirectoryURL = folder
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        try input.fileHandleForWriting.close()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "keepassxc-cli \(arguments.first ?? "") failed")
        return String(decoding: printed, as: UTF8.self)
    }

    @Test(arguments: [false, true]) func `Ward reads what KeePassXC writes`(hasKeyFile: Bool) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = hasKeyFile ? ["-k", "k.key"] : []
        _ = try run(["db-create", "a.kdbx", "-p"] + key, typing: ["correct horse", "correct horse"])
        _ = try run(["mkdir", "a.kdbx", "Web"] + key, typing: ["correct horse"])
        let values = ["-u", "carol", "--url", "https://xc.example", "--notes", "n", "-p"]
        _ = try run(["add", "a.kdbx", "Web/Entry"] + values + key, typing: ["correct horse", "fïrst"])
        _ = try run(["edit", "a.kdbx", "Web/Entry", "-p"] + key, typing: ["correct horse", "second"])
        try Data("attached".utf8).write(to: folder.appending(path: "b.txt"))
        _ = try run(["attachment-import", "a.kdbx", "Web/Entry", "b.txt", "b.txt"] + key, typing: ["correct horse"])

        let keyFile = try hasKeyFile ? SecretBytes(Array(Data(contentsOf: folder.appending(path: "k.key")))) : nil
        let bytes = Array(try Data(contentsOf: folder.appending(path: "a.kdbx")))
        let source = ImportSource(name: "a.kdbx", bytes: bytes, passphrase: "correct horse", keyFile: keyFile, now: 1)
        let file = try ImportFormat.of(source).contents(of: source)
        #expect(file.items.count == 1 && file.notices.isEmpty)
        let item = try #require(file.items.first)
        #expect(item.title == "Entry" && item.username == "carol" && item.notes == "n" && item.tags == ["Web"])
        #expect(item.sites == [Site("https://xc.example")])
        #expect(item.password?.value == "second" && item.password?.history.map(\.value) == ["fïrst"])
        #expect(item.attachments.map(\.name) == ["b.txt"] && item.attachments.map(\.size) == [8])
    }

    @Test func `KeePassXC reads what Ward writes`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var item = Item(
            title: "Entry <&>",
            sites: [Site("https://example.org/")],
            username: "alice",
            password: Password("p\"wörd", changedAt: 5),
            notes: "one",
            createdAt: 5
        )
        item.codes = [try OneTimePassword(secret: Array("12345678901234567890".utf8), digits: 8)]
        let attachment = WardVault.Attachment(name: "a.txt", content: Array("attached".utf8))
        item.attachments = [attachment]
        let contents = [attachment.id: SecretBytes(Array("attached".utf8))]
        let file = try KDBXWriter().file(
            ExportSource(items: [item], contents: contents, now: 9),
            passphrase: "correct horse"
        )
        try Data(file).write(to: folder.appending(path: "a.kdbx"))

        let shown = try run(
            [
                "show", "-s", "-a", "Title", "-a", "UserName", "-a", "Password", "-a", "URL", "-a", "Notes", "a.kdbx",
                "Entry <&>",
            ],
            typing: ["correct horse"]
        )
        let lines = ["Entry <&>", "alice", "p\"wörd", "https://example.org/", "one"]
        #expect(shown.split(separator: "\n").map(String.init).suffix(5) == lines[...])
        let exported = try run(
            ["attachment-export", "--stdout", "a.kdbx", "Entry <&>", "a.txt"],
            typing: ["correct horse"]
        )
        #expect(exported.hasSuffix("attached"))
        let code = try run(["show", "-t", "a.kdbx", "Entry <&>"], typing: ["correct horse"])
        let digits = code.split(separator: "\n").last.map(String.init) ?? ""
        let now = Int64(Date().timeIntervalSince1970)
        #expect([now, now - 30].contains { item.codes[0].code(at: $0).text == digits })
    }
}
