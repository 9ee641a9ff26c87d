internal import WardCBOR
package import WardDomains
internal import WardDownload

/// Signing in at a sync server with an account of its service, so that a vault can be brought without an invitation.
///
/// The server gives two codes. The person opens a page of the service in a browser, compares the code there with the one on this
/// device, and agrees. Then the device's own code is an invitation. `Documentation/formats/sync.md`, "Server".
package struct ServerSignIn: Sendable {
    /// What the server gave for one sign-in.
    package struct Codes: Hashable, Sendable {
        /// The secret of this device; an invitation once the person has agreed.
        package let code: String
        /// The code that the person compares.
        package let userCode: String
        /// The page where the person signs in, which is the server's own.
        package let page: ServerAddress
        /// How many seconds the codes are good for.
        package let seconds: Int64
        /// The shortest time between two questions, in seconds.
        package let interval: Int64
    }

    private let connection: ServerConnection
    private let suffixes: PublicSuffixList

    /// The longest time that a server can make a person wait, in seconds, and the longest time between two questions.
    private static let longest: (lifetime: Int64, interval: Int64) = (3_600, 120)

    /// Prepares a sign-in; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - address: The server.
    ///   - suffixes: The public suffix list, which tells the server's own pages.
    ///   - exchange: Sends a request.
    package init(
        _ address: ServerAddress,
        suffixes: PublicSuffixList = .system,
        exchange: @escaping ServerConnection.Exchange = { request, limits in try await limits.answer(to: request) }
    ) {
        connection = ServerConnection(withoutVaultTo: address, exchange: exchange)
        self.suffixes = suffixes
    }

    /// Begins a sign-in.
    ///
    /// - Returns: The codes; `nil` if vaults of this server need an invitation.
    /// - Throws: ``ServerError``, or `CancellationError`.
    package func begin() async throws -> Codes? {
        let answer: ServerAnswer
        do {
            answer = try await connection.send(ServerRequest(.post, "/sign-in"))
        } catch let error as ServerError where [.signInNotOffered, .notFound].contains(error.code) {
            // A server that never heard of sign-ins answers that nothing is there.
            return nil
        }
        guard let value = Self.map(answer), let code = value[1]?.textValue, (16...512).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), let userCode = value[2]?.textValue,
            Self.isUserCode(userCode), let page = value[3]?.textValue.flatMap({ ServerAddress($0) }),
            connection.address.maySend(to: page, suffixes: suffixes),
            let seconds = value[4]?.integerValue, seconds > 0, let interval = value[5]?.integerValue, interval > 0
        else { throw ServerError(.wrongAnswer, status: answer.status) }
        return Codes(
            code: code,
            userCode: userCode,
            page: page,
            seconds: min(seconds, Self.longest.lifetime),
            interval: min(interval, Self.longest.interval)
        )
    }

    /// Asks whether the person has agreed.
    ///
    /// - Parameter code: The secret of this device.
    /// - Returns: The number of seconds until the next question; `nil` if the person has agreed.
    /// - Throws: ``ServerError``, with `signInRefused` or `signInOver` if the sign-in has ended; or `CancellationError`.
    package func wait(for code: String) async throws -> Int64? {
        let body: CBORValue = [1: .text(code)]
        let answer = try await connection.send(ServerRequest(.post, "/sign-in/answer", body: body.encoded()))
        guard let value = Self.map(answer), let state = value[1]?.integerValue, (0...1).contains(state) else {
            throw ServerError(.wrongAnswer, status: answer.status)
        }
        guard state == 0 else { return nil }
        guard let interval = value[2]?.integerValue, interval > 0 else {
            throw ServerError(.wrongAnswer, status: answer.status)
        }
        return min(interval, Self.longest.interval)
    }

    private static func map(_ answer: ServerAnswer) -> CBORValue? {
        let rules = CBORRules(maximumDepth: 1, maximumItems: 32, maximumLength: 4_096)
        guard let value = try? CBORValue.decode(answer.body, rules: rules), value.mapValue != nil else { return nil }
        return value
    }

    /// Whether a person can read a code: capital letters, digits and hyphens.
    private static func isUserCode(_ text: String) -> Bool {
        (4...20).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension ServerSignIn.Codes {
    /// The page with the code, which a browser opens.
    package var link: String { "\(page.text)?user_code=\(userCode)" }
}
