import Testing
import WardCBOR
import WardCOSE

@testable import WardVault

/// Values as they would be in an item that another program wrote.
@Suite struct `Parts of items that are malformed` {
    private func bytes(_ count: Int) -> CBORValue { .bytes([UInt8](repeating: 1, count: count)) }

    @Test(
        arguments: [
            (16, 0, 32, 32, true), (16, Int64(1 << 20), 32, 32, true), (15, 0, 32, 32, false), (17, 0, 32, 32, false),
            (16, -1, 32, 32, false), (16, Int64(1 << 20) + 1, 32, 32, false), (16, .max, 32, 32, false),
            (16, 0, 31, 32, false), (16, 0, 33, 32, false), (16, 0, 32, 31, false), (16, 0, 32, 0, false),
        ] as [(Int, Int64, Int, Int, Bool)]
    )
    func `an attachment has an ID, a hash and a key, and a size within the limits`(
        id: Int,
        size: Int64,
        hash: Int,
        key: Int,
        isRead: Bool
    ) {
        let value: CBORValue = [1: bytes(id), 2: "a", 4: .integer(size), 5: bytes(hash), 6: bytes(key)]
        #expect(((try? WardVault.Attachment(value)) != nil) == isRead)
    }

    @Test func `a passkey has the PRF secret without verification only beside the one with it`() throws {
        let value = try Sample.passkey(number: 1).cbor
        let pairs = try #require(value.mapValue)
        func without(_ keys: CBORValue...) throws -> StoredPasskey {
            try StoredPasskey(.map(pairs.filter { !keys.contains($0.key) }))
        }
        #expect(throws: VaultError(.malformedItem, "")) { try without(9) }
        #expect(try without(10).prf != nil)
        #expect(try without(9, 10).prf == nil)
    }

    @Test func `a code of a kind of later versions is left to them`() throws {
        #expect(try OneTimePassword([1: "yandex", 9: "pin"] as CBORValue) == nil)
        #expect(throws: VaultError(.malformedItem, "")) { try OneTimePassword([1: "totp"] as CBORValue) }
    }

    @Test func `a field has a text or bytes`() throws {
        #expect(try Field([1: "f", 4: "text"] as CBORValue).value == .text("text"))
        #expect(throws: VaultError(.malformedItem, "")) { try Field([1: "f", 4: "text", 5: bytes(1)]) }
    }

    @Test(
        arguments: [[], [3], [3, "x"], [3, "x", .bytes([1])], [3, "x", .bytes([UInt8](repeating: 1, count: 32))]]
            as [CBORValue]
    )
    func `a conflict has at least four values`(value: CBORValue) {
        #expect(throws: VaultError(.malformedItem, "")) { try ItemConflict(value) }
    }

    @Test func `the name of a revision is not the name of an item`() throws {
        #expect(RevisionID(text: ItemID().text) == nil)
        #expect(ItemID(text: RevisionID([UInt8](repeating: 7, count: 32)).text) == nil)
    }

    @Test func `an address has a host`() {
        for text in [
            "", "https://", "https:///path", "://example.com", "a b.example", "x@", String(repeating: "a", count: 256),
        ] {
            #expect(Site(text).host == nil, "\(text.prefix(20))")
        }
        #expect(Site(String(repeating: "a", count: 255)).host != nil)
        #expect(Site("example.com/https://other.example").host == "example.com")
    }

    @Test func `a private key is refused if any part of its form differs`() throws {
        let key = try COSEPrivateKey(algorithm: .edDSA, rawRepresentation: [UInt8](repeating: 5, count: 32))
        let der = try StoredPasskey.encodePrivateKey(key).revealed
        func read(_ der: [UInt8]) throws -> [UInt8] { try PKCS8.rawRepresentation(of: der, for: .edDSA) }
        #expect(try read(der) == [UInt8](repeating: 5, count: 32))
        for index in 0..<16 {
            var other = der
            other[index] ^= 2
            #expect(throws: PKCS8.Unsupported.self, "byte \(index)") { try read(other) }
        }
        for count in 0..<der.count {
            var other = Array(der.prefix(count))
            #expect(throws: PKCS8.Unsupported.self) { try read(other) }
            guard count > 1 else { continue }
            other[1] = UInt8(count - 2)
            #expect(throws: PKCS8.Unsupported.self) { try read(other) }
        }
    }

    @Test func `one element twice is one`() {
        #expect(MergedList<Int, Int>.join([], [1, 2, 1], [1, 1], by: .whole) == [1, 2])
        #expect(MergedList<Int, Int>.join([1], [1, 1], [], by: .whole) == [])
    }

    @Test func `words are sought only where the text is`() {
        let text = Array("example".utf8)
        #expect(SearchText.contains([Array("amp".utf8)], in: text, 2..<5))
        for range in [2..<4, 3..<5, 0..<8, -1..<7, 7..<7] {
            #expect(!SearchText.contains([Array("amp".utf8)], in: text, range))
        }
        #expect(!SearchText.contains([], in: text, 0..<8))
    }
}
