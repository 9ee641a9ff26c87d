import WardLog

/// What must be true of every history of a circle.
///
/// The checks use the history itself, not the places where the rules keep their decisions.
enum CircleInvariants {
    static func check<Rules>(
        _ history: CircleHistory<Rules>,
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        let state = history.state
        if state.isFrozen { counts.frozen += 1 }
        if state.members.isEmpty { counts.fault("nobody is left", describe(history)) }
        if !state.members.isDisjoint(with: state.removed.keys) { counts.fault("in and out", describe(history)) }
        let removals = history.steps.indices.filter { place in
            isRemoval(history, place) && history.circle.stands(history.entries[place].hash)
        }
        checkRemoved(history, removals, &counts)
        checkAlone(history, removals, &counts)
        checkVoid(history, removals, &counts)
        checkRules(history, removals, &counts)
        checkSignature(history, removals, &counts)
        checkKey(history, &counts)
        checkAnswers(history, &counts)
    }

    /// Who is not part of a question can answer it, and an answer that knows everything leaves no question.
    private static func checkAnswers<Rules>(
        _ history: CircleHistory<Rules>,
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        let state = history.state
        guard state.isFrozen else { return }
        let everything = (0..<history.count).reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
        let able = state.members.subtracting(state.disputed).subtracting(state.stopped)
        if able.isEmpty { counts.stuck += 1 }
        for device in able.sorted() {
            var answered = history
            let step = CircleHistory<Rules>.Step(
                author: CircleHistory<Rules>.number(of: device),
                view: everything,
                kind: .rekey
            )
            let entry = answered.draft(step)
            answered.add(step, entry)
            counts.answers += 1
            if answered.state.isFrozen || !answered.circle.stands(entry.hash) || !answered.state.isClean {
                counts.fault("an answer does not help", describe(answered))
            }
        }
    }

    static func targets<Rules>(_ history: CircleHistory<Rules>, _ place: Int) -> Set<DeviceID> {
        history.entries[place].operation.targets
    }

    static func knows<Rules>(_ history: CircleHistory<Rules>, _ one: Int, _ other: Int) -> Bool {
        history.pasts[one] & 1 << UInt32(other) != 0
    }

    static func areConcurrent<Rules>(_ history: CircleHistory<Rules>, _ one: Int, _ other: Int) -> Bool {
        one != other && !knows(history, one, other) && !knows(history, other, one)
    }

    /// Who is out was removed by a device that could do it, and each device that began or was admitted is in or out.
    private static func checkRemoved<Rules>(
        _ history: CircleHistory<Rules>,
        _ removals: [Int],
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        for (device, by) in history.state.removed {
            let known = removals.filter { targets(history, $0).contains(device) }.map { history.entries[$0].hash }
            if by.isEmpty || !by.isSubset(of: known) { counts.fault("out without a removal", describe(history)) }
        }
        for device in 0..<history.first {
            let id = CircleHistory<Rules>.device(device)
            if !history.state.members.contains(id), history.state.removed[id] == nil {
                counts.fault("a first device is neither in nor out", describe(history))
            }
        }
    }

    /// A removal beside which nobody removed anybody counts.
    private static func checkAlone<Rules>(
        _ history: CircleHistory<Rules>,
        _ removals: [Int],
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        let replacements = history.steps.indices.filter { history.steps[$0].kind == .recovery }
        for place in removals {
            let rivals = (removals + replacements).filter { areConcurrent(history, $0, place) }
            let answers = history.steps.indices.filter { knows(history, $0, place) && history.steps[$0].kind != .other }
            guard rivals.isEmpty, answers.isEmpty, !isOut(history, place) else { continue }
            for device in targets(history, place)
            where history.state.removed[device]?.contains(history.entries[place].hash) != true {
                counts.fault("a removal without a rival does not count", describe(history))
            }
        }
    }

    /// Whether a removal counts that the entry knew and that removes its device: it was void then, and a witness has spoken since.
    static func isOut<Rules>(_ history: CircleHistory<Rules>, _ place: Int) -> Bool {
        let by = history.state.removed[history.entries[place].device] ?? []
        return history.entries.indices.contains {
            by.contains(history.entries[$0].hash) && knows(history, place, $0)
        }
    }

    /// Of a removed device nothing counts that its removal did not know, but a removal that somebody else knew before.
    private static func checkVoid<Rules>(
        _ history: CircleHistory<Rules>,
        _ removals: [Int],
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        let state = history.state
        for place in 1..<history.count {
            let entry = history.entries[place]
            guard let by = state.removed[entry.device] else {
                if !state.members.contains(entry.device), !wasBelieved(place, removals, history) {
                    counts.fault("a device that was never admitted removes", describe(history))
                }
                continue
            }
            let unknowing = removals.filter {
                by.contains(history.entries[$0].hash) && areConcurrent(history, $0, place)
                    && history.steps[$0].author != history.steps[place].author
            }
            let isAfter = by.contains { hash in
                history.entries.indices.contains { history.entries[$0].hash == hash && knows(history, place, $0) }
            }
            if isAfter, entry.operation.targets.contains(where: { state.removed[$0] == [entry.hash] }) {
                counts.fault("a device removes after its removal", describe(history))
            }
            guard !unknowing.isEmpty else { continue }
            counts.disputes += 1
            if history.counts(place) { counts.fault("an entry beyond a removal counts", describe(history)) }
            switch entry.operation {
            case .remove(let devices, let keys):
                let isAlone = devices.contains { state.removed[$0] == [entry.hash] }
                let isSigned = history.isSignedByRecovery(place)
                if isAlone, !isSigned, !unknowing.allSatisfy({ wasKnown(place, before: $0, history) }) {
                    counts.fault("a removed device removes", describe(history))
                }
                if state.owners.contains(keys.owner) { counts.fault("keys of a removed device", describe(history)) }
            case .admit(let device):
                if state.members.contains(device), !isAdmitted(device, without: place, history) {
                    counts.fault("a removed device admits", describe(history))
                }
            case .rekey(let keys), .recovery(_, let keys):
                if state.owners.contains(keys.owner) { counts.fault("keys of a removed device", describe(history)) }
            case .header:
                if state.header?.entry == entry.hash {
                    counts.fault("the header of a removed device", describe(history))
                }
            case .begin, .recover, .rules, .place, .other, .unknown: break
            }
        }
    }

    private static func wasKnown<Rules>(_ place: Int, before other: Int, _ history: CircleHistory<Rules>) -> Bool {
        history.steps.indices.contains { witness in
            history.steps[witness].author != history.steps[place].author && knows(history, witness, place)
                && !knows(history, witness, other) && witness != other
        }
    }

    /// Whether nobody is out because of an entry alone, or a recovery key signed it, or a device knew it before a removal of the
    /// device that admitted its author.
    private static func wasBelieved<Rules>(_ place: Int, _ removals: [Int], _ history: CircleHistory<Rules>) -> Bool {
        let (entry, state) = (history.entries[place], history.state)
        guard entry.operation.targets.contains(where: { state.removed[$0] == [entry.hash] }) else { return true }
        if history.isSignedByRecovery(place) { return true }
        let rivals = removals.filter { areConcurrent(history, $0, place) }
        return rivals.contains { wasKnown(place, before: $0, history) }
    }

    private static func isAdmitted<Rules>(
        _ device: DeviceID,
        without place: Int,
        _ history: CircleHistory<Rules>
    ) -> Bool {
        history.entries.indices.contains { other in
            switch history.entries[other].operation {
            case .admit(device): other != place
            case .begin(let members, _, _): members.contains(device)
            case .recover: history.entries[other].device == device
            default: false
            }
        }
    }

    /// No device outside the circle has a key that is said to be clean.
    private static func checkKey<Rules>(
        _ history: CircleHistory<Rules>,
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        let state = history.state
        guard state.isClean, let key = state.key,
            let place = history.entries.firstIndex(where: { $0.hash == key.entry })
        else { return }
        let outsiders = holders(history, place).subtracting(state.members).subtracting(state.disputed)
        if !outsiders.isEmpty { counts.fault("a device outside has a clean key", describe(history)) }
    }

    /// The devices that an operation gave its key to, and those that got it later with another key or with their admission.
    private static func holders<Rules>(_ history: CircleHistory<Rules>, _ place: Int) -> Set<DeviceID> {
        var before = history.circle
        return history.entries.indices.reduce(into: Set()) { holders, other in
            let entry = history.entries[other]
            guard other == place || history.pasts[other] & 1 << UInt32(place) != 0, history.circle.stands(entry.hash)
            else { return }
            switch entry.operation {
            case .begin(let members, _, _): holders.formUnion(members)
            case .admit(let device): holders.insert(device)
            case .recover: holders.insert(entry.device)
            case .remove, .rekey, .recovery:
                holders.formUnion(before.state(knowing: entry.names).members.subtracting(targets(history, other)))
            case .header, .rules, .place, .other, .unknown: break
            }
        }
    }

    /// A removal of one device that all other devices have named, before any rival of it, stays, whatever anybody writes then.
    static func checkFinality<Rules>(
        _ before: CircleHistory<Rules>,
        _ after: CircleHistory<Rules>,
        _ counts: inout CircleExplorer<Rules>.Counts
    ) {
        for (device, by) in before.state.removed {
            for hash in by {
                guard let place = before.entries.firstIndex(where: { $0.hash == hash }),
                    targets(before, place).count == 1
                else { continue }
                let author = before.entries[place].device
                let others = Set(before.steps.indices.flatMap { devices(before, $0) }).subtracting([author, device])
                let rivals = before.steps.indices.filter { areConcurrent(before, $0, place) && isRemoval(before, $0) }
                let naming = Set(
                    before.steps.indices.filter { entry in
                        knows(before, entry, place) && !rivals.contains { $0 == entry || knows(before, entry, $0) }
                    }.map { before.entries[$0].device }
                )
                var copy = before.circle
                let members = copy.state(knowing: before.entries[place].names).members
                let witnesses = others.filter {
                    members.contains($0) && CircleHistory<Rules>.number(of: $0) < before.first
                }
                guard others.isSubset(of: naming), !witnesses.isEmpty else { continue }
                counts.finals += 1
                // A member that has not heard the witnesses may have answered the question.
                if wasAnswered(after.count - 1, hash, after) { continue }
                if after.state.removed[device]?.contains(hash) != true {
                    counts.fault("a known removal is undone", describe(after))
                }
            }
        }
    }

    /// Whether an entry answers a question about a removal: the removal is contested by what the entry knows.
    private static func wasAnswered<Rules>(_ place: Int, _ hash: [UInt8], _ history: CircleHistory<Rules>) -> Bool {
        let entry = history.entries[place]
        guard entry.operation.answers, history.circle.stands(entry.hash) else { return false }
        var copy = history.circle
        return copy.state(knowing: entry.names).contested.contains(hash)
    }

    private static func isRemoval<Rules>(_ history: CircleHistory<Rules>, _ place: Int) -> Bool {
        history.entries[place].operation.isRemoval
    }

    private static func devices<Rules>(_ history: CircleHistory<Rules>, _ place: Int) -> Set<DeviceID> {
        switch history.entries[place].operation {
        case .begin(let members, _, _): members
        case .admit(let device): [device, history.entries[place].device]
        default: [history.entries[place].device]
        }
    }
}
