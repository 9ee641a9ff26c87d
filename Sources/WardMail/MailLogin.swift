/// The user name and the password for a mail server.
package struct MailLogin: Sendable, CustomStringConvertible {
    /// The user name.
    let user: String
    /// The password, which is in no log.
    let password: String

    /// A description without the password.
    package var description: String { "MailLogin(hidden)" }

    /// Reads the two lines of a file: the user name, then the password.
    ///
    /// It is `nil` unless there are exactly two lines of text.
    ///
    /// - Parameter bytes: The content of the file.
    package init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard bytes.count <= 4_096, lines.count == 2, let user = lines.first, let password = lines.last,
            !user.isEmpty, !password.isEmpty, !text.utf8.contains(0)
        else { return nil }
        self.user = String(user)
        self.password = String(password)
    }
}
