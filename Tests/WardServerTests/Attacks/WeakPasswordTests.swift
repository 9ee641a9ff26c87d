import Crypto
import Foundation
import HTTPTypes
import Testing
import WardPasswords
import WardServer
import WardTesting
import WardText

/// What an attacker tries first, because others have chosen it.
@Suite struct `Passwords that a thief tries first` {
    @Test func `have fifteen characters where nothing else is asked for, and existing shorter ones stay`() async throws
    {
        let store = MemoryAccountStore()
        var short = ServerConfiguration()
        short.passwordLength = 8
        try await withService(short, store: store) { world in
            let tooShort = try await world.visitor().create("ada", password: "teapot4")
            #expect(tooShort.refusal == "422 password_too_short")
            let short = try await world.visitor().create("ada", password: "teapot 41 x")
            #expect(short.status == .created)
        }
        try await withService(store: store) { world in
            #expect(
                try await world.visitor().create("bob", password: "teapot 41 lamp").refusal == "422 password_too_short"
            )
            #expect(try await world.visitor().create("bob", password: "teapot 41 lamps").status == .created)
            let ada = world.visitor()
            #expect(try await ada.signIn("ada", password: "teapot 41 x").status == .ok)
            let changed = try await ada.put("account/password", ["password": "teapot 42 x"])
            #expect(changed.refusal == "422 password_too_short")
        }
    }

    @Test(arguments: [7, 65, 0, -1])
    func `are not made short or impossible by a setting`(length: Int) throws {
        var configuration = ServerConfiguration()
        configuration.passwordLength = length
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
    }

    /// Writes a list in the form of Pwned Passwords.
    private static func list(_ passwords: [String], _ form: (String, Int) -> String) throws -> String {
        let path = NSTemporaryDirectory() + "breached-\(UUID().uuidString).txt"
        let hashes = passwords.map { password in
            Hex.encode(Insecure.SHA1.hash(data: Data(password.utf8)), uppercase: true)
        }
        let lines = hashes.sorted().enumerated().map { form($0.element, $0.offset) }
        try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let line: @Sendable (_ hash: String, _ number: Int) -> String

        static let plain: @Sendable (String, Int) -> String = { hash, _ in "\(hash)\n" }
        static let all = [
            Self(testDescription: "with counts, as downloaded") { "\($0):\($1 * $1 * 7_919)\r\n" },
            Self(testDescription: "hashes alone", line: plain),
            Self(testDescription: "lower case") { "\($0.lowercased()):\($1)\n" },
        ]
    }

    @Test(arguments: Form.all)
    func `are found in a list of breached ones, wherever they stand in it`(form: Form) async throws {
        let breached = (0..<300).map { "correct horse battery \($0)" }
        let path = try Self.list(breached, form.line)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let list = try BreachedPasswordFile(path)
        for password in breached { #expect(try list.contains(Array(password.utf8)), "\(password)") }
        for number in 0..<300 { #expect(try !list.contains(Array("wrong horse battery \(number)".utf8))) }

        var configuration = ServerConfiguration()
        configuration.breachedPasswords = path
        try await withService(configuration) { world in
            let known = try await world.visitor().create("ada", password: breached[299])
            #expect(known.refusal == "422 password_breached")
            let ada = world.visitor()
            #expect(try await ada.create("ada", password: "wrong horse battery 299").status == .created)
            let changed = try await ada.put("account/password", ["password": .string(breached[7])])
            #expect(changed.refusal == "422 password_breached")
            try FileManager.default.removeItem(atPath: path)
            let unknown = try await world.visitor().create("bob", password: breached[298])
            #expect(unknown.status == .created, "a list that is gone keeps nobody out")
            let common = try await world.visitor().create("eve", password: "passwordpassword")
            #expect(common.refusal == "422 password_too_common", "the bundled list still decides")
        }
    }

    @Test func `are found in a list that was replaced while the service runs`() async throws {
        let (small, large) = (
            try Self.list(["one"], Form.plain), try Self.list((0..<50).map { "number \($0)" }, Form.plain)
        )
        defer { [small, large].forEach { try? FileManager.default.removeItem(atPath: $0) } }
        let list = try BreachedPasswordFile(small)
        try String(contentsOfFile: large, encoding: .utf8).write(toFile: small, atomically: true, encoding: .utf8)
        for number in 0..<50 { #expect(try list.contains(Array("number \(number)".utf8)), "\(number)") }
        #expect(try !list.contains(Array("one".utf8)))
    }

    /// Texts that are no list: no hashes, hashes of another kind, hashes out of order, and a line without end.
    private static let others = [
        "", "password\n", "0123\n", String(repeating: "z", count: 40) + "\n",
        String(repeating: "8846F7EAEE8FB117AD06BDD830B7586C:9\n", count: 100),
        (0..<100).map { String(format: "%040X\n", 100 - $0) }.joined(),
        String(repeating: "0", count: 10_000),
    ]

    @Test(arguments: others)
    func `need a list that is one`(text: String) throws {
        let path = NSTemporaryDirectory() + "breached-\(UUID().uuidString).txt"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = ServerConfiguration()
        configuration.breachedPasswords = path
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
        configuration.breachedPasswords = path + ".absent"
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
    }
}
