import Foundation
import Testing
import WardAgent
import WardAgentClient
import WardText
import WardVault

@Suite(.agents, .timeLimit(.minutes(15))) struct `Which credential managers are in use` {
    private func enabled(_ result: ListProviders.Result) -> [String] {
        result.providers.filter(\.isEnabled).map(\.identifier)
    }

    @Test func `Ward's own vault alone is at first, with all it can do`() async throws {
        let fixture = try await AgentFixture()
        let result = try await fixture.call(ListProviders())
        #expect(enabled(result) == ["ward"] && result.limit == 3 && !result.passkeysAreOff)
        #expect(result.providers.first?.capabilities.contains("ProvidesPasskeys") == true)
        try await fixture.close()
    }

    @Test func `three are in use at most, Ward's own first, and the file is its owner's`() async throws {
        let fixture = try await AgentFixture()
        for name in ["b", "a", "c"] {
            try ScriptedManager.declare(in: fixture, "org.example.\(name)", ["socket": "/tmp/none.sock"])
        }
        _ = try await fixture.call(DisableProvider(identifier: "ward"))
        _ = try await fixture.call(EnableProvider(identifier: "org.example.b"))
        _ = try await fixture.call(EnableProvider(identifier: "org.example.a"))
        let full = try await fixture.call(EnableProvider(identifier: "ward"))
        #expect(enabled(full) == ["ward", "org.example.b", "org.example.a"])
        await #expect(throws: AgentError(.tooManyProviders, "")) {
            try await fixture.call(EnableProvider(identifier: "org.example.c"))
        }
        // One that is in use already is not a fourth.
        #expect(enabled(try await fixture.call(EnableProvider(identifier: "org.example.a"))).count == 3)
        let file = fixture.folder + "/state/providers.json"
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/state")
        #expect(!left.contains { $0.contains(".new-") })
        #expect(
            enabled(try await fixture.call(DisableProvider(identifier: "org.example.b"))) == ["ward", "org.example.a"]
        )
        try await fixture.close()
    }

    @Test func `a manager that nobody declared is not a manager`() async throws {
        let fixture = try await AgentFixture()
        for identifier in ["org.example.none", "../../x", ""] {
            await #expect(throws: AgentError(.providerMissing, "")) {
                try await fixture.call(EnableProvider(identifier: identifier))
            }
            await #expect(throws: AgentError(.providerMissing, "")) {
                try await fixture.call(DisableProvider(identifier: identifier))
            }
        }
        try await fixture.close()
    }

    @Test func `one whose declaration is gone is shown, and can be taken out`() async throws {
        let fixture = try await AgentFixture()
        try ScriptedManager.declare(in: fixture, "org.example.a", ["socket": "/tmp/none.sock"])
        _ = try await fixture.call(EnableProvider(identifier: "org.example.a"))
        try FileManager.default.removeItem(atPath: fixture.folder + "/data/providers/org.example.a.json")
        let result = try await fixture.call(ListProviders())
        #expect(enabled(result) == ["ward", "org.example.a"] && result.providers.last?.problem != nil)
        #expect(enabled(try await fixture.call(DisableProvider(identifier: "org.example.a"))) == ["ward"])
        try await fixture.close()
    }

    @Test(
        arguments: [
            ["version": 2, "socket": "/tmp/x.sock"], ["socket": .null], ["program": ["not-absolute"]], ["program": []],
            ["name": "", "socket": "/tmp/x.sock"], ["identifier": "ward", "socket": "/tmp/x.sock"],
            ["identifier": "a/b", "socket": "/tmp/x.sock"],
            ["socket": .string("/" + String(repeating: "x", count: 200))], ["socket": 7],
        ] as [[String: JSONValue]]
    )
    func `an unreadable declaration is shown with its problem, and cannot be enabled`(
        more: [String: JSONValue]
    ) async throws {
        let fixture = try await AgentFixture()
        try ScriptedManager.declare(in: fixture, "org.example.bad", more)
        let result = try await fixture.call(ListProviders())
        #expect(result.providers.first { $0.identifier == "org.example.bad" }?.problem != nil)
        await #expect(throws: AgentError(.invalidValue, "")) {
            try await fixture.call(EnableProvider(identifier: "org.example.bad"))
        }
        try await fixture.close()
    }

    @Test func `a declaration that others may write is refused`() async throws {
        let fixture = try await AgentFixture()
        try ScriptedManager.declare(in: fixture, "org.example.a", ["socket": "/tmp/x.sock"])
        let file = fixture.folder + "/data/providers/org.example.a.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        await #expect(throws: AgentError(.invalidValue, "")) {
            try await fixture.call(EnableProvider(identifier: "org.example.a"))
        }
        try await fixture.close()
    }

    @Test func `settings that cannot be read leave Ward's own vault in use, and are not overwritten`() async throws {
        let fixture = try await AgentFixture()
        let file = fixture.folder + "/state/providers.json"
        try FileManager.default.createDirectory(atPath: fixture.folder + "/state", withIntermediateDirectories: true)
        let long = "{\"version\":1,\"enabled\":[]}" + String(repeating: " ", count: 64 << 10)
        for text in ["", "{", "{\"version\":2,\"enabled\":[]}", long] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            #expect(enabled(try await fixture.call(ListProviders())) == ["ward"])
            await #expect(throws: AgentError(.invalidValue, "")) {
                try await fixture.call(DisableProvider(identifier: "ward"))
            }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }
        try await fixture.close()
    }

    @Test func `the places are those of the XDG base directories`() {
        let location = VaultLocation(directory: "/d/ward", stateDirectory: "/s/ward")
        let named = ProviderPaths.standard(
            location: location,
            environment: [
                "HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_DIRS": "/a:relative:/b", "XDG_RUNTIME_DIR": "/r",
            ]
        )
        #expect(named.settings == "/c/ward/providers.json" && named.runtime == "/r")
        #expect(named.declarations == ["/d/ward/providers", "/a/ward/providers", "/b/ward/providers"])
        let bare = ProviderPaths.standard(location: location, environment: ["HOME": "/h"])
        #expect(bare.settings == "/h/.config/ward/providers.json")
        #expect(bare.declarations.dropFirst() == ["/usr/local/share/ward/providers", "/usr/share/ward/providers"])
    }
}
