import Foundation
import Testing
import WardText
import WardVault

@testable import WardAgent

/// Each rule for the file in which another credential manager is declared, broken alone.
@Suite struct `The declaration of a credential manager` {
    private let folder = NSTemporaryDirectory() + "wpd-\(UUID().uuidString.prefix(8))"
    private var paths: ProviderPaths {
        ProviderPaths(location: VaultLocation(directory: folder + "/data", stateDirectory: folder + "/state"))
    }

    /// Writes a declaration and reads it.
    private func read(
        _ more: [String: JSONValue] = [:],
        name: String = "org.example.a",
        change: (String) throws -> Void = { _ in }
    ) throws -> ProviderDeclaration? {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var members: [String: JSONValue] = [
            "version": 1, "identifier": "org.example.a", "name": "A", "socket": "/run/a.sock",
            "ASCredentialProviderExtensionCapabilities": [:],
        ]
        members.merge(more) { $1 }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/\(name).json"
        try Data(JSONValue.object(members.map { .init($0.key, $0.value) }).serialized)
            .write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try change(path)
        return ProviderDeclaration(at: path, paths)
    }

    @Test func `is good as it stands`() throws {
        let declaration = try #require(try read())
        #expect(declaration.problem == nil && declaration.identifier == "org.example.a")
        #expect(try read(["socket": .null, "program": ["/usr/bin/a"]])?.problem == nil)
    }

    @Test(
        arguments: [
            ([("version", 2)], "has version 2"), ([("identifier", "a/b")], "the identifier in"),
            ([("identifier", "ward")], "the identifier in"), ([("name", "")], "has no name"),
            ([("program", [])], "absolute path"), ([("program", ["bin/a"])], "absolute path"),
            ([("program", .array(Array(repeating: "/a", count: 65)))], "absolute path"),
            ([("program", ["/a", .string(String(repeating: "x", count: 4097))])], "absolute path"),
            ([("program", ["/a", "b\0c"])], "absolute path"), ([("socket", .null)], "must have a socket, a program"),
            ([("socket", .string("/" + String(repeating: "x", count: 107)))], "more than 107 bytes"),
            ([("socket", "/run/a\0b")], "more than 107 bytes"),
        ] as [([(String, JSONValue)], String)]
    )
    func `says which rule it breaks`(more: [(String, JSONValue)], words: String) throws {
        let problem = try read(Dictionary(uniqueKeysWithValues: more))?.problem
        #expect(problem?.contains(words) == true, "\(problem ?? "none")")
    }

    @Test func `names no socket where sandboxes are let in`() throws {
        for socket in [paths.apps + "/a.sock", paths.apps + "/../run-apps/a.sock"] where socket.utf8.count <= 107 {
            #expect(try read(["socket": .string(socket)])?.problem?.contains("Sandboxed apps") == true)
        }
        #expect(try read(["socket": "../run-apps/a.sock"])?.problem?.contains("Sandboxed apps") == true)
    }

    @Test func `is a file that nobody else can write, of at most 64 KiB`() throws {
        let manager = FileManager.default
        for mode in [0o664, 0o646] {
            let found = try read { try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: $0) }
            #expect(found?.problem?.contains("other users can write") == true)
        }
        let large = try read(["padding": .string(String(repeating: "x", count: 64 << 10))])
        #expect(large?.problem?.contains("at most 64 KiB") == true)
        let directory = try read {
            try manager.removeItem(atPath: $0)
            try manager.createDirectory(atPath: $0, withIntermediateDirectories: true)
        }
        #expect(directory?.problem?.contains("at most 64 KiB") == true)
    }

    @Test(.enabled(if: getuid() == 0, "needs root, who can give a file away"))
    func `belongs to its person or to root`() throws {
        let found = try read { try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: $0) }
        #expect(found?.problem?.contains("belongs to another user") == true)
    }

    @Test(arguments: ["ward", "a b", "ä"])
    func `that is broken is not listed by a file name that is no identifier of another manager`(name: String) throws {
        #expect(try read(["version": 2], name: name) == nil)
    }
}
