import Foundation
import Testing

@testable import WardAgent
import WardAgentClient

@Suite struct `The registry of apps` {
    private let folder = NSTemporaryDirectory() + "war-\(UUID().uuidString.prefix(8))"
    private var registry: AppRegistry { AppRegistry(folder: folder + "/etc", file: folder + "/own/ward/apps.json") }
    private static let digest = String(repeating: "0a", count: 32)

    private func app(
        _ path: String = "/usr/bin/shiny",
        identifier: String = "com.example.shiny",
        name: String = "Shiny"
    ) -> RegisteredApp {
        RegisteredApp(identifier: identifier, name: name, path: path, digest: Self.digest, domains: ["example.com"])
    }

    private func with(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: folder + "/etc", withIntermediateDirectories: true)
        try change(folder + "/etc", .posixPermissions, 0o755)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body()
    }

    private func write(_ bytes: [UInt8], to path: String, mode: Int) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try change(path, .posixPermissions, mode)
    }

    private func change(_ path: String, _ attribute: FileAttributeKey, _ value: Int) throws {
        try FileManager.default.setAttributes([attribute: value], ofItemAtPath: path)
    }

    private var administratorsFile: String { folder + "/etc/shiny.json" }

    @Test func `keeps a person's apps in a file for them alone, one for each path`() throws {
        try with {
            try registry.add(app())
            try registry.add(app("/opt/other", identifier: "com.example.other"))
            try registry.add(app(name: "Shinier"))
            #expect(registry.read().own.map(\.name) == ["Shiny", "Shinier"])
            #expect(registry.read().problems.isEmpty)
            #expect(try FileManager.default.attributesOfItem(atPath: registry.file)[.posixPermissions] as? Int == 0o600)
            let removed = try registry.remove("com.example.shiny").apps
            #expect(removed == [app(name: "Shinier")])
            #expect(try registry.remove("/opt/other").apps.map(\.identifier) == ["com.example.other"])
            #expect(registry.read().own.isEmpty)
            #expect(throws: AgentError(.itemMissing, "")) { try registry.remove("com.example.shiny") }
        }
    }

    @Test func `skips a person's file that others may read, a link, and a file of the wrong form`() throws {
        try with {
            try registry.add(app())
            try change(registry.file, .posixPermissions, 0o640)
            #expect(registry.read().own.isEmpty && registry.read().problems.count == 1)
            // What cannot be read is not written over.
            #expect(throws: AgentError(.failed, "")) { try registry.add(app("/opt/other")) }
            try change(registry.file, .posixPermissions, 0o600)
            #expect(registry.read().own.count == 1)
            try FileManager.default.moveItem(atPath: registry.file, toPath: folder + "/moved")
            try FileManager.default.createSymbolicLink(atPath: registry.file, withDestinationPath: folder + "/moved")
            #expect(registry.read().own.isEmpty && registry.read().problems.count == 1)
            try FileManager.default.removeItem(atPath: registry.file)
            for text in ["", "[]", "{\"apps\":[{}]}", "{\"apps\":[{\"identifier\":\"x\"}]}", "{\"apps\":7}"] {
                try write(Array(text.utf8), to: registry.file, mode: 0o600)
                #expect(registry.read().own.isEmpty && registry.read().problems.count == 1, "\(text)")
            }
        }
    }

    @Test(.enabled(if: getuid() == 0, "needs root, who can give a file away"))
    func `passes over a person's file that belongs to somebody else`() throws {
        try with {
            try registry.add(app())
            try change(registry.file, .ownerAccountID, 65_534)
            #expect(registry.read().own.isEmpty && registry.read().problems.count == 1)
        }
    }

    @Test func `passes over a pipe in place of a person's file, and waits for nobody to write to it`() throws {
        try with {
            try registry.add(app())
            try FileManager.default.removeItem(atPath: registry.file)
            #expect(unsafe mkfifo(registry.file, 0o600) == 0)
            let problems = registry.read().problems
            #expect(problems.count == 1 && problems.allSatisfy { $0.contains("must belong to you") })
        }
    }

    @Test func `keeps 256 apps and no more, and one of them may change`() throws {
        try with {
            try registry.add(app())
            let many = (0..<256).map { app("/opt/\($0)", identifier: "com.example.a\($0)") }
            try write(RegisteredApp.file(many), to: registry.file, mode: 0o600)
            #expect(throws: AgentError(.invalidValue, "")) { try registry.add(app()) }
            try registry.add(app("/opt/7", name: "Other"))
            #expect(registry.read().own.count == 256)
        }
    }

    @Test func `keeps domains for 256 Flatpaks and no more`() throws {
        try with {
            for number in 0..<256 {
                try registry.add(FlatpakDomains(identifier: "org.example.a\(number)", domains: ["example.com"]))
            }
            let other = FlatpakDomains(identifier: "org.example.other", domains: ["example.com"])
            #expect(throws: AgentError(.invalidValue, "")) { try registry.add(other) }
            try registry.add(FlatpakDomains(identifier: "org.example.a7", domains: ["example.org"]))
        }
    }

    @Test(arguments: [
        ("", ["example.com"]), ("shiny", ["example.com"]), ("org.example.Shiny", []), ("org.example.Shiny", ["?"]),
    ])
    func `gives domains to no Flatpak without an ID, and none to it without a domain`(id: String, domains: [String])
        throws
    {
        try with {
            let error = #expect(throws: AgentError.self) {
                try registry.add(FlatpakDomains(identifier: id, domains: domains))
            }
            #expect(error?.code == .invalidValue)
        }
    }

    @Test(.enabled(if: getuid() == 0, "needs root, whose files the administrator's are"))
    func `takes the administrator's word before the person's`() throws {
        try with {
            try write(RegisteredApp.file([app(name: "Official")]), to: administratorsFile, mode: 0o644)
            #expect(registry.read().app(at: "/usr/bin/shiny")?.name == "Official")
            // Neither the path nor the identifier can be taken over.
            #expect(throws: AgentError(.invalidValue, "")) { try registry.add(app()) }
            #expect(throws: AgentError(.invalidValue, "")) { try registry.add(app("/home/ada/shiny")) }
            try registry.add(app("/opt/other", identifier: "com.example.other"))
            let error = #expect(throws: AgentError.self) { try registry.remove("com.example.shiny") }
            #expect(error?.code == .itemMissing && error?.message.contains("administrator") == true)
            #expect(registry.read().problems.isEmpty)
        }
    }

    @Test(
        .enabled(if: getuid() == 0, "needs root, whose files the administrator's are"),
        arguments: [
            "file for all", "file for the group", "another's file", "another's folder", "folder for all", "link",
        ]
    )
    func `passes over an administrator's file that others may change`(how: String) throws {
        try with {
            try write(RegisteredApp.file([app()]), to: administratorsFile, mode: 0o644)
            #expect(registry.read().administrators.count == 1)
            switch how {
            case "file for all": try change(administratorsFile, .posixPermissions, 0o646)
            case "file for the group": try change(administratorsFile, .posixPermissions, 0o664)
            case "another's file": try change(administratorsFile, .ownerAccountID, 65_534)
            case "another's folder": try change(folder + "/etc", .ownerAccountID, 65_534)
            case "folder for all": try change(folder + "/etc", .posixPermissions, 0o777)
            default:
                try FileManager.default.moveItem(atPath: administratorsFile, toPath: folder + "/moved")
                try FileManager.default.createSymbolicLink(
                    atPath: administratorsFile,
                    withDestinationPath: folder + "/moved"
                )
            }
            #expect(registry.read().administrators.isEmpty)
            #expect(registry.read().problems.count == 1)
        }
    }

    @Test(.enabled(if: getuid() != 0, "needs somebody who is not root"))
    func `takes nobody for the administrator but root`() throws {
        try with {
            try write(RegisteredApp.file([app()]), to: administratorsFile, mode: 0o644)
            #expect(registry.read().administrators.isEmpty && registry.read().problems.count == 1)
        }
    }

    @Test(arguments: [
        RegisteredApp(identifier: "shiny", name: "Shiny", path: "/x", digest: digest, domains: []),
        RegisteredApp(identifier: "com..shiny", name: "Shiny", path: "/x", digest: digest, domains: []),
        RegisteredApp(identifier: "com.exa mple", name: "Shiny", path: "/x", digest: digest, domains: []),
        RegisteredApp(identifier: "com.example.shiny", name: "", path: "/x", digest: digest, domains: []),
        RegisteredApp(identifier: "com.example.shiny", name: "a\nb", path: "/x", digest: digest, domains: []),
        RegisteredApp(identifier: "com.example.shiny", name: "a\u{202e}b", path: "/x", digest: digest, domains: []),
        RegisteredApp(
            identifier: "com.example.shiny",
            name: String(repeating: "a", count: 65),
            path: "/x",
            digest: digest,
            domains: []
        ),
        RegisteredApp(identifier: "com.example.shiny", name: "Shiny", path: "x", digest: digest, domains: []),
        RegisteredApp(identifier: "com.example.shiny", name: "Shiny", path: "/x", digest: "0A", domains: []),
        RegisteredApp(identifier: "com.example.shiny", name: "Shiny", path: "/x", digest: digest, domains: ["co.uk"]),
        RegisteredApp(
            identifier: "com.example.shiny",
            name: "Shiny",
            path: "/x",
            digest: digest,
            domains: ["https://example.com"]
        ),
        RegisteredApp(
            identifier: "com." + String(repeating: "a", count: 252),
            name: "Shiny",
            path: "/x",
            digest: digest,
            domains: []
        ),
        RegisteredApp(
            identifier: "com.example.shiny",
            name: "Shiny",
            path: "/" + String(repeating: "x", count: 4095),
            digest: digest,
            domains: []
        ),
        RegisteredApp(identifier: "com.example.shiny", name: "Shiny", path: "/x", digest: digest + "0", domains: []),
        RegisteredApp(
            identifier: "com.example.shiny",
            name: "Shiny",
            path: "/x",
            digest: String(repeating: "0A", count: 32),
            domains: []
        ),
        RegisteredApp(
            identifier: "com.example.shiny",
            name: "Shiny",
            path: "/x",
            digest: digest,
            domains: Array(repeating: "example.com", count: 33)
        ),
    ])
    func `takes nothing that could not be, or that would look like something else`(app: RegisteredApp) throws {
        try with {
            #expect(throws: AgentError(.invalidValue, "")) { try registry.add(app) }
            #expect(throws: (any Error).self) { try RegisteredApp.list(RegisteredApp.file([app])) }
        }
    }
}

@Suite struct `Programs that run what they are told` {
    @Test(arguments: [
        "/bin/sh", "/usr/bin/bash", "/usr/bin/python3", "/usr/bin/python3.11", "/usr/bin/node", "/usr/bin/perl5.36.0",
        "/usr/bin/ruby3.1", "/lib64/ld-linux-x86-64.so.2", "/usr/bin/env", "/usr/bin/lua5.4", "/usr/bin/qemu-x86_64",
        "/usr/bin/php-8.2", "/usr/bin/busybox", "/usr/bin/flatpak", "/usr/lib/jvm/bin/java",
    ])
    func `are known by name`(path: String) { #expect(Interpreters.include(path)) }

    @Test(arguments: [
        "/usr/bin/shiny", "/usr/bin/pythonic", "/opt/node-red-desktop", "/usr/bin/shell", "/usr/bin/envoy",
    ])
    func `are not all that begin alike`(path: String) { #expect(!Interpreters.include(path)) }
}
