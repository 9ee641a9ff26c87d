package import WardAccounts
internal import WardText

/// A message of plain text to one person, as RFC 5322 writes it.
///
/// It loads nothing from a network and has no mark by which a reader could be followed.
package struct MailMessage: Hashable, Sendable {
    /// Who sends it.
    package struct Sender: Hashable, Sendable {
        /// The name that people read.
        package let name: String
        /// The address.
        package let address: EmailAddress

        package init(name: String, address: EmailAddress) {
            self.name = name
            self.address = address
        }
    }

    /// Who sends it.
    package var sender: Sender
    /// Who gets it.
    package var recipient: EmailAddress
    /// The subject.
    package var subject: String
    /// The text, in lines of any length.
    package var text: String
    /// The language of subject and text, as a BCP 47 tag.
    package var language: String
    /// The time, in seconds since 1970.
    package var time: Int64
    /// What names the message: the same at each try to send it, so that programs show a message that came twice only once.
    package var id: [UInt8]

    package init(
        from sender: Sender,
        to recipient: EmailAddress,
        subject: String,
        text: String,
        language: String,
        time: Int64,
        id: [UInt8]
    ) {
        self.sender = sender
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.language = language
        self.time = time
        self.id = id
    }

    /// The message as bytes: ASCII, with lines of at most 998 bytes that end in CR LF.
    package var bytes: [UInt8] {
        let (body, encoding) = MailBody.encode(text)
        let fields = [
            ("From", "\(MailHeader.phrase(sender.name)) <\(sender.address)>"),
            ("To", "<\(recipient)>"),
            ("Subject", MailHeader.text(subject)),
            ("Date", Self.date(time)),
            ("Message-ID", "<\(Hex.encode(id))@\(sender.address.domain)>"),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", encoding),
            ("Content-Language", MailHeader.token(language)),
            // RFC 3834, section 5: nobody's programs answer it.
            ("Auto-Submitted", "auto-generated"),
        ]
        let head = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        return Array("\(head)\r\n\(body)".utf8)
    }

    /// RFC 5322, section 3.3, in UTC.
    private static func date(_ seconds: Int64) -> String {
        // The years 1970 to 9999, which is what the form can say.
        let time = min(max(0, seconds), 253_402_300_799)
        let (days, clock) = (Int(time / 86_400), Int(time % 86_400))
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var (year, left) = (1_970, days)
        func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        while left >= (isLeap(year) ? 366 : 365) {
            left -= isLeap(year) ? 366 : 365
            year += 1
        }
        var month = 0
        for length in [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
            guard left >= length else { break }
            left -= length
            month += 1
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let hours = "\(two(clock / 3_600)):\(two(clock / 60 % 60)):\(two(clock % 60))"
        return "\(names[days % 7]), \(left + 1) \(months[month]) \(year) \(hours) +0000"
    }
}
