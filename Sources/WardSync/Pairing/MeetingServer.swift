internal import WardCBOR
internal import WardDownload
internal import WardLog
internal import WardVault

/// The way of a device to a meeting at a sync server.
///
/// The server passes messages on, and what they say is none of its business: `MemberMeeting` and `NewDeviceMeeting` make and check them.
/// `Documentation/formats/sync.md`, "Pairing over a server".
package struct MeetingServer: Sendable {
    /// A device's place in a meeting.
    package struct Place: Sendable {
        /// The number of the meeting.
        package let number: Int
        /// What shows the server that this device is in the meeting.
        let token: String
        /// How many seconds are left.
        package let seconds: Int64
    }

    /// What the server says when it is asked for a message.
    package struct News: Sendable {
        /// The message; `nil` if it is not there yet.
        package let message: [UInt8]?
        /// How many seconds are left.
        package let seconds: Int64
        /// How many devices came after the new device, and were refused.
        package let refused: Int64
    }

    private let connection: ServerConnection

    /// The maximum number of seconds that a server may say are left.
    private static let longest: Int64 = 3_600

    /// Takes the connection of a member's vault.
    package init(_ connection: ServerConnection) { self.connection = connection }

    /// Goes to a server as a new device, which has no vault and no session.
    ///
    /// - Parameters:
    ///   - address: The server.
    ///   - exchange: Sends a request.
    package init(
        _ address: ServerAddress,
        exchange: @escaping ServerConnection.Exchange = { request, limits in try await limits.answer(to: request) }
    ) {
        connection = ServerConnection(withoutVaultTo: address, exchange: exchange)
    }

    /// The server as devices reach it.
    package var host: String { connection.address.host }

    // MARK: Requests

    /// Begins a meeting, as a member.
    ///
    /// The session ends with that, because the place has a token of its own. A server keeps few sessions of a device, and one for each
    /// code would end the one of the sync.
    ///
    /// - Parameter offer: Message 0.
    /// - Returns: The place where the new device comes.
    /// - Throws: ``ServerError``, what the signer throws, or `CancellationError`.
    package func begin(_ offer: [UInt8]) async throws -> Place {
        let body: CBORValue = [1: .bytes(offer)]
        let request = ServerRequest(.post, connection.path("/rendezvous"), body: body.encoded())
        let answer: ServerAnswer
        do { answer = try await sent { try await connection.sendInSession(request) } } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        guard let value = Self.map(answer), case .unsigned(let given) = value[1], let number = Int(exactly: given),
            PairingCode.meetings.contains(number)
        else { throw ServerError(.wrongAnswer, status: answer.status) }
        return Place(
            number: number,
            token: try Self.token(value[2], answer),
            seconds: try Self.seconds(value[3], answer)
        )
    }

    /// Comes to a meeting, as a new device.
    ///
    /// - Parameter number: The number in the code.
    /// - Returns: The place, message 0, and the server's host as the server says it.
    /// - Throws: ``MeetingError``, ``ServerError``, or `CancellationError`.
    package func join(_ number: Int) async throws -> (place: Place, offer: [UInt8], host: String) {
        var request = ServerRequest(.post, "/rendezvous/\(number)")
        // The second time, this device would be another one that uses the code.
        request.isRepeatable = false
        let answer = try await send(request)
        guard let value = Self.map(answer), let offer = value[3]?.bytesValue, let host = value[4]?.textValue,
            host.utf8.count <= 512
        else { throw ServerError(.wrongAnswer, status: answer.status) }
        let place = Place(
            number: number,
            token: try Self.token(value[1], answer),
            seconds: try Self.seconds(value[2], answer)
        )
        return (place, offer, host)
    }

    /// Writes a message.
    ///
    /// - Throws: ``MeetingError``, ``ServerError``, or `CancellationError`.
    package func write(_ message: [UInt8], as index: Int, at place: Place) async throws {
        let body: CBORValue = [1: .bytes(message)]
        var request = ServerRequest(.post, "/rendezvous/\(place.number)/\(index)", body: body.encoded())
        request.answerType = nil
        _ = try await send(request, bearer: place.token)
    }

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - index: The number of the message.
    ///   - place: The place of this device.
    ///   - wait: How many seconds the server waits for it.
    /// - Returns: The message, if it is there.
    /// - Throws: ``MeetingError``, ``ServerError``, or `CancellationError`.
    package func read(_ index: Int, at place: Place, wait: Int) async throws -> News {
        var request = ServerRequest(.get, "/rendezvous/\(place.number)/\(index)?wait=\(wait)")
        request.timeout = .seconds(30 + wait)
        let answer = try await send(request, bearer: place.token)
        guard let value = Self.map(answer), let refused = value[3]?.integerValue, refused >= 0 else {
            throw ServerError(.wrongAnswer, status: answer.status)
        }
        return News(
            message: value[1]?.bytesValue,
            seconds: try Self.seconds(value[2], answer),
            refused: min(refused, 1_000)
        )
    }

    /// Ends the meeting for both devices; whatever fails is nothing, because it ends by itself.
    package func end(_ place: Place) async {
        var request = ServerRequest(.delete, "/rendezvous/\(place.number)")
        request.answerType = nil
        request.timeout = .seconds(5)
        _ = try? await send(request, bearer: place.token)
    }

    // MARK: Parts

    private func send(_ request: ServerRequest, bearer: String? = nil) async throws -> ServerAnswer {
        try await sent { try await connection.send(request, bearer: bearer) }
    }

    private func sent(_ body: () async throws -> ServerAnswer) async throws -> ServerAnswer {
        do {
            return try await body()
        } catch let error as ServerError {
            throw MeetingError(error).map { $0 as any Error } ?? error
        }
    }

    private static func map(_ answer: ServerAnswer) -> CBORValue? {
        let rules = CBORRules(maximumDepth: 1, maximumItems: 32, maximumLength: 32_768)
        guard let value = try? CBORValue.decode(answer.body, rules: rules), value.mapValue != nil else { return nil }
        return value
    }

    private static func token(_ value: CBORValue?, _ answer: ServerAnswer) throws(ServerError) -> String {
        guard let text = value?.textValue, (16...512).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw ServerError(.wrongAnswer, status: answer.status) }
        return text
    }

    private static func seconds(_ value: CBORValue?, _ answer: ServerAnswer) throws(ServerError) -> Int64 {
        guard let seconds = value?.integerValue, seconds >= 0 else {
            throw ServerError(.wrongAnswer, status: answer.status)
        }
        return min(seconds, longest)
    }
}

extension ServerConnection {
    /// All entries that the server has, for a device that does not have the vault yet.
    ///
    /// - Parameters:
    ///   - limits: What fits into memory.
    ///   - progress: Told how far the reading is.
    ///   - sleep: Waits for a time.
    /// - Returns: The entries, in the server's order.
    /// - Throws: ``ServerError``, with `vault_too_large` if there is too much; what the signer throws, or `CancellationError`.
    package func allEntries(
        within limits: VaultLimits = VaultLimits(),
        progress: SyncProgress.Report = { _ in },
        sleep: (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async throws -> [ServerPage] {
        var pages: [ServerPage] = []
        var (number, count, length): (UInt64, Int, Int) = (0, 0, 0)
        var pace = TransferPace()
        while true {
            let began = ContinuousClock.now
            let page = try await entriesInTurn(after: number, limit: pace.limit().entries, sleep: sleep)
            pace.note(began.duration(to: .now), isFull: page.entries.last.map { $0.number < page.head } ?? false)
            pages.append(page)
            count += page.entries.count
            length += page.entries.reduce(0) { $0 + $1.record.size }
            // A server takes less, unless its operator allows more.
            guard count <= limits.entries, length <= limits.bytes else { throw ServerError(.vaultTooLarge) }
            progress(SyncProgress(.taking, page, from: 0))
            guard let last = page.entries.last, last.number < page.head else { return pages }
            number = last.number
        }
    }
}
