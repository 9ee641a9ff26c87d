import Crypto
import Testing
import WardCBOR
import WardCOSE
import WardVault
import WardWebAuthn

@Suite struct `Items` {
    private func tree(_ item: Item) throws -> CBORValue { try CBORValue.decode(item.encoded(), rules: Item.rules) }

    @Test func `an item with everything survives its encoding`() throws {
        let item = try Sample.full()
        #expect(try Item(encoded: item.encoded()) == item)
    }

    @Test func `an item with nothing but a title is small`() throws {
        let item = Item(.note, title: "x")
        #expect(try item.encoded().count < 60)
        #expect(try Item(encoded: item.encoded()) == item)
    }

    @Test func `every kind keeps its fields`() throws {
        for item in Sample.otherKinds() {
            let read = try Item(encoded: item.encoded())
            #expect(read == item)
            #expect(read.section(item.kind) == item.sections.first)
        }
    }

    @Test func `what a later version adds anywhere is written back`() throws {
        let item = try Sample.full()
        let extended = Sample.adding(CBORPair(key: 999, value: ["later", .float(1.5), .null]), to: try tree(item))
        var read = try Item(encoded: extended.encoded())
        #expect(try read.encoded() == extended.encoded())
        read.title = "changed"
        #expect(try tree(read)[999] != nil)
    }

    @Test func `kinds of places and codes of later versions are written back`() throws {
        var value = try tree(Sample.full())
        value = Sample.replacing(4, with: [[1: "watch", 2: "com.example.watch", 3: "moon"]], in: value)
        let codes: CBORValue = [[1: "yandex", 2: .bytes([1]), 9: "pin"], [1: "totp", 2: .bytes([1])]]
        value = Sample.replacing(8, with: codes, in: value)
        let item = try Item(encoded: value.encoded())
        #expect(item.sites.map(\.text) == ["com.example.watch"])
        #expect(item.codes.count == 1)
        let again = try tree(item)
        #expect(again[4] == value[4])
        #expect(Set(again[8]?.arrayValue ?? []) == Set(value[8]?.arrayValue ?? []))
    }

    @Test func `another version of the whole is refused by name`() throws {
        let value = Sample.replacing(0, with: 2, in: try tree(Sample.full()))
        #expect(throws: VaultError(.unknownVersion, "")) { try Item(encoded: value.encoded()) }
    }

    @Test func `an item larger than the limit is refused`() {
        let item = Item(.note, title: "long", notes: SecretText(String(repeating: "x", count: Item.maximumSize)))
        #expect(throws: VaultError(.itemTooLarge, "")) { try item.encoded() }
    }

    @Test func `an encoding cut anywhere or with any bit changed is refused or read, never a trap`() throws {
        let bytes = try Sample.full().encoded()
        for index in bytes.indices {
            #expect(throws: VaultError.self) { try Item(encoded: Array(bytes.prefix(index))) }
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                guard let item = try? Item(encoded: changed) else { continue }
                #expect(try Item(encoded: item.encoded()) == item)
            }
        }
    }

    @Test func `nothing secret is printed`() throws {
        let item = try Sample.full()
        var dumped = ""
        dump(item, to: &dumped)
        for text in [dumped, "\(item)", String(reflecting: item)] {
            for secret in ["correct horse", "older battery", "the note", "4242"] {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test func `passwords remember what they replaced, each once and a limited number`() {
        var password = Password("one", changedAt: 1)
        password.change(to: "two", at: 2)
        password.change(to: "two", at: 3)
        #expect(password.value == "two")
        #expect(password.changedAt == 2)
        #expect(password.history == [.init(value: "one", replacedAt: 2)])
        for number in 0..<100 { password.change(to: SecretText("p\(number)"), at: Int64(number)) }
        #expect(password.history.count == Password.maximumHistory)
        #expect(password.history.first?.value == "p98")
    }

    @Test func `names of items are typed back in any case`() throws {
        let id = ItemID()
        #expect(ItemID(text: id.text) == id)
        #expect(ItemID(text: id.text.uppercased()) == id)
        #expect(id.text.count == 26)
        #expect(ItemID(text: "") == nil)
        #expect(ItemID(text: id.text + "0") == nil)
        #expect(ItemID([1]) == nil)
    }

    @Test(arguments: [COSEAlgorithmIdentifier.es256, .es384, .es512, .edDSA, .mlDSA65, .mlDSA87])
    func `private keys survive the form other managers read`(algorithm: COSEAlgorithmIdentifier) throws {
        let key = try COSEPrivateKey.generate(algorithm)
        var passkey = try Sample.passkey(number: 1)
        passkey = StoredPasskey(
            credentialID: passkey.credentialID,
            rpID: passkey.rpID,
            userHandle: passkey.userHandle,
            algorithm: algorithm,
            privateKey: try StoredPasskey.encodePrivateKey(key),
            createdAt: 0
        )
        #expect(try passkey.signingKey().publicKey == key.publicKey)
        #expect(passkey.isBackupEligible && !passkey.isBackedUp)
    }

    /// The seed 0 to 31 as OpenSSL writes it, and the SHA-256 of the public key that OpenSSL derives from it.
    @Test(
        arguments: [
            (.mlDSA65, 0x12, "d666806e11cee19a7c989f7445f90dd419cf4d2d51db8c0fdb4c0f0a542238c9"),
            (.mlDSA87, 0x13, "91dc389cfaa01470b7f66eee45a4ae9026d154817c754dfe22298b3fa241ffcd"),
        ] as [(COSEAlgorithmIdentifier, UInt8, String)]
    )
    func `an ML-DSA key is what OpenSSL makes of its seed`(
        algorithm: COSEAlgorithmIdentifier,
        last: UInt8,
        digest: String
    ) throws {
        var head: [UInt8] = [0x30, 0x34, 0x02, 0x01, 0x00, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65]
        head += [0x03, 0x04, 0x03, last, 0x04, 0x22, 0x80, 0x20]
        let der = head + (0..<32)
        let passkey = StoredPasskey(
            credentialID: CredentialID([1])!,
            rpID: "example.com",
            userHandle: UserHandle([1])!,
            algorithm: algorithm,
            privateKey: SecretBytes(der),
            createdAt: 0
        )
        let key = try passkey.signingKey()
        guard case .akp(let publicKey) = key.publicKey.material else {
            Issue.record("another kind of key")
            return
        }
        #expect(hex(SHA256.hash(data: publicKey)) == digest)
        #expect(try StoredPasskey.encodePrivateKey(key).revealed == der)
    }

    @Test func `a private key of another form is refused, not trapped on`() throws {
        for (algorithm, bytes): (COSEAlgorithmIdentifier, [UInt8]) in [
            (.edDSA, []), (.edDSA, [UInt8](repeating: 0x30, count: 48)), (.es256, [1, 2, 3]), (.rs256, [1]),
            (.mlDSA65, []), (.mlDSA65, [UInt8](repeating: 0x30, count: 54)),
        ] {
            let passkey = StoredPasskey(
                credentialID: CredentialID([1])!,
                rpID: "example.com",
                userHandle: UserHandle([1])!,
                algorithm: algorithm,
                privateKey: SecretBytes(bytes),
                createdAt: 0
            )
            #expect(throws: VaultError(.malformedItem, "")) { try passkey.signingKey() }
        }
    }

    @Test(arguments: [(1, 0), (1, 1_024), (4, 0), (4, 65)])
    func `a passkey whose credential ID or user handle has a wrong length is refused`(key: Int64, length: Int) throws {
        let value = try tree(Item(title: "Example", passkeys: [Sample.passkey(number: 1)]))
        let passkey = try #require(value[7]?.arrayValue?.first)
        let spoiled = Sample.replacing(.integer(key), with: .bytes([UInt8](repeating: 1, count: length)), in: passkey)
        let item = Sample.replacing(7, with: [spoiled], in: value)
        #expect(throws: VaultError(.malformedItem, "")) { try Item(encoded: item.encoded()) }
    }
}
