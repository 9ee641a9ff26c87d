import Testing
import WardCBOR
import WardLog

/// A device that was removed has kept everything: its key, the owner key of its time, and the log as it was.
///
/// It writes beside its removal, as if it had not heard of it. Somebody brings that to the others.
@Suite struct `A removed device that kept everything` {
    typealias Device = LogFixture.Device

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Writes as the removed device, and returns what it wrote.
        let entries: @Sendable (CircleFixture, _ removed: Device) throws -> [SignedEntry]
    }

    static let attacks: [Attack] = [
        Attack(testDescription: "admits a new device of its own") { circle, removed in
            let newcomer = try circle.stranger(60, like: removed)
            let admission = try circle.write(.admit(CircleFixture.device(newcomer), name: []), by: removed)
            try newcomer.take(admission)
            return [
                admission, try newcomer.write(.circle(.joinAdmitted(admission.hash))),
                try newcomer.editInCircle(.number(1)),
            ]
        },
        Attack(testDescription: "admits a row of devices, each by the one before") { circle, removed in
            var sponsor = removed
            var entries: [SignedEntry] = []
            for number in UInt8(60)..<64 {
                let newcomer = try circle.stranger(number, like: sponsor)
                entries.append(try circle.write(.admit(CircleFixture.device(newcomer), name: []), by: sponsor))
                try newcomer.take(entries)
                entries.append(try newcomer.write(.circle(.joinAdmitted(entries[entries.count - 1].hash))))
                sponsor = newcomer
            }
            return entries + [try sponsor.editInCircle(.number(1))]
        },
        Attack(testDescription: "lets a new device of its own remove all others") { circle, removed in
            let newcomer = try circle.stranger(60, like: removed)
            let admission = try circle.write(.admit(CircleFixture.device(newcomer), name: []), by: removed)
            try newcomer.take(admission)
            let begin = try newcomer.write(.circle(.joinAdmitted(admission.hash)))
            return [admission, begin, try circle.remove([circle[0], circle[1]], by: newcomer)]
        },
        Attack(testDescription: "removes the device that removed it") { circle, removed in
            [try circle.remove([circle[0]], by: removed)]
        },
        Attack(testDescription: "removes all others") { circle, removed in
            [try circle.remove([circle[0], circle[1]], by: removed)]
        },
        Attack(testDescription: "replaces the header, and so the passphrase") { circle, removed in
            [try circle.replaceHeader(by: removed)]
        },
        Attack(testDescription: "makes a new key") { circle, removed in
            [try circle.write(.rekey(circle.keys(by: removed)), by: removed)]
        },
        Attack(testDescription: "makes many new keys, so that its epoch is the largest") { circle, removed in
            try (0..<5).map { _ in try circle.write(.rekey(circle.keys(by: removed)), by: removed) }
        },
        Attack(testDescription: "replaces the recovery keys") { circle, removed in
            let keys = [CircleFixture.recoveryKey(77, .ed25519)]
            return [try circle.write(.recovery(keys, circle.keys(by: removed)), by: removed)]
        },
        Attack(testDescription: "says that older readers must stop") { circle, removed in
            [try circle.write(.rules(minimumReader: .max), by: removed)]
        },
        Attack(testDescription: "changes and removes items") { _, removed in
            [
                try removed.editInCircle(.number(1), content: 9), try removed.purge(.number(2)),
                try removed.editInCircle(.number(1), content: 8),
            ]
        },
        Attack(testDescription: "writes an operation that nobody knows") { _, removed in
            [try removed.write(.unknown(99, ["what": "ever"]))]
        },
        Attack(testDescription: "signs two entries with one number") { _, removed in
            try [1, 2].map { content in removed.signed(try removed.draft(.ignorable(130, [1: .unsigned(content)]))) }
        },
        Attack(testDescription: "admits itself again") { circle, removed in
            [removed.signed(try circle.draft(.admit(CircleFixture.device(removed), name: []), by: removed))]
        },
        Attack(testDescription: "begins another circle") { circle, removed in
            let members = [CircleFixture.device(removed)]
            let begin = CircleRecord.begin(members: members, recovery: [], circle.keys(by: removed))
            return [try circle.write(begin, by: removed)]
        },
    ]

    /// What a reader says about the vault.
    private struct Verdict: Equatable {
        var members: Set<DeviceID>?
        var recovery: Set<CircleKey>?
        var owners: Set<CircleKey>?
        var key: [UInt8]?
        var header: [UInt8]?
        var minimumReader: UInt64?
        var isFrozen: Bool?
        var heads: [[[UInt8]]]

        init(_ graph: LogGraph) {
            let state = graph.circleState
            (members, recovery, owners) = (state?.members, state?.recovery, state?.owners)
            (key, header, minimumReader) = (state?.key?.entry, graph.header?.hash, state?.minimumReader)
            isFrozen = state?.isFrozen
            heads = (1...2).map { graph.heads(of: .number($0)).map(\.hash) }
        }
    }

    /// A member has seen the removal and said so, before it heard of the rest.
    @Test(arguments: attacks)
    func `changes nothing for the others, in either order`(attack: Attack) throws {
        let circle = try CircleFixture(devices: 3, .ed25519)
        try circle.meet()
        for number in UInt8(1)...2 { try circle[2].editInCircle(.number(number), content: 1) }
        try circle.meet()
        let removal = try circle.remove([circle[2]], by: circle[0])
        try circle[1].take(removal)
        let witness = try circle[1].editInCircle(.number(3))
        let before = Verdict(circle[1].graph)
        #expect(before.members == [circle[0].id, circle[1].id] && before.heads.allSatisfy { $0.count == 1 })
        let entries = try attack.entries(circle, circle[2])
        let start = circle[2].log.filter { !entries.contains($0) }
        for order in [[removal, witness] + entries, entries + [removal, witness]] {
            let reader = try circle.empty()
            try reader.take(start)
            for entry in order { _ = try? reader.take(entry) }
            #expect(reader.graph.contains(removal.hash) && reader.graph.contains(witness.hash))
            #expect(Verdict(reader.graph) == before)
        }
        // The person goes on: the next change of the circle is taken.
        for entry in entries { _ = try? circle[0].take(entry) }
        try circle[0].take(witness)
        let next = try circle.write(.rekey(circle.keys(by: circle[0])), by: circle[0])
        #expect(circle[0].graph.stands(next.hash))
        #expect(circle[0].graph.circleState?.members == before.members)
    }

    /// Once it names its removal, nothing of it is taken at all.
    @Test func `cannot write a single entry that knows its removal`() throws {
        let circle = try CircleFixture(devices: 3, .ed25519)
        try circle.meet()
        let removal = try circle.remove([circle[2]], by: circle[0])
        let removed = circle[2]
        try removed.take(removal)
        let newcomer = try circle.stranger(60, like: removed)
        let operations: [LogOperation] = [
            .ignorable(130, [:]), .unknown(99, [:]), .revision(removed.revision(.number(1))),
            .header(generation: 3, hash: [UInt8](repeating: 1, count: 32)),
            .circle(.admit(CircleFixture.device(removed), name: [])),
            .circle(.admit(CircleFixture.device(newcomer), name: [])),
            .circle(.remove([circle[0].id], circle.keys(by: removed, without: [circle[0].id]))),
            .circle(.rekey(circle.keys(by: removed))), .circle(.rules(minimumReader: 9)),
            .circle(.joinRecovered(CircleFixture.device(removed))),
            .enrol(device: removed.publicKey, certificate: circle.base.certificate(removed.publicKey)),
        ]
        for operation in operations {
            let entry = try circle.approved(try removed.draft(operation), by: removed, recovery: CircleFixture.paper)
            #expect(throws: LogError.self, "\(operation)") { try circle[0].take(removed.signed(entry)) }
        }
    }
}
