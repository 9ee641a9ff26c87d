import Testing
import WardExchange
import WardVault

struct BitwardenTests {
    @Test(arguments: ["bitwarden.json", "bitwarden-pbkdf2.json", "bitwarden-argon2.json"])
    func `What a Python program wrote is what arrives`(name: String) throws {
        let (format, file) = try ExportFile(name).read(passphrase: "correct horse")
        #expect(format == "bitwarden-json")
        #expect(try file.items.map { try ListedItem($0) } == ExportFile.contents("bitwarden.contents.json"))
    }

    @Test func `Everything beside the secrets arrives as well`() throws {
        let file = try ExportFile("bitwarden.json").read().file
        let item = try #require(file.items.first)
        #expect(item.tags == ["Work/Mail"])
        #expect(item.isFavorite)
        #expect(item.createdAt == 1_704_164_645)
        let rules = ["domain", "host", "exact", "never", "regular-expression", "domain"]
        #expect(item.sites.map(\.match.rawValue) == rules)
        #expect(item.sites.last?.target == .androidApp("com.example.app"))
        #expect(item.fields.map(\.type) == [.concealed, .text, .boolean, "bitwarden-linked"])
        #expect(item.password?.history.map(\.replacedAt) == [1_717_200_000, 1_706_745_600])
        #expect(
            item.passkeys.allSatisfy { $0.isBackedUp && $0.createdBy == .imported && $0.createdAt == 1_709_294_400 }
        )
        #expect(item.extensions["com.bitwarden"] == Array(#"{"reprompt":1}"#.utf8))
        #expect(file.items.map(\.kind) == [.login, .login, .login, .login, .note, .card, .identity, .sshKey, .note])
        #expect(file.items[5].section(.card)?[.expiryDate]?.value.text == "2031-04")
        #expect(file.items[8].extensions["com.bitwarden"] == Array(#"{"future":{"secret":"kept"}}"#.utf8))
    }

    @Test func `What does not arrive is named`() throws {
        let notices = try ExportFile("bitwarden.json").read().file.notices
        #expect(notices.contains { $0.outcome == .skipped && $0.text.contains("counts its signatures") })
        #expect(notices.contains { $0.outcome == .skipped && $0.place == "Thrown away" })
        #expect(notices.contains { $0.outcome == .kept && $0.place == "Broken code" })
        #expect(notices.contains { $0.outcome == .changed && $0.place == "From the future" })
    }

    @Test(arguments: ["bitwarden-pbkdf2.json", "bitwarden-argon2.json"])
    func `An encrypted file asks for its passphrase and refuses another`(name: String) throws {
        let file = try ExportFile(name)
        #expect(throws: ImportError(.passphraseNeeded)) { try file.read() }
        #expect(throws: ImportError(.wrongPassphrase)) { try file.read(passphrase: "Correct horse") }
    }

    @Test func `A file for the account says what to do`() throws {
        var file = try ExportFile("bitwarden-pbkdf2.json")
        file.bytes = Array(#"{"encrypted":true,"encKeyValidation_DO_NOT_EDIT":"2.a|b|c","folders":[],"items":[]}"#.utf8)
        let error = #expect(throws: ImportError.self) { try file.read() }
        #expect(error?.code == .unsupported)
        #expect(error?.detail.contains("Password protected") == true)
    }

    @Test(arguments: [
        (#""kdfType":0,"kdfIterations":2000000000"#, "rounds of PBKDF2"),
        (#""kdfType":1,"kdfIterations":3,"kdfMemory":100000,"kdfParallelism":4"#, "memory for Argon2id"),
        (#""kdfType":1,"kdfIterations":3000,"kdfMemory":64,"kdfParallelism":4"#, "passes of Argon2id"),
        (#""kdfType":1,"kdfIterations":3,"kdfMemory":64,"kdfParallelism":4000"#, "lanes of Argon2id"),
    ])
    func `A file that would stop the machine is refused by the limit's name`(parameters: String, limit: String) throws {
        var file = try ExportFile("bitwarden.json")
        file.bytes = Array(#"{"encrypted":true,"passwordProtected":true,"salt":"AAAA","data":"",\#(parameters)}"#.utf8)
        let error = #expect(throws: ImportError.self) { try file.read(passphrase: "x") }
        #expect(error?.code == .tooLarge)
        #expect(error?.detail.contains(limit) == true)
    }

    @Test func `A file that is cut off anywhere brings nothing`() throws {
        for name in ["bitwarden.json", "bitwarden-pbkdf2.json"] {
            var file = try ExportFile(name)
            let whole = file.bytes
            for end in stride(from: 0, to: whole.count - 2, by: 97) {
                file.bytes = Array(whole[..<end])
                #expect(throws: ImportError.self) { try file.read(passphrase: "correct horse") }
            }
        }
    }

    @Test func `Encrypted data that was changed is refused`() throws {
        var file = try ExportFile("bitwarden-pbkdf2.json")
        let index = try #require(file.bytes.lastIndex(of: UInt8(ascii: "|"))) - 40
        file.bytes[index] ^= 0x01
        #expect(throws: ImportError(.malformed)) { try file.read(passphrase: "correct horse") }
    }

    @Test func `JSON over a limit is refused by the limit's name`() throws {
        var file = try ExportFile("bitwarden.json")
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        file.bytes = Array(#"{"encrypted":false,"items":\#(deep)}"#.utf8)
        #expect(throws: ImportError.self) { try file.read() }
    }
}
