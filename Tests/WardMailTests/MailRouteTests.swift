import Foundation
import Testing
import WardAccounts
import WardMail

@Suite struct `Ways for mail` {
    @Test func `a relay is a name or an address, with a port or without`() {
        let plain = MailRelay("smtp://mail.example.com")
        #expect(plain?.host == "mail.example.com" && plain?.port == 587 && plain?.hasImplicitTLS == false)
        let implicit = MailRelay("smtps://mail.example.com/")
        #expect(implicit?.port == 465 && implicit?.hasImplicitTLS == true)
        let numbers = MailRelay("smtp://[::1]:25")
        #expect(numbers?.host == "::1" && numbers?.port == 25)
    }

    @Test(arguments: [
        "", "smtp://", "smtp:///", "mail.example.com", "http://mail.example.com", "SMTP://mail.example.com",
        "smtp://user@mail.example.com", "smtp://user:pass@mail.example.com", "smtp://mail.example.com:0",
        "smtp://mail.example.com:65536", "smtp://mail.example.com:+25", "smtp://mail.example.com:025",
        "smtp://mail.example.com/path", "smtp://mail.example.com?x", "smtp://mail.exa mple.com", "smtp://::1",
        "smtp://[::1", "smtp://[]", "smtp://[mail]:25", "smtp://mäil.example.com", "smtp://mail.example.com\r\nX",
    ])
    func `anything else is no relay`(text: String) {
        #expect(MailRelay(text) == nil)
    }

    @Test func `only this machine is this machine`() {
        for host in ["localhost", "127.0.0.1", "127.8.8.8", "[::1]"] {
            #expect(MailRelay("smtp://\(host)")?.isLoopback == true, "\(host)")
        }
        for host in [
            "127.evil.example", "127.0.0.1.evil.example", "127.0.0", "127.0.0.256", "127.0.0.01", "localhost.example",
            "128.0.0.1", "[::2]",
        ] {
            #expect(MailRelay("smtp://\(host)")?.isLoopback == false, "\(host)")
        }
    }

    @Test func `a login is two lines`() {
        for good in ["ada\nsecret word", "ada\nsecret\n", "ada\r\nsecret\r\n"] {
            #expect(MailLogin(Array(good.utf8)) != nil, "\(good)")
        }
        for bad in ["", "ada", "ada\n", "\nsecret", "ada\n\nsecret", "ada\nsecret\nmore", "ada\nse\u{0}cret"] {
            #expect(MailLogin(Array(bad.utf8)) == nil, "\(bad)")
        }
        #expect(MailLogin(Array("ada\nsecret".utf8)).map { "\($0)".contains("secret") } == false)
    }

    @Test func `a message in a folder is one file, which a second try does not double`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ward-mail-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let message = MailMessage(
            from: .init(name: "Ward", address: try EmailAddress("ward@login.example")),
            to: try EmailAddress("ada@example.com"),
            subject: "Hello",
            text: "One line",
            language: "en",
            time: 1_763_865_599,
            id: [1, 2]
        )
        for _ in 0..<2 { try await FolderTransport(folder).send(message) }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files == ["1763865599-0102.eml"])
        let path = folder + "/" + (files.first ?? "")
        #expect(FileManager.default.contents(atPath: path).map { [UInt8]($0) } == message.bytes)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        await #expect(throws: MailFailure.self) { try await FolderTransport("/dev/null/mail").send(message) }
    }

    @Test func `a server that is not there is a failure for now`() async throws {
        let message = MailMessage(
            from: .init(name: "Ward", address: try EmailAddress("ward@login.example")),
            to: try EmailAddress("ada@example.com"),
            subject: "Hello",
            text: "One line",
            language: "en",
            time: 0,
            id: [1]
        )
        // Port 1 of this machine: nothing listens there.
        let relay = try #require(MailRelay("smtp://127.0.0.1:1"))
        do {
            try await SMTPTransport(relay).send(message)
            Issue.record("it was sent")
        } catch {
            #expect(!error.isPermanent)
        }
    }
}
