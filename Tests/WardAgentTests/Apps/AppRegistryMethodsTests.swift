import Foundation
import Testing

import WardAgentClient

@Suite(.agents, .timeLimit(.minutes(15))) struct `Registering an app` {
    private static let identifier = "com.example.shiny"

    private func add(_ path: String, digest: String? = nil, force: Bool = false) -> AddApp {
        AddApp(
            path: path,
            identifier: Self.identifier,
            displayName: "Shiny",
            digest: digest,
            allowsInterpreter: force
        )
    }

    @Test func `takes what was shown, and not what the file became meanwhile`() async throws {
        let fixture = try await AgentFixture()
        let program = try fixture.makeFolder("programs") + "/shiny"
        try FileManager.default.copyItem(atPath: "/bin/cat", toPath: program)
        let shown = try await fixture.call(CheckApp(path: program))
        #expect(!shown.isInterpreter)
        let file = try #require(FileHandle(forWritingAtPath: program))
        try file.seekToEnd()
        try file.write(contentsOf: Data("x".utf8))
        try file.close()
        await #expect(throws: AgentError(.conflict, "")) { try await fixture.call(add(program, digest: shown.digest)) }
        #expect(try await fixture.call(ListApps()).apps.isEmpty)
        let again = try await fixture.call(CheckApp(path: program))
        #expect(again.digest != shown.digest)
        let made = try await fixture.call(add(program, digest: again.digest))
        #expect(made.digest == again.digest && made.state == .ok)
        #expect(try await fixture.call(ListApps()).apps == [made])
        #expect(try await fixture.call(RemoveApp(app: Self.identifier)).apps == [made])
        try await fixture.close()
    }

    @Test func `looks through links, and at the name of what is really there`() async throws {
        let fixture = try await AgentFixture()
        let link = try fixture.makeFolder("programs") + "/shiny"
        let shell = try #require(realPath("/bin/sh"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: shell)
        let shown = try await fixture.call(CheckApp(path: link))
        #expect(shown.path == shell && shown.isInterpreter)
        await #expect(throws: AgentError(.invalidValue, "")) { try await fixture.call(add(link)) }
        #expect(try await fixture.call(add(link, force: true)).path == shell)
        try await fixture.close()
    }

    private func realPath(_ path: String) -> String? { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

    @Test(arguments: ["", "shiny", "bin/ls", "/nowhere/at/all", "/etc/passwd", "/etc", "/dev/null"])
    func `is for programs`(path: String) async throws {
        let fixture = try await AgentFixture()
        let error = await #expect(throws: AgentError.self) { try await fixture.call(add(path)) }
        #expect([.invalidValue, .itemMissing].contains(error?.code))
        try await fixture.close()
    }
}
