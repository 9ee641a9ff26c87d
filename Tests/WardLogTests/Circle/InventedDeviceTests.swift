import Testing
import WardLog

/// A device that nobody admitted tries to write, in every way that somebody could think of.
///
/// The thief is a member without the owner key: a stolen device that is open. All signatures are real.
@Suite struct `A device that nobody admitted` {
    typealias Device = LogFixture.Device

    /// Entries that are to bring a stranger in.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let entries: @Sendable (CircleFixture, _ thief: Device, _ stranger: Device) throws -> [SignedEntry]
    }

    static let attempts: [Attempt] = [
        Attempt(testDescription: "writes at once") { _, _, stranger in
            [stranger.signed(try stranger.draft(.ignorable(128, [:])))]
        },
        Attempt(testDescription: "begins with an admission that nobody wrote") { _, _, stranger in
            [stranger.signed(try stranger.draft(.circle(.joinAdmitted([UInt8](repeating: 7, count: 32)))))]
        },
        Attempt(testDescription: "begins with the entry that begins the circle") { circle, _, stranger in
            [stranger.signed(try stranger.draft(.circle(.joinAdmitted(circle.root.hash))))]
        },
        Attempt(testDescription: "begins with the admission of another device") { circle, _, stranger in
            let other = try circle.stranger(60, like: circle[0])
            let admission = try circle.write(.admit(CircleFixture.device(other), name: []), by: circle[0])
            try stranger.take(admission)
            return [stranger.signed(try stranger.draft(.circle(.joinAdmitted(admission.hash))))]
        },
        Attempt(testDescription: "has an admission without the owner's signature") { _, thief, stranger in
            let admission = try thief.draft(.circle(.admit(CircleFixture.device(stranger), name: [])))
            return try admitted(stranger, by: thief.signed(admission), of: thief)
        },
        Attempt(testDescription: "has an admission with the owner's signature of another operation") {
            circle,
            thief,
            stranger in
            let header = try circle.replaceHeader(by: circle[0])
            try thief.take(header)
            var admission = try thief.draft(.circle(.admit(CircleFixture.device(stranger), name: [])))
            admission.approvals = header.entry.approvals
            return try admitted(stranger, by: thief.signed(admission), of: thief)
        },
        Attempt(testDescription: "has the owner's signature of the admission of another device") {
            circle,
            thief,
            stranger in
            let other = CircleFixture.device(try circle.stranger(60, like: circle[0]))
            let genuine = try circle.draft(.admit(other, name: []), by: thief)
            var admission = genuine
            admission.operation = .circle(.admit(CircleFixture.device(stranger), name: []))
            return try admitted(stranger, by: thief.signed(admission), of: thief)
        },
        Attempt(testDescription: "has an admission that was moved to another place in the chain") {
            circle,
            thief,
            stranger in
            let genuine = try circle.draft(.admit(CircleFixture.device(stranger), name: []), by: circle[0])
            var moved = try thief.draft(genuine.operation)
            moved.approvals = genuine.approvals
            return try admitted(stranger, by: thief.signed(moved), of: thief)
        },
        Attempt(testDescription: "has an admission with the signature of the owner key that is no longer in force") {
            circle,
            thief,
            stranger in
            try thief.take(circle.write(.rekey(circle.keys(by: circle[0])), by: circle[0]))
            let admission = try thief.draft(.circle(.admit(CircleFixture.device(stranger), name: [])))
                .approved(vault: circle.vault, owners: [CircleFixture.signer(99, .ed25519)])
            return try admitted(stranger, by: thief.signed(admission), of: thief)
        },
        Attempt(testDescription: "has an admission with the signature of an owner key that the thief made") {
            circle,
            thief,
            stranger in
            let admission = try thief.draft(.circle(.admit(CircleFixture.device(stranger), name: [])))
                .approved(vault: circle.vault, owners: [CircleFixture.signer(77, .ed25519)])
            return try admitted(stranger, by: thief.signed(admission), of: thief)
        },
        Attempt(testDescription: "has an admission with the signature of a recovery key in place of the owner's") {
            circle,
            thief,
            stranger in
            let recovery = CircleFixture.signer(CircleFixture.paper, .ed25519)
            let admission = try thief.draft(.circle(.admit(CircleFixture.device(stranger), name: [])))
                .approved(vault: circle.vault, owners: [], recovery: recovery)
            return try admitted(stranger, by: thief.signed(admission), of: thief)
        },
        Attempt(testDescription: "has a certificate of the vault's first key") { circle, _, stranger in
            let certificate = circle.base.certificate(stranger.publicKey)
            return [stranger.signed(try stranger.draft(.enrol(device: stranger.publicKey, certificate: certificate)))]
        },
        Attempt(testDescription: "has a certificate of the vault's first key, and knows nothing of the circle") {
            circle,
            _,
            stranger in
            let early = Device(
                publicKey: stranger.publicKey,
                sign: stranger.sign,
                LogGraph(circle.vault, .ed25519, circle: circle.root.hash)
            )
            try early.take(circle[0].log.filter { !circle.knowsRoot($0) })
            let certificate = circle.base.certificate(early.publicKey)
            let first = try early.write(.enrol(device: early.publicKey, certificate: certificate))
            return [first, try early.edit(.number(1))]
        },
        Attempt(testDescription: "comes with a recovery key that was never in force") { circle, _, stranger in
            let join = CircleRecord.joinRecovered(CircleFixture.device(stranger))
            return [stranger.signed(try circle.draft(join, by: stranger, recovery: 51))]
        },
        Attempt(testDescription: "comes without the signature of a recovery key") { circle, _, stranger in
            [stranger.signed(try stranger.draft(.circle(.joinRecovered(CircleFixture.device(stranger)))))]
        },
        Attempt(testDescription: "comes with the owner's signature in place of a recovery key's") {
            circle,
            _,
            stranger in
            let join = CircleRecord.joinRecovered(CircleFixture.device(stranger))
            var entry = try circle.draft(join, by: stranger)
            entry.recoveryApproval = entry.approvals.first
            return [stranger.signed(entry)]
        },
        Attempt(testDescription: "comes with the recovery key's signature for another device") {
            circle,
            _,
            stranger in
            let other = try circle.stranger(60, like: circle[0])
            let genuine = try circle.draft(
                .joinRecovered(CircleFixture.device(other)),
                by: other,
                recovery: CircleFixture.paper
            )
            var entry = try stranger.draft(.circle(.joinRecovered(CircleFixture.device(stranger))))
            entry.recoveryApproval = genuine.recoveryApproval
            return [stranger.signed(entry)]
        },
        Attempt(testDescription: "writes in the name of a member") { _, thief, stranger in
            [stranger.signed(try thief.draft(.ignorable(128, [:])))]
        },
        Attempt(testDescription: "is a member of a second beginning") { circle, thief, stranger in
            let keys = circle.keys(by: thief)
            let members = CircleFixture.sorted([thief, stranger].map(CircleFixture.device))
            let begin = CircleRecord.begin(members: members, recovery: [], keys)
            let entry = thief.signed(try circle.draft(begin, by: thief))
            try stranger.take(entry)
            return [entry, stranger.signed(try stranger.draft(.ignorable(128, [:])))]
        },
    ]

    /// An admission, and the first entry of the device that it names.
    private static func admitted(
        _ stranger: Device,
        by admission: SignedEntry,
        of thief: Device
    ) throws -> [SignedEntry] {
        // The stranger breaks the rules as well, so it names the admission although it does not take it.
        var begin = try stranger.draft(.circle(.joinAdmitted(admission.hash)))
        begin.seen = [
            LogEntry.Seen(device: thief.id, sequence: admission.entry.sequence, hash: admission.hash)
        ]
        return [admission, stranger.signed(begin)]
    }

    @Test(arguments: attempts)
    func `does not come in`(attempt: Attempt) throws {
        let circle = try CircleFixture(devices: 3, .ed25519)
        try circle.meet()
        let stranger = try circle.stranger(61, like: circle[0])
        let entries = try attempt.entries(circle, circle[2], stranger)
        try circle[1].take(circle[0].log)
        let members = circle[1].graph.circleState?.members
        for entry in entries { _ = try? circle[1].take(entry) }
        let graph = circle[1].graph
        #expect(graph.circleState?.members == members)
        #expect(members?.isSuperset(of: circle.devices.map(\.id)) == true)
        #expect(!graph.writers.keys.contains(stranger.id))
        #expect(graph.heads(of: .number(1)).isEmpty)
        // Its entries do not even come into the log. Only beside the beginning of the circle they do, and do not count.
        let isBeside = attempt.testDescription.hasSuffix("knows nothing of the circle")
        for entry in entries where entry.entry.device == stranger.id {
            #expect(graph.contains(entry.hash) == isBeside && !graph.isEffective(entry.hash))
        }
        // Nothing of that stops the others, or the person.
        try circle[0].editInCircle(.number(2))
        try circle[1].take(circle[0].log)
        #expect(circle[1].graph.heads(of: .number(2)).count == 1)
        let newcomer = try circle.admit(62, by: circle[1])
        #expect(circle[1].graph.circleState?.members.contains(newcomer.id) == true)
    }

    /// What is damaged may be an accident; what a stranger signed is none.
    @Test func `is told from damage`() throws {
        func isStranger(_ error: LogError?) -> Bool { if case .notAdmitted? = error { true } else { false } }
        let circle = try CircleFixture(devices: 3, .ed25519)
        try circle.meet()
        let stranger = try circle.stranger(61, like: circle[0])
        let first = stranger.signed(try stranger.draft(.ignorable(128, [:])))
        let unknown = #expect(throws: LogError.self) { try circle[1].take(first) }
        #expect(isStranger(unknown))
        // The signature is not the member's.
        let right = try circle[0].draft(.ignorable(128, [:]))
        let damaged = #expect(throws: LogError.self) { try circle[1].take(stranger.signed(right)) }
        #expect(!isStranger(damaged))
        // A device that was removed, and knows it.
        try circle.remove([circle[2]], by: circle[0])
        for number in 1...2 { try circle[number].take(circle[0].log) }
        let after = circle[2].signed(try circle[2].draft(.ignorable(128, [:])))
        let removed = #expect(throws: LogError.self) { try circle[1].take(after) }
        #expect(isStranger(removed))
    }

    /// Somebody who could exchange it would get the vault keys that are sealed to the new device.
    @Test func `does not get keys in place of the device that was admitted`() throws {
        let circle = try CircleFixture(devices: 2, .ed25519)
        try circle.meet()
        let newcomer = try circle.stranger(61, like: circle[0])
        let genuine = try circle.draft(.admit(CircleFixture.device(newcomer), name: [1]), by: circle[0])
        var exchanged = CircleFixture.device(newcomer)
        exchanged.sealingKey = [UInt8](repeating: 9, count: 32)
        var entry = genuine
        entry.operation = .circle(.admit(exchanged, name: [1]))
        // The member's own signature is on it, as if the member were stolen.
        #expect(throws: LogError.self) { try circle[1].take(circle[0].signed(entry)) }
        var renamed = genuine
        renamed.operation = .circle(.admit(CircleFixture.device(newcomer), name: [2]))
        #expect(throws: LogError.self) { try circle[1].take(circle[0].signed(renamed)) }
        #expect(try circle[1].take(circle[0].signed(genuine)) == .taken)
    }
}

extension CircleFixture {
    /// Whether an entry comes after the beginning of the circle, or is the beginning.
    fileprivate func knowsRoot(_ entry: SignedEntry) -> Bool {
        entry.hash == root.hash || devices[0].graph.isPast(root.hash, of: entry.hash)
    }
}
