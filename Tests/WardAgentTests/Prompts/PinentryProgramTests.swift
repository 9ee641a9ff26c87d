import Foundation
import Testing
import WardAgentClient

@testable import WardAgent

@Suite struct `Which pinentry runs` {
    private func with(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/pinentry-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func program(_ path: String, _ mode: Int = 0o700) throws -> String {
        try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test func `one that ward names runs if only its owner can change it`() throws {
        try with { folder in
            let own = try program(folder + "/own")
            #expect(try PinentryProgram.find(in: [:], said: own) == own)
            func refused(_ path: String) {
                let error = #expect(throws: AgentError.self) { try PinentryProgram.find(in: [:], said: path) }
                #expect(error?.code == .promptMissing)
            }
            refused(folder + "/missing")
            refused(folder)
            refused(try program(folder + "/group", 0o770))
            refused(try program(folder + "/all", 0o707))
            refused(try program(folder + "/data", 0o600))
            let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
            refused(String(repeating: "../", count: depth) + own.dropFirst())
            if getuid() == 0 {
                try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: own)
                refused(own)
            }
        }
    }

    @Test func `one that is configured and cannot run is named, and no other one runs`() throws {
        try with { folder in
            let found = try program(folder + "/pinentry")
            let environment = ["PATH": folder, "HOME": folder]
            #expect(try PinentryProgram.find(in: environment) == found)
            let chosen = environment.merging(["WARD_PINENTRY": folder + "/missing"]) { $1 }
            #expect(throws: AgentError(.promptMissing, "")) { try PinentryProgram.find(in: chosen) }
            #expect(throws: AgentError(.promptMissing, "")) {
                try PinentryProgram.find(in: ["PATH": folder + "/missing", "HOME": folder])
            }
            let other = try program(folder + "/other")
            #expect(try PinentryProgram.find(in: environment.merging(["WARD_PINENTRY": other]) { $1 }) == other)
            #expect(try PinentryProgram.find(in: environment.merging(["WARD_PINENTRY": "other"]) { $1 }) == other)
            try FileManager.default.createDirectory(atPath: folder + "/.gnupg", withIntermediateDirectories: true)
            try Data("# one\nenable-x y\npinentry-program \(other)\n".utf8)
                .write(to: URL(fileURLWithPath: folder + "/.gnupg/gpg-agent.conf"))
            #expect(try PinentryProgram.find(in: environment) == other)
        }
    }
}
