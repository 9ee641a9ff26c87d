internal import CCurl
internal import Dispatch
internal import WardAccounts

/// Gives messages to a mail server, with libcurl.
///
/// The connection is protected by TLS, with a certificate that is trusted, unless the server is on this machine and no
/// certificates are named.
package struct SMTPTransport: MailTransport {
    /// The longest time for one message, in seconds.
    package static let timeout = 60

    private let relay: MailRelay
    private let login: MailLogin?
    private let certificates: String?

    /// - Parameters:
    ///   - relay: The server.
    ///   - login: The user name and password, or `nil` to send without.
    ///   - certificates: A file with the certificates to trust, in PEM; `nil` for those of the system.
    package init(_ relay: MailRelay, login: MailLogin? = nil, certificates: String? = nil) {
        self.relay = relay
        self.login = login
        self.certificates = certificates
    }

    private var requiresTLS: Bool { relay.hasImplicitTLS || !relay.isLoopback || certificates != nil }

    /// Sends a message.
    ///
    /// If the task is cancelled, the conversation ends within about a second.
    package func send(_ message: MailMessage) async throws(MailFailure) {
        let stop = StopFlag()
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The conversation blocks its thread.
                DispatchQueue.global(qos: .utility).async {
                    continuation.resume(returning: perform(message, stop))
                }
            }
        } onCancel: {
            stop.raise()
        }
        if let failure = answer { throw failure }
    }

    private func perform(_ message: MailMessage, _ stop: StopFlag) -> MailFailure? {
        let bytes = message.bytes
        let (from, to) = ("<\(message.sender.address)>", "<\(message.recipient)>")
        let url = relay.url(as: message.sender.address.domain)
        let tls: Int32 = requiresTLS ? 1 : 0
        let result = unsafe url.withCString { url in
            unsafe from.withCString { from in
                unsafe to.withCString { to in
                    unsafe withOptionalCString(login?.user) { user in
                        unsafe withOptionalCString(login?.password) { password in
                            unsafe withOptionalCString(certificates) { certificates in
                                unsafe bytes.withUnsafeBufferPointer { bytes in
                                    var request = unsafe ward_smtp_request()
                                    unsafe request.url = url
                                    unsafe request.from = from
                                    unsafe request.to = to
                                    unsafe request.user = user
                                    unsafe request.password = password
                                    unsafe request.ca_file = certificates
                                    unsafe request.requires_tls = tls
                                    unsafe request.seconds = Self.timeout
                                    unsafe request.message = bytes.baseAddress
                                    unsafe request.length = bytes.count
                                    return unsafe ward_smtp_send(&request, stop.flag)
                                }
                            }
                        }
                    }
                }
            }
        }
        let reason = unsafe String(cString: result.reason)
        return unsafe Self.failure(result.outcome, reply: result.reply, reason)
    }

    private static func failure(_ outcome: ward_smtp_outcome, reply: Int, _ reason: String) -> MailFailure? {
        switch outcome {
        case WARD_SMTP_SENT: return nil
        case WARD_SMTP_REFUSED:
            // These speak of the connection and not of the message: the owner of the service mends it, and a later try helps.
            let isAboutConnection = [421, 500, 502, 503, 504, 521, 530, 534, 535, 538].contains(reply)
            let isPermanent = (500..<600).contains(reply) && !isAboutConnection
            return MailFailure(isPermanent: isPermanent, "the mail server answered \(reply)")
        case WARD_SMTP_LOGIN: return MailFailure("the mail server did not accept the user name and password")
        case WARD_SMTP_TLS: return MailFailure("the connection to the mail server is not protected: \(reason)")
        default: return MailFailure("the mail server cannot be reached: \(reason)")
        }
    }
}

/// Tells a conversation on another thread that it ends.
@safe private final class StopFlag: Sendable {
    // A pointer to one atomic number, which stays until this object is gone.
    nonisolated(unsafe) let flag = unsafe ward_smtp_flag_new()

    func raise() { unsafe ward_smtp_flag_raise(flag) }

    deinit { unsafe ward_smtp_flag_free(flag) }
}

private func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let text else { return body(nil) }
    return unsafe text.withCString { unsafe body($0) }
}
