import Foundation
import Testing

@testable import WardAgent

@Suite struct `The person's systemd` {
    /// In the address of a bus, a semicolon begins the next address, and one kind of address runs a program.
    @Test func `is not sought where the folder's name would run a program`() async throws {
        let folder = NSTemporaryDirectory() + "wau-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let runtime = folder + "/x;unixexec:path=/usr/bin/touch,argv1=" + folder + "/made"
        for path in [runtime, folder + "/made"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Data().write(to: URL(fileURLWithPath: runtime + "/bus"))
        #expect(await UserManager.environment(runtime: runtime) == nil)
        #expect(!FileManager.default.fileExists(atPath: folder + "/made/bus"))
    }
}
