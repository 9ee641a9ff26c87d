internal import WardCBOR
internal import WardDownload
package import WardLog
internal import WardText

/// What a server takes and gives in one request.
package enum ServerLimits {
    /// The maximum number of entries in an upload, and what this device asks for at once.
    package static let entries = 500
    /// The maximum length of an upload.
    package static let uploadBytes = 8 << 20
    /// How long an upload may take, in seconds, and how many bytes of it extend that by a second at the server.
    package static let (uploadPatience, uploadRate) = (120, 4_096)
    /// How much of an answer is read before it is taken.
    package static let answerBytes = 16 << 20
    /// How long the server waits for news, in seconds.
    package static let wait = 25
}

/// What a server did with an upload.
package struct ServerReceipt: Hashable, Sendable {
    /// The number of the vault's last entry.
    package let head: UInt64
    /// How many of the entries were new.
    package let count: UInt64
}

extension ServerConnection {
    /// The entries after a number.
    ///
    /// - Parameters:
    ///   - number: The number; 0 for all.
    ///   - limit: The maximum number of entries; `nil` for the usual one of this connection.
    ///   - wait: The number of seconds for which the server waits if there is nothing new.
    /// - Returns: The entries, and what the server says of its order.
    /// - Throws: ``ServerError``, what the signer throws, or `CancellationError`.
    package func entries(
        after number: UInt64,
        limit: Int? = nil,
        wait: Int = 0
    ) async throws -> ServerPage {
        let limit = min(limit ?? pageEntries, pageEntries)
        var query = "?after=\(number)&limit=\(limit)"
        if wait > 0 { query += "&wait=\(wait)" }
        var request = ServerRequest(.get, path("/entries" + query))
        request.answerType = .sequence
        request.answerLimit = ServerLimits.answerBytes
        request.isAnswerCut = true
        request.timeout = .seconds(120 + wait)
        return try ServerPage(try await sendInSession(request), after: number, limit: limit)
    }

    /// Asks for the entries after a number, and again after the time that a busy server names.
    ///
    /// What was read before is not lost then.
    ///
    /// - Parameters:
    ///   - number: The last number that the device knows.
    ///   - limit: The maximum number of entries.
    ///   - sleep: Waits for a time.
    /// - Returns: The entries, and what the server says of its order.
    /// - Throws: As ``entries(after:limit:wait:)``, after a few tries.
    func entriesInTurn(
        after number: UInt64,
        limit: Int,
        sleep: (Duration) async throws -> Void
    ) async throws -> ServerPage {
        for _ in 1..<Self.turns {
            do {
                return try await entries(after: number, limit: limit)
            } catch let error as ServerError where [.busy, .tooManyRequests].contains(error.code) {
                guard let wait = error.retryAfter, wait <= Self.longestTurn else { throw error }
                try await sleep(.seconds(max(1, wait)))
            }
        }
        return try await entries(after: number, limit: limit)
    }

    /// How often a busy server is asked, and for how many seconds each wait is at most.
    private static let (turns, longestTurn) = (5, Int64(60))

    /// Brings entries.
    ///
    /// - Parameters:
    ///   - records: The entries, each after those that it names, within ``ServerLimits``.
    ///   - head: The number of the last entry that this device knows, for operations on the circle.
    ///   - root: The entry that begins the circle, if the server has it or gets it now.
    ///   - invitation: The one with which the vault was brought, as long as the server does not let this device in.
    ///   - isNamedLater: Whether the entries do not count, and a later upload names them.
    /// - Returns: What the server has afterwards.
    /// - Throws: ``ServerError``, what the signer throws, or `CancellationError`.
    package func bring(
        _ records: [LogRecord],
        ifMatch head: UInt64?,
        circle root: [UInt8]?,
        invitation: String? = nil,
        isNamedLater: Bool = false
    ) async throws -> ServerReceipt {
        var request = Self.upload(records, to: path("/entries"), circle: root)
        if isNamedLater { request.fields["ward-named"] = "later" }
        if let head { request.fields["if-match"] = "\"\(head)\"" }
        if let invitation { return try Self.receipt(try await send(request, bearer: invitation)) }
        return try Self.receipt(try await sendInSession(request))
    }

    /// Brings a new vault.
    ///
    /// The same request can be sent again.
    ///
    /// - Parameters:
    ///   - records: The first entries of the vault.
    ///   - root: The entry that begins the circle, if it is one of them.
    ///   - invitation: The token of the operator.
    /// - Returns: What the server has afterwards.
    /// - Throws: ``ServerError``, or `CancellationError`.
    package nonisolated func create(
        _ records: [LogRecord],
        circle root: [UInt8]?,
        invitation: String
    ) async throws -> ServerReceipt {
        var request = Self.upload(records, to: "/vaults", circle: root)
        // Nothing is tried again in the same run before the vault is there.
        request.timeout += .seconds((request.body?.count ?? 0) / ServerLimits.uploadRate)
        return try Self.receipt(try await send(request, bearer: invitation))
    }

    private static func upload(_ records: [LogRecord], to path: String, circle root: [UInt8]?) -> ServerRequest {
        var request = ServerRequest(.post, path, body: records.flatMap(\.encoded))
        request.bodyType = .sequence
        request.timeout = .seconds(ServerLimits.uploadPatience)
        if let root { request.fields["ward-circle"] = Hex.encode(root) }
        return request
    }

    private static func receipt(_ answer: ServerAnswer) throws(ServerError) -> ServerReceipt {
        let rules = CBORRules(maximumDepth: 1, maximumItems: 32, maximumLength: 1_024)
        guard let value = try? CBORValue.decode(answer.body, rules: rules), case .unsigned(let head) = value[1],
            case .unsigned(let count) = value[2]
        else { throw ServerError(.wrongAnswer, status: answer.status) }
        return ServerReceipt(head: head, count: count)
    }
}
