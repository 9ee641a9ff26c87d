/// How the service sends mail.
public struct MailSettings: Hashable, Sendable {
    /// The mail server as `smtp://HOST:PORT` (with STARTTLS) or `smtps://HOST:PORT`, or `folder:PATH` to write each message into
    /// a folder, for first steps.
    ///
    /// A server that is not on this machine must have TLS with a trusted certificate.
    public var route: String
    /// The address that messages come from.
    public var sender: String
    /// The file with the user name and the password for the server, one a line; `nil` to send without.
    public var loginFile: String?
    /// The file with the certificates to trust, in PEM; `nil` for those of the system.
    public var certificatesFile: String?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - route: The mail server, or a folder.
    ///   - sender: The address that messages come from.
    ///   - loginFile: The file with user name and password.
    ///   - certificatesFile: The file with the certificates to trust.
    public init(route: String, sender: String, loginFile: String? = nil, certificatesFile: String? = nil) {
        self.route = route
        self.sender = sender
        self.loginFile = loginFile
        self.certificatesFile = certificatesFile
    }
}
