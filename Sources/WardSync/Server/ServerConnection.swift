internal import WardCBOR
package import WardDownload
package import WardLog
internal import WardText

/// The way to a sync server for one vault.
///
/// It opens a session when one is needed, and once more when the server has ended it. Every answer has limits for its length, its
/// time and its type. Redirects are refused. What a server writes is never trusted and never shown.
///
/// ```swift
/// let connection = ServerConnection(address, vault: vault.id, signer: SessionSigner(vault))
/// let answer = try await connection.sendInSession(ServerRequest(.get, connection.path("/heads")))
/// ```
package actor ServerConnection {
    /// Sends one request: a test answers it without a network.
    package typealias Exchange =
        @Sendable (BoundedExchange.Request, BoundedExchange) async throws -> BoundedExchange.Answer

    package nonisolated let address: ServerAddress
    package nonisolated let vault: VaultID
    private let signer: SessionSigner
    private let exchange: Exchange
    /// The number of entries that are asked for at once, at most.
    let pageEntries: Int
    private var token: String?
    /// How often a session was opened, or a connection was lost: each time the server may have been restored from a copy.
    package private(set) var reconnections = 0

    /// How much of the vault's room on the server is used, as the server said when the last session began.
    package private(set) var room: ServerRoom?

    /// Prepares a connection; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - address: The server.
    ///   - vault: The vault.
    ///   - signer: Signs for the sessions.
    ///   - pageEntries: The number of entries that are asked for at once, at most.
    ///   - exchange: Sends a request.
    package init(
        _ address: ServerAddress,
        vault: VaultID,
        signer: SessionSigner,
        pageEntries: Int = ServerLimits.entries,
        exchange: @escaping Exchange = { request, limits in try await limits.answer(to: request) }
    ) {
        self.address = address
        self.vault = vault
        self.signer = signer
        self.pageEntries = pageEntries
        self.exchange = exchange
    }

    /// Prepares requests that need no vault and no signature.
    ///
    /// - Parameters:
    ///   - address: The server.
    ///   - exchange: Sends a request.
    package init(
        withoutVaultTo address: ServerAddress,
        exchange: @escaping Exchange = { request, limits in try await limits.answer(to: request) }
    ) {
        self.init(
            address,
            vault: VaultID(genesis: []),
            signer: SessionSigner { _, _, _ in throw ServerError(.sessionRequired) },
            exchange: exchange
        )
    }

    /// The path of the vault, or of something in it.
    package nonisolated func path(_ rest: String = "") -> String { "/vaults/\(Hex.encode(vault.bytes))\(rest)" }

    // MARK: Requests

    /// Sends a request in a session, which is opened before if there is none.
    ///
    /// - Throws: ``ServerError``, what the signer throws, or `CancellationError`.
    package func sendInSession(_ request: ServerRequest) async throws -> ServerAnswer {
        let used = try await session()
        do {
            return try await send(request, bearer: used)
        } catch let error as ServerError where error.code == .sessionRequired {
            if token == used { token = nil }
            return try await send(request, bearer: try await session())
        }
    }

    /// Sends a request without a session.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bearer: An invitation, or the token of a session.
    /// - Returns: The answer, if its status is that of a success.
    /// - Throws: ``ServerError``, or `CancellationError`.
    package nonisolated func send(_ request: ServerRequest, bearer: String? = nil) async throws -> ServerAnswer {
        var sent = BoundedExchange.Request(
            request.method,
            "\(address.text)/sync/v1\(request.path)",
            fields: request.fields,
            body: request.body
        )
        sent.fields["accept"] = request.answerType?.rawValue ?? ServerRequest.MediaType.item.rawValue
        if request.body != nil { sent.fields["content-type"] = request.bodyType.rawValue }
        if let bearer { sent.fields["authorization"] = "Bearer \(bearer)" }
        var limits = BoundedExchange(maximumSize: request.answerLimit, timeout: request.timeout)
        limits.isCut = request.isAnswerCut
        limits.usesTor = address.isOnion
        return try Self.check(try await answer(to: sent, limits, isRepeatable: request.isRepeatable), request)
    }

    /// A request that meets a connection which the server has just closed is sent again, if it can be sent twice.
    private nonisolated func answer(
        to request: BoundedExchange.Request,
        _ limits: BoundedExchange,
        isRepeatable: Bool
    ) async throws -> BoundedExchange.Answer {
        do {
            return try await exchange(request, limits)
        } catch let failure as BoundedDownload.Failure where failure != .unreachable || !isRepeatable {
            throw ServerError(failure)
        } catch is BoundedDownload.Failure {
            await noteReconnection()
            do {
                return try await exchange(request, limits)
            } catch let failure as BoundedDownload.Failure {
                throw ServerError(failure)
            }
        }
    }

    private func noteReconnection() { reconnections += 1 }

    private static func check(_ answer: BoundedExchange.Answer, _ request: ServerRequest) throws -> ServerAnswer {
        let type = answer.fields["content-type"].map { $0.prefix { $0 != ";" }.lowercased() }
        guard answer.status < 400 else { throw ServerError(answer, type) }
        if let expected = request.answerType {
            guard answer.status == 200 || answer.status == 201, type == expected.rawValue else {
                throw ServerError(.wrongAnswer, status: answer.status)
            }
        } else {
            guard answer.status == 204, answer.body.isEmpty else {
                throw ServerError(.wrongAnswer, status: answer.status)
            }
        }
        let order = answer.fields["ward-order"].flatMap { Hex.decode($0) }
        return ServerAnswer(
            status: answer.status,
            body: answer.body,
            isCut: answer.isCut,
            head: answer.fields["etag"].flatMap { UInt64(tag: $0) },
            order: order?.count == 16 ? order : nil
        )
    }

    // MARK: Sessions

    /// Ends the session, if there is one.
    package func close() async {
        guard let token else { return }
        self.token = nil
        var request = ServerRequest(.delete, path("/session"))
        request.answerType = nil
        request.timeout = .seconds(5)
        _ = try? await send(request, bearer: token)
    }

    private func session() async throws -> String {
        if let token { return token }
        let before = reconnections
        do {
            return try await openSession()
        } catch let error as ServerError where error.code == .sessionRefused {
            // The request may have got through, and only its answer was lost: then its challenge was used up.
            if reconnections != before, let token = try await sessionIfKnown() { return token }
            // Or the server does not know this device, and nobody else is left who can bring its first entry.
            guard let introduction = try await signer.introduction() else { throw error }
            return try await openSession(introducedBy: introduction)
        }
    }

    private func sessionIfKnown() async throws -> String? {
        do {
            return try await openSession()
        } catch let error as ServerError where error.code == .sessionRefused {
            return nil
        }
    }

    private func openSession(introducedBy introduction: [UInt8]? = nil) async throws -> String {
        let (challenge, time, host) = try Self.challenge(try await send(ServerRequest(.post, path("/challenge"))))
        // It would refuse every signature, as if it did not have the vault. Older servers do not say their host.
        guard host == nil || host == address.host else { throw ServerError(.otherHost) }
        let signed = try await signer.sign(address.host, challenge, time)
        var pairs = [
            CBORPair(key: 1, value: .bytes(signed.statement.subject)), CBORPair(key: 2, value: .bytes(challenge)),
            CBORPair(key: 3, value: .unsigned(time)), CBORPair(key: 4, value: .bytes(signed.signature)),
        ]
        if let introduction { pairs.append(CBORPair(key: 6, value: .bytes(introduction))) }
        let body = CBORValue.map(pairs)
        let answer = try await send(ServerRequest(.post, path("/session"), body: body.encoded()))
        let rules = CBORRules(maximumDepth: 1, maximumItems: 32, maximumLength: 1_024)
        guard let value = try? CBORValue.decode(answer.body, rules: rules), let new = value[1]?.textValue,
            (16...512).contains(new.utf8.count), new.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw ServerError(.wrongAnswer, status: answer.status) }
        token = new
        room = ServerRoom(value)
        reconnections += 1
        return new
    }

    private static func challenge(_ answer: ServerAnswer) throws -> ([UInt8], UInt64, host: String?) {
        let rules = CBORRules(maximumDepth: 1, maximumItems: 32, maximumLength: 1_024)
        guard let value = try? CBORValue.decode(answer.body, rules: rules), let challenge = value[1]?.bytesValue,
            challenge.count == 32, case .unsigned(let time) = value[2]
        else { throw ServerError(.wrongAnswer, status: answer.status) }
        return (challenge, time, value[3]?.textValue)
    }
}

extension UInt64 {
    /// The number in an entity tag, in its one form: digits in quotes.
    fileprivate init?(tag: String) {
        let digits = tag.dropFirst().dropLast()
        guard tag.count >= 3, tag.first == "\"", tag.last == "\"", let number = Self(digits), String(number) == digits
        else { return nil }
        self = number
    }
}

extension ServerError {
    init(_ failure: BoundedDownload.Failure) {
        switch failure {
        case .redirect: self.init(Code.redirected)
        case .tooSlow: self.init(Code.tooSlow)
        case .unreachable: self.init(Code.unreachable)
        case .status, .contentType, .tooLarge: self.init(.wrongAnswer)
        }
    }

    /// Reads a problem document (RFC 9457).
    ///
    /// Proxies answer errors of their own, which have no code.
    fileprivate init(_ answer: BoundedExchange.Answer, _ type: String?) {
        let members = type == "application/problem+json" ? try? JSONValue(answer.body).objectValue : nil
        let code = members?["code"]?.stringValue.map { Code(name: $0) }
        self.init(code.flatMap { $0.isKnown ? $0 : nil } ?? Self.code(of: answer.status), status: answer.status)
        self.members = members ?? []
        if let text = answer.fields["retry-after"], let seconds = Int64(text), seconds >= 0 {
            retryAfter = min(seconds, Self.longestWait)
        }
    }

    /// The longest time that a server can make a device wait, in seconds.
    private static let longestWait: Int64 = 15 * 60

    private static func code(of status: UInt) -> Code {
        switch status {
        case 404: .notFound
        case 413: .bodyTooLarge
        case 429: .tooManyRequests
        case 503: .busy
        case 500...599: .unavailable
        default: .refused
        }
    }
}
