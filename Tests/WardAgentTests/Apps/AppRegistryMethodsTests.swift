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

    /// Paths of what is no program, with what is wrong.
    private enum Wrong: CaseIterable {
        case empty, relative, long, missing, folder, device, notExecutable, script

        func path(in folder: String) throws -> String {
            switch self {
            case .empty: return ""
            case .relative:
                // It leads to a program.
                let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
                return String(repeating: "../", count: depth) + "bin/cat"
            case .long: return "/" + String(repeating: "./", count: 2048) + "bin/cat"
            case .missing: return folder + "/nowhere"
            case .folder: return folder
            case .device: return "/dev/null"
            case .notExecutable, .script:
                let path = folder + "/file"
                if self == .script {
                    try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: path))
                } else {
                    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: path)
                }
                let mode = self == .script ? 0o755 : 0o644
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                return path
            }
        }

        var words: String {
            switch self {
            case .empty, .relative, .long: "must begin with /"
            case .missing: "there is no readable program"
            case .folder, .device, .notExecutable: "not a program that you may run"
            case .script: "is a script"
            }
        }
    }

    @Test func `is for programs`() async throws {
        let fixture = try await AgentFixture()
        for wrong in Wrong.allCases {
            let path = try wrong.path(in: try fixture.makeFolder("\(wrong)"))
            let error = await #expect(throws: AgentError.self, "\(wrong)") {
                try await fixture.call(add(path, force: true))
            }
            #expect(error?.code == (wrong == .missing ? .itemMissing : .invalidValue), "\(wrong)")
            #expect(error?.message.contains(wrong.words) == true, "\(wrong)")
        }
        #expect(try await fixture.call(ListApps()).apps.isEmpty)
        try await fixture.close()
    }
}
