import Crypto
import Testing
import WardPasswords
import WardText

@Suite struct `The range query for breached passwords` {
    private static let password = Array("correct horse battery 1".utf8)
    private static let hash = Hex.encode(Insecure.SHA1.hash(data: password), uppercase: true)
    private static let rest = String(hash.dropFirst(5))
    private static let another = String(repeating: "0", count: 35)

    private static func count(in list: String) throws -> Int {
        try BreachedPasswordRange.counts(of: [BreachedPasswordHash(password)], in: Array(list.utf8))[0]
    }

    @Test func `sends five digits of the hash and nothing else`() throws {
        for address in ["https://range.test/range/", "https://range.test/range"] {
            let range = try BreachedPasswordRange(address)
            let asked = range.address(of: BreachedPasswordHash(Self.password).prefix)
            #expect(asked == "https://range.test/range/\(Self.hash.prefix(5))" && range.host == "range.test")
        }
    }

    @Test func `finds the rest of the hash, wherever and however it is written`() throws {
        #expect(try Self.count(in: "\(Self.rest):3") == 3)
        #expect(try Self.count(in: "\(Self.another):1\r\n\(Self.rest):37\r\n") == 37)
        #expect(try Self.count(in: "\(Self.rest.lowercased()):1\n\(Self.another):1\n") == 1)
        #expect(try Self.count(in: "\(Self.another):1\r\n") == 0)
        #expect(try Self.count(in: "\(Self.rest):0\r\n\(Self.another):1\r\n") == 0, "padding")
        #expect(try Self.count(in: "\(Self.rest):18446744073709551615") == .max)
    }

    @Test(arguments: [
        "", "\r\n", "<html>", "{}", "\(another)", "\(another):", "\(another):-1", "\(another):+1", "\(another):1:1",
        "\(another)0:1", "\(another):1\nnot a hash", "\(another):99999999999999999999999",
        "\(String(repeating: "z", count: 35)):1",
    ])
    func `does not take another text for a list`(list: String) {
        let error = #expect(throws: BreachedPasswordError.self) { try Self.count(in: list) }
        #expect(error?.code == .answer)
    }

    @Test(arguments: [
        "http://range.test/", "https://", "https:///range", "ftp://range.test/", "https://range.test/?q=",
        "https://range.test/#", "https://range.test/a b", "file:///etc/passwd",
    ])
    func `needs an https address`(address: String) {
        let error = #expect(throws: BreachedPasswordError.self) { try BreachedPasswordRange(address) }
        #expect(error?.code == .address)
    }
}
