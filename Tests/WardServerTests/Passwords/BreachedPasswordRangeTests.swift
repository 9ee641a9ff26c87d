import Crypto
import Foundation
import Synchronization
import Testing
import WardServer
import WardText

@Suite struct `The range query for breached passwords` {
    private struct Unreachable: Error {}

    private static let password = Array("correct horse battery 1".utf8)
    private static let hash = Hex.encode(Insecure.SHA1.hash(data: password), uppercase: true)
    private static let rest = String(hash.dropFirst(5))
    private static let another = String(repeating: "0", count: 35)

    private static func isFound(in list: String) async throws -> Bool {
        try await BreachedPasswordRange("https://range.test/") { _ in Array(list.utf8) }.contains(password)
    }

    @Test func `sends five digits of the hash and nothing else`() async throws {
        let asked = Mutex<[String]>([])
        for address in ["https://range.test/range/", "https://range.test/range"] {
            let range = try BreachedPasswordRange(address) { url in
                asked.withLock { $0.append(url) }
                return Array("\(Self.another):1".utf8)
            }
            #expect(try await !range.contains(Self.password))
        }
        let expected = "https://range.test/range/\(Self.hash.prefix(5))"
        #expect(asked.withLock { $0 } == [expected, expected])
    }

    @Test func `finds the rest of the hash, wherever and however it is written`() async throws {
        #expect(try await Self.isFound(in: "\(Self.rest):3"))
        #expect(try await Self.isFound(in: "\(Self.another):1\r\n\(Self.rest):3\r\n"))
        #expect(try await Self.isFound(in: "\(Self.rest.lowercased()):1\n\(Self.another):1\n"))
        #expect(try await !Self.isFound(in: "\(Self.another):1\r\n"))
        #expect(try await !Self.isFound(in: "\(Self.rest):0\r\n\(Self.another):1\r\n"), "padding")
    }

    @Test(arguments: [
        "", "\r\n", "<html>", "{}", "\(another)", "\(another):", "\(another):-1", "\(another):1:1", "\(another)0:1",
        "\(another):1\nnot a hash", "\(another):99999999999999999999999", "\(String(repeating: "z", count: 35)):1",
    ])
    func `does not take another text for a list`(list: String) async throws {
        await #expect(throws: (any Error).self) { try await Self.isFound(in: list) }
    }

    @Test(arguments: [
        "http://range.test/", "https://", "https:///range", "ftp://range.test/", "https://range.test/?q=",
        "https://range.test/#", "https://range.test/a b", "file:///etc/passwd",
    ])
    func `needs an https address`(address: String) {
        var configuration = ServerConfiguration()
        configuration.breachedPasswords = address
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
    }
}
