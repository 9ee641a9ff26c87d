import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WardLog
import WardSyncRecords
import WardWebAuthn
import WardText

/// The entries of a vault: they are read and brought.
struct EntryRoutes {
    let desk: SyncDesk

    /// How much of an answer is in memory at the same time.
    private static let page = SyncPage(entries: 256, bytes: 1024 * 1024)
    /// How long an answer can be that is written at once.
    private static let news = SyncPage(entries: 8, bytes: SyncLimits.shortAnswer)

    func add(to router: Router<SyncRequestContext>) {
        router.get("/sync/v1/vaults/{vault}/entries") { [desk] request, context in
            let told = desk.news.told
            let visit = try await desk.visit(request, try context.vault())
            let names: Set = ["after", "limit", "wait", "device", "from"]
            let parameters = try Parameters(request, names)
            let after = try parameters.number("after", in: 0...Int64.max, else: 0)
            let limit = try parameters.number("limit", in: 1...SyncLimits.answerEntries, else: SyncLimits.usualEntries)
            if let device = try parameters.device("device") {
                guard !parameters.has("wait") else {
                    throw SyncError(.parameterNotValid, "wait does not go with device.")
                }
                let from = try parameters.number("from", in: 1...Int64.max, else: 1)
                return try Self.entries(of: device, from: from, after: after, limit, visit, desk)
            }
            guard !parameters.has("from") else { throw SyncError(.parameterNotValid, "from goes with device.") }
            let wait = try parameters.number("wait", in: 0...SyncLimits.wait, else: 0)
            let vault = try await desk.vault(visit, told, after: after, wait: wait)
            return try await Self.entries(
                after: after,
                Int(limit),
                SyncVisit(session: visit.session, vault: vault),
                desk
            )
        }
        router.get("/sync/v1/vaults/{vault}/heads") { [desk] request, context in
            let visit = try await desk.visit(request, try context.vault())
            _ = try Parameters(request, [])
            let (place, vault) = (try desk.place(visit), visit.vault)
            let heads = try await desk.store.heads(of: vault.id)
            return Response.stream(heads, vault, in: place) { number in
                let page = SyncPage(entries: 1, hasBlobs: false, upTo: number)
                return try await desk.store.entries(of: vault.id, after: number - 1, page).first
            }
        }
        router.get("/sync/v1/vaults/{vault}/evidence") { [desk] request, context in
            let visit = try await desk.visit(request, try context.vault())
            _ = try Parameters(request, [])
            let (place, vault) = (try desk.place(visit, SyncLimits.evidenceBytes), visit.vault)
            let found = try await desk.store.contradictions(of: vault.id, limit: SyncLimits.evidence)
            return Response.stream(found.flatMap { [$0.first, $0.second] }, vault, in: place) { $0 }
        }
        router.post("/sync/v1/vaults/{vault}/entries") { [desk] request, context in
            let visit: SyncVisit
            do {
                visit = try await desk.visit(request, try context.vault())
            } catch let error as SyncError where error.code == .sessionRequired {
                return try await Self.bring(try context.vault(), request, context, desk)
            }
            let (session, owner) = (visit.session, MemoryOwner(visit.vault))
            let ifMatch = try request.ifMatch()
            let isNamedLater = try request.isNamedLater()
            return try await desk.uploads.run(by: desk.device(session), of: owner, request.uploadLength) {
                var upload = try await request.upload()
                upload.ifMatch = ifMatch
                upload.isNamedLater = isNamedLater
                (upload.bringer, upload.now) = (session.subject.device, desk.effects.now())
                try desk.count(upload.records.count, by: desk.device(session))
                let stored = try await desk.take(upload, into: session.vault, by: session)
                // From now on the device opens sessions of its own, which end when it is removed.
                if session.subject.device == nil, upload.records.contains(where: { RecoveredDevice($0.entry) != nil }) {
                    try await desk.store.close(session.token)
                    desk.news.tell(session.vault)
                }
                return Response.stored(stored)
            }
        }
    }

    /// Takes a further part of a vault from who brings it.
    private static func bring(
        _ vault: VaultID,
        _ request: Request,
        _ context: SyncRequestContext,
        _ desk: SyncDesk
    ) async throws -> Response {
        let (invitation, owner) = try await desk.bringing(request, vault)
        try desk.countOpening(request, context)
        let ifMatch = try request.ifMatch()
        return try await desk.bringing.run(by: invitation, of: owner, request.uploadLength) {
            var upload = try await request.upload()
            (upload.ifMatch, upload.invitation, upload.now) = (ifMatch, invitation, desk.effects.now())
            try desk.count(upload.records.count, by: SyncDesk.DeviceInVault(vault: vault, invitation: invitation))
            return Response.stored(try await desk.take(upload, into: vault))
        }
    }

    // MARK: Reading

    /// All entries after a number, up to the last one that was there when the answer began.
    private static func entries(
        after: Int64,
        _ limit: Int,
        _ visit: SyncVisit,
        _ desk: SyncDesk
    ) async throws -> Response {
        let vault = visit.vault
        let last = vault.head - after > Int64(limit) ? after + Int64(limit) : vault.head
        var first: [SyncEntry] = []
        // Most answers are the news of a moment, and those that fit in one page are written at once.
        if last - after <= Int64(news.entries) {
            var page = news
            page.entries = Int(last - after)
            if page.entries > 0 { first = try await desk.store.entries(of: vault.id, after: after, page) }
            // A page has at least one entry, which can be a long one.
            let length = first.reduce(0) { $0 + $1.encoded.count + ($1.blob?.count ?? 0) }
            if first.count == page.entries, length <= page.bytes { return Response.sequence(first, vault) }
        }
        // A long answer begins with what was read already.
        let beginning = FirstPage(first)
        return Response.stream(vault, in: try desk.place(visit)) { previous in
            let number = previous?.number ?? after
            guard number < last else { return [] }
            let first = beginning.take()
            guard first.isEmpty else { return first }
            var page = page
            page.entries = min(page.entries, Int(last - number))
            return try await desk.store.entries(of: vault.id, after: number, page)
        }
    }

    /// The entries of a device after one of them, up to the last one that was there when the answer began.
    private static func entries(
        of device: DeviceID,
        from sequence: Int64,
        after number: Int64,
        _ limit: Int64,
        _ visit: SyncVisit,
        _ desk: SyncDesk
    ) throws -> Response {
        let (left, vault) = (Countdown(Int(limit)), visit.vault)
        return Response.stream(vault, in: try desk.place(visit)) { previous in
            var page = page
            // A session may have ended since, and gets nothing that arrived after that.
            (page.entries, page.last) = (min(page.entries, left.count), vault.head)
            guard page.entries > 0 else { return [] }
            let found = try await desk.store.entries(
                of: vault.id,
                by: device,
                from: previous?.sequence ?? sequence,
                after: previous?.number ?? number,
                page
            )
            left.take(found.count)
            return found
        }
    }
}

extension SyncDesk {
    /// The vault of a session, when it has entries after a number, or when the time is over.
    ///
    /// - Parameters:
    ///   - visit: The session, and the vault as it was a moment ago.
    ///   - told: The number of ``HeadNews/told`` before that.
    ///   - after: The number of an entry.
    ///   - wait: The time, in seconds.
    /// - Returns: The vault.
    /// - Throws: ``SyncError``.
    func vault(_ visit: SyncVisit, _ told: UInt64, after: Int64, wait: Int64) async throws -> SyncVault {
        let (session, vault) = (visit.session, visit.vault)
        guard after <= vault.head else {
            throw SyncError(.numberAhead, "The vault has fewer entries here: the server lost some.")
                .with("head", .integer(vault.head)).with("order", .string(Hex.encode(vault.order)))
        }
        guard wait > 0, after == vault.head else { return vault }
        let listening = try news.listen(.poll, session.vault, session.subject)
        defer { news.leave(listening) }
        return try await withGracefulShutdownHandler {
            try await news(after: after, within: wait, listening, visit, told)
        } onGracefulShutdown: {
            listening.continuation.finish()
        }
    }

    private func news(
        after: Int64,
        within wait: Int64,
        _ listening: HeadNews.Listening,
        _ visit: SyncVisit,
        _ told: UInt64
    ) async throws -> SyncVault {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [clock] in
                try? await clock.sleep(for: .seconds(wait))
                listening.continuation.finish()
            }
            defer { group.cancelAll() }
            var current = visit.vault
            // What came before the listening began is found here.
            if news.told != told { current = try await again(visit.session) }
            guard current.head == after else { return current }
            for await _ in listening.wakes {
                current = try await again(visit.session)
                if current.head > after { break }
            }
            return current
        }
    }

    /// The vault of a session as it is now; a session that ended gets nothing more.
    private func again(_ session: SyncSession) async throws -> SyncVault {
        guard let visit = try await store.visit(session.token, at: effects.now()) else {
            throw SyncError.sessionRequired
        }
        return visit.vault
    }

    /// The place of an answer in memory.
    typealias AnswerPlace = MemoryShares<DeviceInVault>.Place

    /// Takes a place for an answer.
    ///
    /// - Throws: ``SyncError`` if the device or its account reads too much already, or if there is no room.
    func place(_ visit: SyncVisit, _ length: Int = SyncLimits.answerBytes) throws -> AnswerPlace {
        try answers.take(by: device(visit.session), of: MemoryOwner(visit.vault), length)
    }

    /// Who has a session, among all devices of all vaults.
    func device(_ session: SyncSession) -> DeviceInVault {
        DeviceInVault(vault: session.vault, subject: session.subject)
    }

    /// Counts the entries of an upload.
    func count(_ entries: Int, by client: DeviceInVault) throws {
        guard let wait = entryRate.take(Int64(entries), by: client, at: effects.now()) else { return }
        throw SyncError(.tooManyRequests, "The device uploads too many entries.", retryAfter: wait)
    }
}

extension Request {
    /// How much memory an upload can take, as its fields say before anything of it is read.
    var uploadLength: Int {
        // HTTP ends a body where its length says, and a body in chunks has none.
        let isInChunks = headers[.transferEncoding] != nil
        let declared = isInChunks ? nil : headers[.contentLength].flatMap { Int($0) }
        return min(max(declared ?? .max, SyncLimits.leastUploadBytes), SyncLimits.uploadBytes)
    }

    /// The entries of the body.
    func upload() async throws -> Upload {
        let root = try circleRoot()
        let bytes = try await bytes(MediaType.sequence, upTo: SyncLimits.uploadBytes)
        do {
            let records = try LogRecord.decodeSequence(bytes, atMost: SyncLimits.uploadEntries)
            guard !records.isEmpty else { throw SyncError(.entryMalformed, "The upload has no entry.") }
            return Upload(records: records, circleRoot: root)
        } catch let fault as LogRecord.SequenceFault {
            throw switch fault {
            case .malformed(let offset):
                SyncError(.entryMalformed, "The bytes are no entry.").with("offset", .integer(Int64(offset)))
            case .tooLong(let offset):
                SyncError(.bodyTooLarge, "An entry or a blob is too long.").with("offset", .integer(Int64(offset)))
            case .tooMany:
                SyncError(.tooManyEntries, "An upload can have at most \(SyncLimits.uploadEntries) entries.")
            }
        }
    }
}
