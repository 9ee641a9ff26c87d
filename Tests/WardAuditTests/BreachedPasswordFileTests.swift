import Foundation
import Testing
import WardPasswords
import WardText

@Suite struct `A file of breached passwords` {
    private static func error(_ text: String, of password: String = "x") throws -> BreachedPasswordError.Code? {
        let path = NSTemporaryDirectory() + "breached-\(UUID().uuidString).txt"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        do throws(BreachedPasswordError) {
            _ = try BreachedPasswordFile(path).count(of: BreachedPasswordHash(Array(password.utf8)))
            return nil
        } catch { return error.code }
    }

    private static func isNotHashes(_ code: BreachedPasswordError.Code?) -> Bool {
        if case .fileNotHashes? = code { true } else { false }
    }

    @Test(arguments: [
        "", "password\n", "0123\n", String(repeating: "z", count: 40) + "\n", String(repeating: "0", count: 41) + "\n",
        String(repeating: "8846F7EAEE8FB117AD06BDD830B7586C:9\n", count: 100), String(repeating: "0", count: 10_000),
    ])
    func `must have hashes in its lines`(text: String) throws {
        #expect(Self.isNotHashes(try Self.error(text)))
    }

    @Test func `must be sorted, also where only a lookup sees it`() throws {
        let falling = (0..<100).map { String(format: "%040X\n", 100 - $0) }.joined()
        guard case .fileNotSorted? = try Self.error(falling) else { return #expect(Bool(false)) }
        // SHA-1 of x begins with 11F6. A swapped pair in the middle of the way there is between the sampled places.
        let hash = Hex.encode([0x11, 0xf6]).uppercased()
        var lines = (0..<65_536).map { String(format: "%04X", $0) + String(repeating: "0", count: 36) + ":1\n" }
        #expect(try Self.error(lines.joined()) == nil)
        let place = try #require(lines.firstIndex { $0.hasPrefix(hash) })
        for near in place - 2...place + 2 { lines[near] = "F" + lines[near].dropFirst() }
        guard case .fileNotSorted? = try Self.error(lines.joined()) else { return #expect(Bool(false)) }
        for near in place - 2...place + 2 { lines[near] = "not a hash\n" }
        #expect(Self.isNotHashes(try Self.error(lines.joined())))
    }

    @Test(arguments: ["/absent/file", "/dev/null", "/"])
    func `must be a regular file`(path: String) {
        let error = #expect(throws: BreachedPasswordError.self) { try BreachedPasswordFile(path) }
        #expect(error?.code == .fileUnreadable(path))
    }
}
