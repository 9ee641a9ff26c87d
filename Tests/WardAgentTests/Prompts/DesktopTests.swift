import Foundation
import Testing
import WardAgentClient

@testable import WardAgent

/// With real files and sockets.
@Suite struct `A desktop that a program names` {
    private func with(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/place-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    /// Makes it another user's.
    private func give(_ path: String) throws {
        try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: path)
    }

    private func listen(_ path: String) -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        #expect(UnixAddress.bind(descriptor, to: path))
        #expect(Glibc.listen(descriptor, 8) == 0)
        return descriptor
    }

    private func wayland(_ name: String, _ runtime: String) -> PromptPlace.Desktop {
        var said = Hello.Terminal()
        said.waylandDisplay = name
        return PromptPlace.Desktop(said, runtime: runtime)
    }

    @Test func `is there while its socket listens and is this user's`() async throws {
        try await with { folder in
            let descriptor = listen(folder + "/wayland-0")
            defer { close(descriptor) }
            #expect(await wayland("wayland-0", folder).isThere(runtime: folder))
            // A link can lead anywhere.
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/wayland-1",
                withDestinationPath: folder + "/wayland-0"
            )
            #expect(await !wayland("wayland-1", folder).isThere(runtime: folder))
            #expect(await !wayland("wayland-2", folder).isThere(runtime: folder))
            if getuid() == 0 {
                try give(folder + "/wayland-0")
                #expect(await !wayland("wayland-0", folder).isThere(runtime: folder))
            }
        }
    }

    @Test func `has an authority file only if that is a file of this user's`() async throws {
        try await with { folder in
            func taken(_ path: String) -> Bool {
                var said = Hello.Terminal()
                said.xauthority = path
                return PromptPlace.Desktop(said, runtime: folder).xauthority == path
            }
            let file = folder + "/authority"
            try Data([1]).write(to: URL(fileURLWithPath: file))
            #expect(taken(file))
            let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
            #expect(!taken(String(repeating: "../", count: depth) + file.dropFirst()))
            #expect(!taken(folder))
            #expect(!taken(folder + "/missing"))
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: file)
            #expect(!taken(folder + "/link"))
            if getuid() == 0 {
                try give(file)
                #expect(!taken(file))
            }
        }
    }
}
