import WardLog

/// A history of a circle, written as a log with real entries.
///
/// The model takes every entry into the circle, and a log only those that tell something new. Both must come to the same result.
struct CircleReplay {
    typealias History = CircleHistory<StandardCircleRules>

    let fixture: LogFixture
    private(set) var graph: LogGraph
    /// The entry of each place of the history.
    private(set) var entries: [SignedEntry] = []
    /// Entries that the log refuses.
    private(set) var refused = 0
    private var time: UInt64

    init(_ history: History) throws {
        fixture = try LogFixture(devices: history.first)
        time = HybridTime(now: 1_700_001_000, after: nil).value
        let first = fixture[0]
        let record = CircleRecord.begin(
            members: CircleFixture.sorted(fixture.devices.map(CircleFixture.device)),
            recovery: [CircleFixture.recoveryKey(51, .keyedHash)],
            CircleKeysRecord(
                epoch: 1,
                owner: Self.signer(0).publicKey,
                header: 1,
                headerHash: Self.hash(0),
                sealed: CircleFixture.sealed(to: fixture.devices.map(\.id))
            )
        )
        let entry = try first.draft(.circle(record)).approved(vault: first.graph.vault, owners: [Self.signer(0)])
        let root = first.signed(entry)
        graph = LogGraph(first.graph.vault, .keyedHash, circle: root.hash)
        for entry in first.log + [root] { try graph.take(entry) }
        entries = [root]
    }

    /// The owner key that an entry brings.
    private static func signer(_ place: Int) -> CircleFixture.Signer {
        CircleFixture.signer(UInt8(100 + place), .keyedHash)
    }
    private static func hash(_ place: Int) -> [UInt8] { [UInt8](repeating: UInt8(place), count: 32) }

    private static func keys(_ number: Int) -> (publicKey: [UInt8], sign: ([UInt8]) -> [UInt8]) {
        LogFixture.keys(UInt8(number), isKeyed: true)
    }

    static func id(_ device: DeviceID) -> DeviceID { DeviceID(publicKey: keys(History.number(of: device)).publicKey) }

    /// Writes the last entry of a history.
    ///
    /// - Returns: Whether the log took it; `nil` if no device can write such an entry.
    mutating func write(_ history: History) throws -> Bool? {
        let place = history.count - 1
        guard let names = names(history, place) else { return nil }
        let author = history.steps[place].author
        let (publicKey, sign) = Self.keys(author)
        guard let operation = operation(history, place) else { return nil }
        time += 1
        var entry = LogEntry(
            device: DeviceID(publicKey: publicKey),
            sequence: (names.previous?.entry.sequence ?? 0) + 1,
            previous: names.previous?.hash,
            time: HybridTime(value: time),
            seen: names.seen.map { LogEntry.Seen(device: $0.entry.device, sequence: $0.entry.sequence, hash: $0.hash) },
            operation: operation
        )
        entry = try approved(entry, history, place)
        let signed = entry.signed(vault: graph.vault, by: sign)
        do {
            guard try graph.take(SignedEntry(encoded: signed.encoded)) == .taken else { return nil }
        } catch {
            refused += 1
            return false
        }
        entries.append(signed)
        return true
    }

    /// The entries that a device names, so that it knows exactly what the model says.
    private func names(_ history: History, _ place: Int) -> (previous: SignedEntry?, seen: [SignedEntry])? {
        let (author, view) = (history.steps[place].author, history.steps[place].view)
        let known = history.steps.indices.filter { $0 < place && view & 1 << UInt32($0) != 0 }
        let own = known.filter { history.steps[$0].author == author }
        let previous = own.last { last in own.allSatisfy { $0 == last || history.pasts[last] & 1 << UInt32($0) != 0 } }
        guard own.isEmpty || previous != nil else { return nil }
        // The first entry of a chain lets a device begin.
        let begins = history.steps[place].kind == .other || history.steps[place].kind == .recover(1)
        guard author < history.first || !own.isEmpty || begins else { return nil }
        let heads = known.filter { one in !known.contains { history.pasts[$0] & 1 << UInt32(one) != 0 } }
        let others = heads.filter { history.steps[$0].author != author }
        guard heads.allSatisfy({ $0 == previous || history.steps[$0].author != author }) else { return nil }
        let reached = (others + (previous.map { [$0] } ?? [])).reduce(UInt32(0)) {
            $0 | history.pasts[$1] | 1 << UInt32($1)
        }
        guard reached == view else { return nil }
        let enrolled = author < history.first ? fixture[author].log.last { $0.entry.device == fixture[author].id } : nil
        return (previous.map { entries[$0] } ?? enrolled, others.map { entries[$0] })
    }

    private func operation(_ history: History, _ place: Int) -> LogOperation? {
        let (step, author) = (history.steps[place], history.steps[place].author)
        let isFirst =
            author >= history.first
            && !history.steps.indices.contains {
                history.steps[$0].author == author && step.view & 1 << UInt32($0) != 0
            }
        switch history.entries[place].operation {
        case .other:
            guard isFirst else { return .ignorable(130, [:]) }
            // A device begins with an admission that stands; the log refuses another one.
            let admissions = history.steps.indices.filter {
                history.steps[$0].kind == .admit(author) && step.view & 1 << UInt32($0) != 0
            }
            let admission = admissions.first { history.circle.stands(history.entries[$0].hash) } ?? admissions.first
            return admission.map { .circle(.joinAdmitted(entries[$0].hash)) }
        case .unknown: return isFirst ? nil : .unknown(99, [:])
        case .begin: return nil
        case .admit(let device): return .circle(.admit(device: History.number(of: device)))
        case .recover:
            let (publicKey, _) = Self.keys(author)
            return .circle(.joinRecovered(CircleDevice(publicKey: publicKey, suite: 2, sealingKey: [1])))
        case .remove(let devices, let keys):
            return .circle(.remove(devices.map(Self.id).sorted(), record(keys, history, place)))
        case .rekey(let keys): return .circle(.rekey(record(keys, history, place)))
        case .recovery(let recovery, let keys):
            let numbers = recovery.map { 50 + $0.bytes[1] }.sorted()
            let sorted = numbers.map { CircleFixture.recoveryKey($0, .keyedHash) }.sorted {
                $0.publicKey.lexicographicallyPrecedes($1.publicKey)
            }
            return .circle(.recovery(sorted, record(keys, history, place)))
        case .header(let generation): return .header(generation: generation, hash: Self.hash(place))
        case .rules(let minimum): return .circle(.rules(minimumReader: minimum))
        case .place: return .circle(.place([1]))
        }
    }

    private func record(_ keys: CircleKeys, _ history: History, _ place: Int) -> CircleKeysRecord {
        var copy = history.circle
        let members = copy.state(knowing: history.entries[place].names).members
        let left = members.subtracting(history.entries[place].operation.targets)
        return CircleKeysRecord(
            epoch: keys.epoch,
            owner: Self.signer(place).publicKey,
            header: keys.header,
            headerHash: Self.hash(place),
            sealed: CircleFixture.sealed(to: left.map(Self.id))
        )
    }

    private func approved(_ entry: LogEntry, _ history: History, _ place: Int) throws -> LogEntry {
        let keys = history.entries[place].approvals.map(\.key)
        let owners = history.entries.indices.filter { keys.contains(CircleKey(history.entries[$0].hash)) }
        let recovery = keys.first { $0.bytes.count == 2 && $0.bytes[0] == 2 }.map { 50 + $0.bytes[1] }
        guard !keys.isEmpty else { return entry }
        return try entry.approved(
            vault: graph.vault,
            owners: owners.map(Self.signer),
            recovery: recovery.map { CircleFixture.signer($0, .keyedHash) }
        )
    }
}

extension CircleRecord {
    fileprivate static func admit(device number: Int) -> Self {
        let (publicKey, _) = LogFixture.keys(UInt8(number), isKeyed: true)
        return .admit(CircleDevice(publicKey: publicKey, suite: 2, sealingKey: [1]), name: [])
    }
}
