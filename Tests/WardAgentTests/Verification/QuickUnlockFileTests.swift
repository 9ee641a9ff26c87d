import Foundation
import Testing
import WardAgentClient
import WardVault
import WardWebAuthn

@testable import WardAgent

@Suite(.agents, .timeLimit(.minutes(15))) struct `The file of quick unlock` {
    private func with(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "waq-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    /// The file without its last part, and that part behind it, in CBOR.
    private func read(_ folder: String, version: UInt8 = 1, pass: [UInt8]) throws -> QuickUnlockFile? {
        let path = folder + "/" + QuickUnlockFile.name
        try QuickUnlockFile(vault: [1], publicKey: [2], sealedPrivateKey: [3]).write(path)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(Array(bytes.prefix(3)) == [0xa4, 0x00, 0x01])
        (bytes[0], bytes[2]) = (0xa5, version)
        try Data(bytes + [0x04] + pass).write(to: URL(fileURLWithPath: path))
        return QuickUnlockFile(path: path)
    }

    @Test func `has a version, and five values that open the vault`() async throws {
        try await with { folder in
            #expect(try read(folder, pass: [0x85, 1, 2, 0x40, 0x40, 0x40])?.pass?.until == 2)
            #expect(try read(folder, version: 2, pass: [0x85, 1, 2, 0x40, 0x40, 0x40]) == nil)
            for pass: [UInt8] in [[0x80], [0x84, 1, 2, 0x40, 0x40], [0x86, 1, 2, 0x40, 0x40, 0x40, 0x40]] {
                let file = try #require(try read(folder, pass: pass))
                #expect(file.pass == nil)
            }
        }
    }

    @Test func `is of no use to another vault`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        let vault = try await fixture.agent.session.file()
        let quick = fixture.agent.session.quickUnlock
        let path = fixture.agent.configuration.location.stateDirectory + "/" + QuickUnlockFile.name
        try QuickUnlockFile(vault: vault.identity, publicKey: [2], sealedPrivateKey: [3]).write(path)
        #expect(quick.isOn(vault))
        try QuickUnlockFile(vault: vault.identity.reversed(), publicKey: [2], sealedPrivateKey: [3]).write(path)
        #expect(!quick.isOn(vault))
        try await fixture.close()
    }

    @Test func `is gone when quick unlock is switched off, or that is an error`() async throws {
        try await with { folder in
            let location = VaultLocation(directory: folder, stateDirectory: folder)
            let quick = QuickUnlock(location: location, tpm: "none", effects: .live)
            let path = folder + "/" + QuickUnlockFile.name
            try QuickUnlockFile(vault: [1], publicKey: [2], sealedPrivateKey: [3]).write(path)
            for _ in 0..<2 { try await quick.switchOff() }
            #expect(!FileManager.default.fileExists(atPath: path))
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            await #expect(throws: AgentError(.failed, "")) { try await quick.switchOff() }
        }
    }
}
