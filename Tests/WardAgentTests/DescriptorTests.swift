import Foundation
import Testing

@testable import WardAgent

@Suite struct `An open file` {
    private func contents(of path: String, limit: Int) throws -> Int? {
        guard let file = Descriptor.open(path) else { throw CocoaError(.fileNoSuchFile) }
        return file.contents(limit: limit)?.count
    }

    @Test func `has contents up to a limit`() throws {
        let path = NSTemporaryDirectory() + "wad-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path))
        #expect(try contents(of: path, limit: 5000) == 5000)
        #expect(try contents(of: path, limit: 4999) == nil)
        #expect(try contents(of: path, limit: 0) == nil)
    }

    @Test func `has no contents if it cannot be read`() throws {
        #expect(try contents(of: "/tmp", limit: 100) == nil)
    }
}
