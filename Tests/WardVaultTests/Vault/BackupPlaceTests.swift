import Foundation
import Testing

@testable import WardVault

@Suite struct `Where a backup may go` {
    @Test func `to a new file, a folder, or an older copy of this vault`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = vault.id
        let copy = fixture.folder.path + "/copy.db"
        _ = try await vault.backUp(BackupRequest(path: copy))
        try await vault.close()
        let another = try VaultFixture()
        try await another.create().close()
        func place(_ path: String) throws -> BackupPlace {
            try BackupPlace(path, of: id, at: fixture.location, fixture.environment)
        }
        let folder = fixture.folder.path + "/backups"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func link(_ name: String, to target: String) throws -> String {
            let path = fixture.folder.path + "/" + name
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            return path
        }
        #expect(try place(fixture.folder.path + "/new.db").replaces == false)
        #expect(try place(copy).replaces)
        #expect(try place(folder).isDated)
        #expect(try place(link("folder", to: folder)).isDated)
        let file = fixture.folder.path + "/file"
        try fixture.write([1], to: file)
        let twin = fixture.folder.path + "/twin.db"
        try FileManager.default.linkItem(atPath: fixture.location.database, toPath: twin)
        for path in [
            "copy.db", "", fixture.location.database, twin, another.location.database, file, "/dev/null",
            try link("copy", to: copy), try link("nowhere", to: fixture.folder.path + "/missing"),
        ] {
            #expect(throws: VaultError(.unusablePath, ""), "\(path)") { try place(path) }
        }
    }
}
