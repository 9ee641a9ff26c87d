import HTTPTypes
import Testing
import WardCBOR
import WardLog
import WardSyncRecords
import WardSyncServer
import WardTesting
import WardText

@Suite struct `An upload` {
    @Test func `adds entries of any device, whoever brings them`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        let token = try await server.begin(vault)
        try vault[1].edit(1, 1)
        try vault[2].edit(2, 2)
        try vault.meet()
        let new = vault[0].log.filter { $0.blob != nil }
        let answer = try await server.upload(new, to: vault.id, by: token)
        #expect(answer.status == .ok && answer.cbor == [1: 5, 2: 2] && answer.tag == "\"5\"")
        #expect(try await server.store.shares(of: vault.id).count == 3)
    }

    @Test func `that is there counts as done`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let edit = try vault[0].edit()
        for count in [1, 0, 0] {
            let answer = try await server.upload([edit], to: vault.id, by: token)
            #expect(answer.status == .ok && answer.cbor == [1: 2, 2: .unsigned(UInt64(count))])
        }
        let next = try vault[0].edit()
        let both = try await server.upload([vault.genesis, edit, next], to: vault.id, by: token)
        #expect(both.cbor == [1: 3, 2: 1])
    }

    @Test func `is taken as a whole or not at all`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let good = try (0..<5).map { try vault[0].edit(UInt8($0 + 1)) }
        var wrong = good[4].entry.signature
        wrong[0] ^= 1
        let spoiled = SignedEntry(entry: good[4].entry.entry, payload: good[4].entry.payload, signature: wrong)
        let answer = try await server.upload(
            good[..<4] + [LogRecord(entry: spoiled, blob: good[4].blob)],
            to: vault.id,
            by: token
        )
        #expect(answer.code == "entry_refused")
        #expect(answer.problem?["entry"]?.stringValue == Hex.encode(spoiled.hash))
        #expect(try await server.head(vault.id) == 1)
        // The log in memory did not change either.
        #expect(try await server.upload(good, to: vault.id, by: token).cbor == [1: 6, 2: 5])
    }

    @Test func `with a wrong signature alone leaves the log in memory as it is`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let edit = try vault[0].edit()
        try #require(try await server.upload([edit], to: vault.id, by: token).status == .ok)
        let next = try vault[0].edit()
        var signature = next.entry.signature
        signature[63] ^= 1
        let spoiled = SignedEntry(entry: next.entry.entry, payload: next.entry.payload, signature: signature)
        let record = LogRecord(entry: spoiled, blob: next.blob)
        #expect(try await server.upload([record], to: vault.id, by: token).code == "entry_refused")
        #expect(await server.server.cachedEntries == 2)
        #expect(try await server.upload([next], to: vault.id, by: token).cbor == [1: 3, 2: 1])
    }

    @Test func `with entries that name others which are not there says which`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let first = try vault[1].edit()
        let second = try vault[1].edit()
        try vault.meet()
        let third = try vault[0].edit()
        let answer = try await server.upload([second], to: vault.id, by: token)
        #expect(answer.status == .conflict && answer.code == "gap")
        #expect(answer.problem?["missing"] == [.string(Hex.encode(first.entry.hash))])
        let both = try await server.upload([second, third], to: vault.id, by: token)
        #expect(both.problem?["missing"] == [.string(Hex.encode(first.entry.hash))])
        // Each after those that it names.
        let turned = try await server.upload([second, first], to: vault.id, by: token)
        #expect(turned.code == "gap")
        #expect(try await server.upload([first, second, third], to: vault.id, by: token).status == .ok)
    }

    @Test func `of another vault's entries is refused`() async throws {
        let (server, vault, other) = (SyncFixture(), try TestVault(), try TestVault())
        let token = try await server.begin(vault)
        let edit = try other[0].edit()
        #expect(try await server.upload([edit], to: vault.id, by: token).code == "gap")
        #expect(try await server.upload([other.genesis], to: vault.id, by: token).code == "entry_refused")
        #expect(try await server.upload([other.genesis, edit], to: vault.id, by: token).code == "entry_refused")
    }

    @Test func `with an entry twice is refused`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let edit = try vault[0].edit()
        #expect(try await server.upload([edit, edit], to: vault.id, by: token).code == "entry_repeated")
    }

    @Test func `needs its session`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        try await server.bring(vault[0].log)
        let edit = try vault[0].edit()
        let answer = try await server.upload([edit], to: vault.id, by: "x")
        #expect(answer.code == "session_required")
    }

    @Test func `of more entries than a device may bring is refused, until time has passed`() async throws {
        var limits = SyncLimits.standard
        limits.entries = Rate(atOnce: 6, perSecond: 2)
        let server = SyncFixture(limits: limits)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        let edits = try (0..<8).map { _ in try vault[0].edit() }
        #expect(try await server.upload(Array(edits[..<4]), to: vault.id, by: token).status == .ok)
        let refused = try await server.upload(Array(edits[4...]), to: vault.id, by: token)
        #expect(refused.code == "too_many_requests" && refused.fields[.retryAfter] == "1")
        server.world.advance(by: 1)
        #expect(try await server.upload(Array(edits[4...]), to: vault.id, by: token).status == .ok)
    }
}

@Suite struct `Blobs of an upload` {
    @Test func `must be those that the entries name`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let edit = try vault[0].edit(1, 1)
        for blob in [[], [1], [UInt8](repeating: 1, count: 17)] as [[UInt8]] {
            let record = LogRecord(entry: edit.entry, blob: blob)
            #expect(try await server.upload([record], to: vault.id, by: token).code == "blob_wrong")
        }
        // An entry that names none, and an operation that this server does not know.
        let bare = try vault[0].write(.ignorable(200, [1: 1]))
        let log = [edit, LogRecord(entry: bare.entry, blob: [1])]
        #expect(try await server.upload(log, to: vault.id, by: token).code == "blob_wrong")
        #expect(try await server.upload([edit, bare], to: vault.id, by: token).status == .ok)
    }

    /// Somebody brings an entry before its device does, and leaves the blob out.
    @Test func `must be there while they are needed, and can be filled in`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault(devices: 2))
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let token = try await server.open(vault[1], in: vault.id)
        let first = try #require(try await server.head(vault.id))
        let last = CBORValue.integer(first + 2)
        let edit = try vault[0].edit(1, 1)
        let bare = LogRecord(entry: edit.entry)
        let refused = try await server.upload([bare], to: vault.id, by: token)
        #expect(refused.status == .conflict && refused.code == "blob_missing")
        #expect(refused.problem?["missing"] == [.string(Hex.encode(edit.entry.hash))])
        #expect(try await server.head(vault.id) == first)
        // A purge takes it away: then the entry is taken without it, and anybody can still fill it in.
        let heads = vault[0].graph.heads(of: LogItemID(prefix: [1])).map(\.hash)
        let purge = try vault[0].write(.purge(item: LogItemID(prefix: [1]), parents: heads))
        let before = try await server.upload([bare, purge], to: vault.id, by: token)
        #expect(before.status == .ok)
        var read = try await server.get(vault.id, "/entries?after=\(first)", by: token)
        #expect(read.entries.map(\.blob) == [nil, nil])
        let wrong = LogRecord(entry: edit.entry, blob: [9])
        #expect(try await server.upload([wrong], to: vault.id, by: token).code == "blob_wrong")
        #expect(try await server.upload([bare], to: vault.id, by: token).cbor == [1: last, 2: 0])
        let length = try #require(try await server.store.vault(vault.id)).bytes
        #expect(try await server.upload([edit], to: vault.id, by: token).cbor == [1: last, 2: 0])
        read = try await server.get(vault.id, "/entries?after=\(first)", by: token)
        #expect(read.entries.map(\.blob) == [edit.blob, nil])
        #expect(try await server.store.vault(vault.id)?.bytes == length + 16)
    }

    /// It may have cleared them because of an entry that comes in a later upload.
    @Test func `of its own entries may be missing when a device brings them`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault(devices: 2))
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let own = LogRecord(entry: try vault[0].edit(1, 1).entry)
        let other = LogRecord(entry: try vault[1].edit(2, 1).entry)
        #expect(try await server.upload([other], to: vault.id, by: token).code == "blob_missing")
        #expect(try await server.upload([own], to: vault.id, by: token).status == .ok)
    }

    /// The device is lost, another one has cleared what it wrote, and what allowed that comes later.
    @Test func `of entries of others may be missing once these are thirty days old`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault(devices: 2))
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let other = LogRecord(entry: try vault[1].edit(2, 1).entry)
        let written = other.entry.entry.time.seconds
        for (age, code) in [(30 * 86_400 - 1, "blob_missing"), (30 * 86_400, nil)] as [(Int64, String?)] {
            server.world.advance(by: written + age - server.world.now)
            let token = try await server.open(vault[0], in: vault.id)
            #expect(try await server.upload([other], to: vault.id, by: token).code == code)
        }
    }

    /// Each costs memory with every entry that names another one.
    @Test func `can be of a thousand devices and no more`() async throws {
        var limits = SyncLimits.standard
        limits.entries = Rate(atOnce: 10_000, perSecond: 1)
        let (server, vault) = (SyncFixture(limits: limits), try TestVault())
        let token = try await server.begin(vault)
        var records: [LogRecord] = []
        for _ in 0..<SyncLimits.authors { records += try vault.enrolAlone() }
        for start in stride(from: 0, to: records.count - 1, by: 300) {
            let part = Array(records[start..<min(start + 300, records.count - 1)])
            try #require(try await server.upload(part, to: vault.id, by: token).status == .ok)
        }
        let answer = try await server.upload(records.suffix(1), to: vault.id, by: token)
        #expect(answer.code == "quota_exceeded")
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
    }

    @Test func `of old revisions can be missing`() async throws {
        var limits = SyncLimits.standard
        limits.entries = Rate(atOnce: 10_000, perSecond: 1)
        let server = SyncFixture(limits: limits)
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let token = try await server.open(vault[1], in: vault.id)
        var edits = try (0...Int(LogGraph.keptRevisions)).map { _ in try vault[0].edit() }
        edits[0].blob = nil
        edits[1].blob = nil
        #expect(
            try await server.upload(edits, to: vault.id, by: token).problem?["missing"]
                == [.string(Hex.encode(edits[1].entry.hash))]
        )
        edits.append(try vault[0].edit())
        #expect(try await server.upload(edits, to: vault.id, by: token).status == .ok)
    }

    @Test func `with the header in force must be there`() async throws {
        let server = SyncFixture()
        let vault = try TestVault()
        let token = try await server.begin(vault)
        var record = try vault.beginCircle()
        record.blob = nil
        let root = record.entry.hash
        let answer = try await server.upload([record], to: vault.id, by: token, ifMatch: 1, circle: root)
        #expect(answer.code == "blob_missing")
    }
}

@Suite struct `An operation of the circle in an upload` {
    @Test func `needs the number of the last entry`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let record = try vault.beginCircle()
        let root = record.entry.hash
        let none = try await server.upload([record], to: vault.id, by: token, circle: root)
        #expect(none.status == .preconditionRequired && none.code == "if_match_required")
        for number in [Int64(1), 3] {
            let stale = try await server.upload([record], to: vault.id, by: token, ifMatch: number, circle: root)
            #expect(stale.status == .preconditionFailed && stale.code == "head_moved" && stale.tag == "\"2\"")
        }
        #expect(try await server.upload([record], to: vault.id, by: token, ifMatch: 2, circle: root).status == .ok)
        // The answer was lost: the same again is done, whatever the number.
        #expect(try await server.upload([record], to: vault.id, by: token, ifMatch: 2, circle: root).status == .ok)
        #expect(try await server.upload([record], to: vault.id, by: token, circle: root).status == .ok)
    }

    @Test(arguments: ["2", "\"2", "W/\"2\"", "\"\"", "*", "\"02\"", "\"2\", \"3\"", "\"-1\"", "\"2 \""])
    func `needs it in its form`(field: String) async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let fields: HTTPFields = [
            .contentType: "application/cbor-seq", .authorization: "Bearer \(token)", .ifMatch: field,
        ]
        let answer = try await server.send(.post, SyncFixture.path(vault.id, "/entries"), fields, vault.genesis.encoded)
        #expect(answer.code == "malformed_request")
    }

    @Test func `needs to say which entry begins the circle, once and for all`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let record = try vault.beginCircle()
        let root = record.entry.hash
        #expect(try await server.upload([record], to: vault.id, by: token, ifMatch: 2).code == "circle_root_required")
        let genesis = vault.genesis.entry.hash
        let wrong = try await server.upload([record], to: vault.id, by: token, ifMatch: 2, circle: genesis)
        #expect(wrong.code == "circle_root_not_found")
        #expect(try await server.upload([record], to: vault.id, by: token, ifMatch: 2, circle: root).status == .ok)
        let edit = try vault[0].edit()
        let other = try await server.upload([edit], to: vault.id, by: token, circle: genesis)
        #expect(other.code == "circle_root_differs" && other.problem?["circle"]?.stringValue == Hex.encode(root))
        #expect(try await server.upload([edit], to: vault.id, by: token, circle: root).status == .ok)
    }

    @Test func `of a member without the owner is stored, and removes nobody`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        _ = try await server.open(vault[2], in: vault.id)
        // The thief has device 2 open, and no owner key.
        let keys = CircleKeysRecord(
            epoch: 2,
            owner: vault[2].publicKey,
            header: 2,
            headerHash: [UInt8](repeating: 1, count: 32),
            sealed: []
        )
        let removal = try vault[2].write(.circle(.remove([vault[0].id], keys)))
        let head = try #require(try await server.head(vault.id))
        let answer = try await server.upload([removal], to: vault.id, by: token, ifMatch: head)
        #expect(answer.status == .ok)
        #expect(try await server.get(vault.id, "/heads", by: token).status == .ok)
        _ = try await server.open(vault[0], in: vault.id)
    }

    /// What helps against a device that fills the vault must fit.
    @Test func `fits into a vault that is full`() async throws {
        var limits = SyncLimits.standard
        limits.vaultEntries = 8
        limits.devicePercent = 100
        let server = SyncFixture(limits: limits)
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        for _ in 0..<5 {
            #expect(try await server.upload([try vault[1].edit()], to: vault.id, by: token).status == .ok)
        }
        let more = try vault[1].edit()
        let full = try await server.upload([more], to: vault.id, by: token)
        #expect(full.status.code == 507 && full.code == "quota_exceeded" && full.problem?["of"] == "vault")
        try vault[0].take(Array(vault[1].log.dropLast()))
        // What the other device could not bring any more goes along, and nothing else.
        let unsent = try vault[0].edit(2)
        #expect(try await server.upload([unsent], to: vault.id, by: token).code == "quota_exceeded")
        let removal = try vault.remove([vault[1]], by: vault[0])
        #expect(try await server.upload([removal], to: vault.id, by: token, ifMatch: 8).code == "gap")
        let later = try vault[0].edit(2)
        for others in [[more, unsent, removal], [unsent, removal, later]] {
            let answer = try await server.upload(others, to: vault.id, by: token, ifMatch: 8)
            #expect(answer.code == "quota_exceeded")
        }
        #expect(try await server.upload([unsent, removal], to: vault.id, by: token, ifMatch: 8).status == .ok)
        #expect(try await server.upload([later], to: vault.id, by: token).code == "quota_exceeded")
    }
}

@Suite struct `A device that breaks the rules` {
    @Test func `is found out: both entries are kept and told, and the upload is done`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let (first, second) = { ($0[0], $0[1]) }(try vault[1].fork())
        #expect(try await server.upload([first], to: vault.id, by: token).status == .ok)
        let answer = try await server.upload([second], to: vault.id, by: token)
        #expect(answer.status == .conflict && answer.code == "equivocation" && answer.tag == "\"4\"")
        let told = answer.problem?["evidence"]?.arrayValue?.first
        #expect(told?["device"]?.stringValue == Hex.encode(vault[1].id.bytes) && told?["sequence"] == 2)
        #expect(
            told?["entries"] == [.string(Hex.encode(first.entry.hash)), .string(Hex.encode(second.entry.hash))]
        )
        #expect(try await server.head(vault.id) == 4)
        // Again it is simply done.
        #expect(try await server.upload([second], to: vault.id, by: token).status == .ok)
        let evidence = try await server.get(vault.id, "/evidence", by: token)
        #expect(evidence.entries.map(\.entry.hash) == [first.entry.hash, second.entry.hash])
        let heads = try await server.get(vault.id, "/heads", by: token)
        #expect(heads.entries.count == 3)
    }

    /// What others wrote after one of the two must not be stuck.
    @Test func `holds nobody else up, on either branch`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        let token = try await server.begin(vault)
        let branches = try vault[2].fork()
        _ = try await server.upload([branches[0]], to: vault.id, by: token)
        // Device 1 heard of the other branch elsewhere, and names it.
        try vault[1].take([branches[1]])
        let edit = try vault[1].edit()
        #expect(try await server.upload([edit], to: vault.id, by: token).code == "gap")
        #expect(try await server.upload([branches[1], edit], to: vault.id, by: token).code == "equivocation")
        #expect(try await server.head(vault.id) == 6)
        #expect(try await server.upload([try vault[0].edit(3)], to: vault.id, by: token).status == .ok)
    }

    @Test func `cannot fill the memory with branches`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let branches = try vault[1].fork(LogLimits.chains + 1)
        let own = try await server.open(vault[1], in: vault.id)
        for (index, branch) in branches.enumerated() {
            let answer = try await server.upload([branch], to: vault.id, by: own)
            let expected = index == 0 ? nil : index < LogLimits.chains ? "equivocation" : "too_many_chains"
            #expect(answer.code == expected)
        }
        // Another device brings what it took, and names it.
        try vault[0].take([try #require(branches.last)])
        let edit = try vault[0].edit()
        let answer = try await server.upload([try #require(branches.last), edit], to: vault.id, by: token)
        #expect(answer.code == "equivocation")
    }

    @Test func `is not stored after its removal, unless others name what it wrote`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let before = try vault[2].edit(1, 1)
        try vault.meet()
        let removal = try vault.remove([vault[2]], by: vault[0])
        let after = try vault[2].edit(1, 2)
        #expect(try await server.upload([before], to: vault.id, by: token).status == .ok)
        let head = try #require(try await server.head(vault.id))
        #expect(try await server.upload([removal], to: vault.id, by: token, ifMatch: head).status == .ok)
        let refused = try await server.upload([after], to: vault.id, by: token)
        #expect(refused.status == .forbidden && refused.code == "entry_void")
        #expect(try await server.head(vault.id) == head + 1)
        // Device 1 had not heard of the removal.
        try vault[1].take([after])
        let edit = try vault[1].edit(2, 3)
        #expect(try await server.upload([after, edit], to: vault.id, by: token).status == .ok)
        let known = try #require(try await server.head(vault.id))
        #expect(known == head + 3)
        // What knows the removal is refused by the log itself.
        let late = try vault[2].edit(1, 4)
        #expect(try await server.upload([late], to: vault.id, by: token).code == "entry_void")
    }

    /// The entries that another one names may be too many for one upload.
    @Test func `is stored after its removal if another member says that later entries name it`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let thief = try await server.open(vault[2], in: vault.id)
        try vault.meet()
        let removal = try vault.remove([vault[2]], by: vault[0])
        let head = try #require(try await server.head(vault.id))
        let after = [try vault[2].edit(1, 2), try vault[2].edit(1, 3)]
        #expect(try await server.upload([removal], to: vault.id, by: token, ifMatch: head).status == .ok)
        #expect(try await server.upload(after, to: vault.id, by: thief, named: "later").status == .unauthorized)
        #expect(try await server.upload([after[0]], to: vault.id, by: token, named: "no").code == "malformed_request")
        #expect(try await server.upload([after[0]], to: vault.id, by: token).code == "entry_void")
        for record in after {
            #expect(try await server.upload([record], to: vault.id, by: token, named: "later").status == .ok)
        }
        try vault[1].take(after)
        #expect(try await server.upload([try vault[1].edit(2, 3)], to: vault.id, by: token).status == .ok)
        #expect(try await server.head(vault.id) == head + 4)
    }

    @Test func `is not stored with its own removal, whatever it says`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let thief = try await server.open(vault[2], in: vault.id)
        try vault.meet()
        let removal = try vault.remove([vault[2]], by: vault[0])
        let head = try #require(try await server.head(vault.id))
        let both = [removal, try vault[2].edit(1, 2)]
        let answer = try await server.upload(both, to: vault.id, by: thief, ifMatch: head, named: "later")
        #expect(answer.code == "entry_void")
    }

    /// Three devices remove each other in a ring. What one of them writes next shows which removal it saw first.
    @Test func `is refused if it decides a dispute against its device, and leaves nothing behind`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let token = try await server.open(vault[2], in: vault.id)
        let seen = try vault.remove([vault[0]], by: vault[1])
        let removal = try vault.remove([vault[1]], by: vault[2])
        try vault[2].take([seen])
        let records = [
            seen, removal, try vault[2].edit(), try vault.remove([vault[2]], by: vault[0]),
            try vault.remove([vault[1]], by: vault[0], withRecoveryKey: true),
        ]
        for record in records {
            let head = try await server.head(vault.id)
            #expect(try await server.upload([record], to: vault.id, by: token, ifMatch: head).status == .ok)
        }
        let head = try await server.head(vault.id)
        try vault[0].take([seen])
        let edit = try vault[0].edit()
        #expect(try await server.upload([edit], to: vault.id, by: token).code == "entry_void")
        // By what the server has, the device is still in the dispute.
        #expect(try await server.upload([seen], to: vault.id, by: token).status == .ok)
        #expect(try await server.head(vault.id) == head)
        #expect(try await server.tryToOpen(vault[0], in: vault.id).status == .ok)
    }

    @Test func `and what it wrote before is still taken from anybody`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let before = try vault[2].edit(1, 1)
        try vault.meet()
        let removal = try vault.remove([vault[2]], by: vault[0])
        // The server lost the entry, or never had it.
        let head = try #require(try await server.head(vault.id))
        #expect(try await server.upload([removal], to: vault.id, by: token, ifMatch: head).code == "gap")
        let both = try await server.upload([before, removal], to: vault.id, by: token, ifMatch: head)
        #expect(both.status == .ok)
    }

    /// An operation that nobody knows stops its device, and nobody else.
    @Test func `with an unknown operation stops nobody else`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let odd = try vault[1].write(.unknown(99, [1: 1]))
        #expect(try await server.upload([odd], to: vault.id, by: token).status == .ok)
        try vault.meet()
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
    }

    @Test func `can write only so many revisions of one item`() async throws {
        var limits = SyncLimits.standard
        limits.revisionsOfItem = 3
        let server = SyncFixture(limits: limits)
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let edits = try (0..<4).map { _ in try vault[1].edit() }
        #expect(try await server.upload([edits[0]], to: vault.id, by: token).status == .ok)
        #expect(try await server.upload(Array(edits[1...]), to: vault.id, by: token).problem?["of"] == "item")
        #expect(try await server.upload(Array(edits[1..<3]), to: vault.id, by: token).status == .ok)
        #expect(try await server.upload([edits[3]], to: vault.id, by: token).code == "quota_exceeded")
        try vault[0].take(Array(vault[1].log.dropLast()))
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
    }

    @Test func `can fill only its part of the vault`() async throws {
        var limits = SyncLimits.standard
        limits.vaultBytes = 20_000
        let server = SyncFixture(limits: limits)
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        #expect(try await server.upload([try vault[1].edit(1, 1, count: 8_000)], to: vault.id, by: token).status == .ok)
        let more = try vault[1].edit(1, 2, count: 8_000)
        let answer = try await server.upload([more], to: vault.id, by: token)
        #expect(answer.code == "quota_exceeded" && answer.problem?["of"] == "device")
        #expect(answer.problem?["device"]?.stringValue == Hex.encode(vault[1].id.bytes))
        #expect(try await server.upload([try vault[0].edit(2, 1, count: 8_000)], to: vault.id, by: token).status == .ok)
        let full = try await server.upload([try vault[0].edit(2, 2, count: 8_000)], to: vault.id, by: token)
        #expect(full.problem?["of"] == "vault")
    }
}
