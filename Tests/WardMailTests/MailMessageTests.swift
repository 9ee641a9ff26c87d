import Testing
import WardAccounts
import WardMail

@Suite struct `Mail messages` {
    private static func message(
        subject: String = "Hello",
        text: String = "One line",
        name: String = "Ward"
    ) throws -> MailMessage {
        MailMessage(
            from: .init(name: name, address: try EmailAddress("no-reply@login.example")),
            to: try EmailAddress("ada@example.com"),
            subject: subject,
            text: text,
            language: "zh-Hans",
            time: 1_763_865_599,
            id: [0xAB, 0x01]
        )
    }

    private static func lines(_ message: MailMessage) -> [String] {
        String(decoding: message.bytes, as: UTF8.self).split(omittingEmptySubsequences: false) { $0 == "\r\n" }
            .map(String.init)
    }

    @Test func `plain text stays as it is`() throws {
        #expect(
            Self.lines(try Self.message(text: "One line\n.\n\nFrom here")) == [
                "From: \"Ward\" <no-reply@login.example>", "To: <ada@example.com>", "Subject: Hello",
                "Date: Sun, 23 Nov 2025 02:39:59 +0000", "Message-ID: <ab01@login.example>", "MIME-Version: 1.0",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 7bit",
                "Content-Language: zh-Hans", "Auto-Submitted: auto-generated", "", "One line", ".", "", "From here", "",
            ]
        )
    }

    @Test(arguments: [
        (0, "Thu, 1 Jan 1970 00:00:00 +0000"), (-1, "Thu, 1 Jan 1970 00:00:00 +0000"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 +0000"),
        (4_107_542_400, "Mon, 1 Mar 2100 00:00:00 +0000"), (Int64.max, "Fri, 31 Dec 9999 23:59:59 +0000"),
    ])
    func `the date is RFC 5322's`(time: Int64, text: String) throws {
        var message = try Self.message()
        message.time = time
        #expect(Self.lines(message).contains("Date: \(text)"))
    }

    static let injections = [
        "Hello\r\nBcc: eve@example.com", "Hello\nBcc: eve@example.com", "Hello\rBcc: eve@example.com",
        "Hello\u{2028}Bcc: eve@example.com", "Hello\u{85}Bcc: eve@example.com", "Hello\u{0}Bcc", "\"<eve@example.com>",
        "=?utf-8?Q?a=0D=0ABcc:_eve@example.com?=",
    ]

    @Test(arguments: injections)
    func `no subject and no name adds a field`(text: String) throws {
        for message in [try Self.message(subject: text), try Self.message(name: text)] {
            let head = Self.lines(message).prefix { !$0.isEmpty }
            let fields = head.filter { !$0.hasPrefix(" ") }.compactMap {
                $0.split(separator: ":").first.map(String.init)
            }
            #expect(
                fields == [
                    "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
                    "Content-Transfer-Encoding", "Content-Language", "Auto-Submitted",
                ]
            )
            #expect(message.bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 13 || $0 == 10 })
        }
    }

    @Test func `characters outside ASCII become encoded words of at most 75 characters, each with whole characters`()
        throws
    {
        let subject = String(repeating: "新しいパスキー🔑", count: 12)
        let lines = Self.lines(try Self.message(subject: subject, text: "é"))
        let start = try #require(lines.firstIndex { $0.hasPrefix("Subject: ") })
        let words = lines[start...].prefix { $0.hasPrefix("Subject: ") || $0.hasPrefix(" ") }
            .map { $0.replacing("Subject: ", with: "").replacing(" ", with: "") }
        #expect(words.count > 5)
        for word in words {
            #expect(word.hasPrefix("=?utf-8?B?") && word.hasSuffix("?=") && word.utf8.count <= 75)
        }
    }

    @Test func `a text outside ASCII and a line that is too long are encoded in short lines`() throws {
        for text in [String(repeating: "é", count: 500), String(repeating: "x", count: 999)] {
            let lines = Self.lines(try Self.message(text: text))
            #expect(lines.contains("Content-Transfer-Encoding: base64"))
            #expect(lines.allSatisfy { $0.utf8.count <= 78 })
        }
        #expect(
            Self.lines(try Self.message(text: String(repeating: "x", count: 998))).contains { $0.utf8.count == 998 }
        )
    }
}
