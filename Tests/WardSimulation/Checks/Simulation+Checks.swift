import WardLog
import WardSync
import WardVault

/// What must hold at the end of a schedule.
extension Simulation {
    func check() async throws {
        let members = try await members()
        guard let first = members.first else {
            // Two machines that remove each other at two servers are each locked out of one of them, and neither hears of the other.
            let isSplit = !plan.hasFolder && servers.count > 1
            var (isWaiting, count) = (false, 0)
            for machine in machines {
                await noteCircle(of: machine)
                guard machine.vault != nil, let circle = try await machine.circle() else { continue }
                // What a restored machine waits for may be nowhere.
                if circle.isIncomplete { isWaiting = true }
                if circle.isMember { count += 1 }
                // With an old copy and the recovery key of that time, no server knows the new device.
                if hasRecovered, circle.isMember, !isHeard(machine) { isWaiting = true }
            }
            // A removed device may never hear of the witness because of whom it is out, see `formats/sync.md`.
            if !isWaiting, count < 3, machines.allSatisfy({ !$0.isGivenUp }), !isSplit { find("the circle is empty") }
            return
        }
        if try await isWitnessed(members) || isSplit(members) { return }
        let isFrozen = try await first.circle()?.isFrozen ?? false || isStuck
        if try await isKeyLost(members) { hasLostKeys = true }
        let circles = try await circles(of: members)
        checkCircles(circles, isFrozen: isFrozen)
        for machine in members { try await checkLog(machine, isFrozen: isFrozen) }
        // While there is a question, machines keep their news to themselves.
        guard findings.isEmpty, !isFrozen, !hasLostKeys else { return }
        try await checkAgreement(members)
        try await checkContents(of: servers, members)
        try await checkOwn(members)
        try await checkWaiting(members)
        guard findings.isEmpty else { return }
        try await checkItems(first, members)
        guard findings.isEmpty else { return }
        try await checkWritingDown(members)
        for machine in machines where machine.vault != nil && findings.isEmpty {
            try await restart(machine)
        }
    }

    // MARK: The circle

    /// Whether members are locked out of one of several servers, and hear nothing of those who are not.
    private func isSplit(_ members: [Machine]) -> Bool {
        guard !plan.hasFolder, servers.count > 1 else { return false }
        return members.contains { member in
            member.serverErrors.values.contains { [.deviceRemoved, .sessionRefused].contains($0.code) }
        }
    }

    /// Whether members see other questions than others, because what they wrote since then says which operation was first.
    ///
    /// They keep it to themselves as long as they see a question, so nobody else hears of it. See `formats/sync.md`, "Real devices".
    private func isWitnessed(_ members: [Machine]) async throws -> Bool {
        var asking: [Machine] = []
        for machine in members where try await machine.circle()?.isFrozen ?? false { asking.append(machine) }
        guard !asking.isEmpty else { return false }
        if asking.count < members.count {
            for machine in asking where try await !machine.isHoldingNews() {
                find("machine \(machine.number) sees a question, others do not")
            }
            return true
        }
        for machine in asking where try await machine.isHoldingNews() { return true }
        return false
    }

    /// Whether an item is sealed with a key that nobody has any more.
    ///
    /// The devices that had it are out or were copied, or they are out by what came later, and the recovery key to which it was sealed
    /// was replaced beside it. See `formats/sync.md`, "Real devices".
    private func isKeyLost(_ members: [Machine]) async throws -> Bool {
        guard recoveryKeys.count > 1 || machines.contains(where: \.isGivenUp) else { return false }
        var lost: Set<ItemID>?
        for machine in members {
            let unreadable = Set(try await machine.unreadable())
            lost = lost?.intersection(unreadable) ?? unreadable
        }
        return !(lost ?? []).isEmpty
    }

    func noteCircle(of machine: Machine) async {
        guard let circle = try? await machine.circle() else { return note("\(machine.number) has no circle") }
        let devices = circle.devices.map { device in
            "\(device.id)\(device.isThisDevice ? " (this)" : "") \(device.status)\(device.lacksKey ? " without the key" : "")"
                + (device.hasBrokenRules ? " that broke rules" : "")
        }
        let state = [
            circle.isIncomplete ? ", waits" : "", circle.isFrozen ? ", has a question" : "",
            circle.isKeyClean ? "" : ", has no clean key",
        ]
        note("\(machine.number) sees \(devices.joined(separator: ", "))\(state.joined())")
    }

    /// The circle as each member sees it.
    ///
    /// If nobody can settle the circle, a member may hold back what it wrote, and what it wrote may say which operation was first. Nobody
    /// else can see that, so such members are left out.
    private func circles(of members: [Machine]) async throws -> [(machine: Machine, circle: CircleOverview)] {
        var circles: [(machine: Machine, circle: CircleOverview)] = []
        for machine in members {
            guard let circle = try await machine.circle() else {
                find("machine \(machine.number) is a member and has no circle")
                continue
            }
            if isStuck, try await machine.isHoldingNews() { continue }
            circles.append((machine, circle))
        }
        return circles
    }

    private func checkCircles(_ circles: [(machine: Machine, circle: CircleOverview)], isFrozen: Bool) {
        let isHonest = machines.allSatisfy { !$0.isGivenUp }
        var expected: [String]?
        for (machine, circle) in circles {
            if circle.isFrozen != isFrozen, !isStuck {
                find("machine \(machine.number) sees a question, others do not")
            }
            let standing = circle.devices.map {
                "\($0.id) \($0.status) \(isFrozen ? "" : $0.name ?? "?") \($0.hasBrokenRules)"
            }.sorted()
            if let expected, expected != standing {
                let difference = Set(standing).symmetricDifference(expected).sorted()
                find("machine \(machine.number) sees another circle: \(difference.joined(separator: ", "))")
            }
            expected = standing
            let own = circle.devices.first { $0.isThisDevice }
            // What a copied device wrote may have a key that only it can give.
            if !isFrozen, isHonest, own?.lacksKey ?? true {
                find("machine \(machine.number) lacks the key at the end")
            }
            if isHonest, let broken = circle.devices.first(where: { $0.hasBrokenRules }) {
                find("device \(broken.id) of an honest machine has broken the rules")
            }
            if !isFrozen, !circle.isKeyClean { find("the key is not clean at the end") }
            checkServers(of: machine)
        }
    }

    /// An honest server takes what a member brings.
    private func checkServers(of machine: Machine) {
        guard !hasLied else { return }
        for number in servers.indices {
            guard let error = machine.serverErrors[number] else { continue }
            // A device that the server does not know is told so, or that the vault is there, if it has an invitation.
            if ![.sessionRefused, .deviceRemoved, .vaultExists].contains(error.code) {
                find("member \(machine.number) cannot sync with server \(number): \(error)")
            }
        }
    }

    /// An honest server has everything of those who bring something there.
    private func checkContents(of servers: [ServerInMemory], _ members: [Machine]) async throws {
        guard !hasLied, machines.allSatisfy({ !$0.isGivenUp }) else { return }
        for machine in members {
            let vault = try machine.open()
            let own = try await vault.ownEntries()
            for (number, server) in servers.enumerated() where machine.serverErrors[number] == nil {
                let lacking = own.subtracting(try await server.entries(of: vault.id).map(\.hash))
                if !lacking.isEmpty {
                    find("server \(number) lacks \(lacking.count) entries of machine \(machine.number)")
                }
            }
        }
    }

    /// A machine has everything that it wrote and that others have, also if it was restored.
    private func checkOwn(_ members: [Machine]) async throws {
        guard !hasLied, machines.allSatisfy({ !$0.isGivenUp }), let first = members.first else { return }
        let vault = try first.open()
        let known = Set(try await first.circle()?.devices.filter { $0.status == .member }.map(\.id) ?? [])
        let records = try await vault.records(at: 1...max(1, vault.position()), upTo: .max, bytes: .max)
        for machine in machines where machine.vault != nil {
            let device = try await machine.device()
            // A removed device gets nothing more.
            guard known.contains(device), try await machine.circle()?.isMember ?? false else { continue }
            for record in records where record.entry.entry.device == device {
                guard try await !machine.open().has(record.entry.hash) else { continue }
                return find("machine \(machine.number) lacks entry \(record.sequence), which it wrote itself")
            }
        }
    }

    /// A restored machine gets what others have, as long as nobody lies to it.
    private func checkWaiting(_ members: [Machine]) async throws {
        guard !hasLied, machines.allSatisfy({ !$0.isGivenUp }), let first = members.first else { return }
        let known = Set(try await Self.entries(first).map(\.hash))
        for machine in machines where machine.vault != nil && machine.serverErrors.isEmpty {
            guard let circle = try await machine.circle(), circle.isMember, circle.isIncomplete else { continue }
            // A removed device may never hear of the witness because of whom it is out, see `formats/sync.md`.
            let device = circle.devices.first(where: \.isThisDevice)?.id
            let isOut = try await first.circle()?.devices.contains { $0.id == device && $0.status == .removed }
            guard isOut != true else { continue }
            let own = Set(try await Self.entries(machine).map(\.hash))
            let count = known.subtracting(own).count
            if count > 0 {
                find("machine \(machine.number) waits, and does not take \(count) entries that others have")
            }
        }
    }

    private func checkLog(_ machine: Machine, isFrozen: Bool) async throws {
        let vault = try machine.open()
        do {
            let count = try await vault.verifyLog().unreadable
            if count > 0 { find("machine \(machine.number) has \(count) earlier revisions that nobody can read") }
        } catch {
            find("the log of machine \(machine.number) is wrong: \(error)")
        }
        let status = try await vault.status()
        // The next write tries again.
        if status.isHeadBehind, !plan.hasFailures { find("machine \(machine.number) did not note its last entry") }
        if !isFrozen, !hasLostKeys, let item = status.unreadable.first {
            find("machine \(machine.number) cannot read item \(item)")
        }
    }

    /// All members have the same entries and show the same.
    private func checkAgreement(_ members: [Machine]) async throws {
        let expected = try await shown(members[0])
        let words = try await members[0].open().comparison().words
        for machine in members {
            if try await machine.open().comparison().words != words { try await checkEntries(machine, members[0]) }
            if try await shown(machine) != expected {
                find("machine \(machine.number) lists other items")
            }
        }
    }

    /// Two members lack nothing of each other that counts.
    ///
    /// What a removed device wrote beside its removal can be known to those alone who heard of it before. Nobody brings it to others.
    private func checkEntries(_ machine: Machine, _ other: Machine) async throws {
        let (one, two) = (try await Self.entries(machine), try await Self.entries(other))
        let different = Set(one.map(\.hash)).symmetricDifference(two.map(\.hash))
        guard let graph = try await everything(of: [machine, other]) else { return }
        var isFound = false
        for signed in one + two where different.contains(signed.hash) && graph.isEffective(signed.hash) {
            isFound = true
            note("one of both has entry \(signed.entry.sequence) of \(signed.entry.device): \(signed.entry.operation)")
        }
        if isFound { find("machine \(machine.number) has other entries than machine \(other.number)") }
    }

    static func entries(_ machine: Machine) async throws -> [SignedEntry] {
        let vault = try machine.open()
        return try await vault.records(at: 1...max(1, vault.position()), upTo: .max, bytes: .max).map(\.entry)
    }

    // MARK: Items

    /// The items of a machine in bytes, without what says how the last revision was made.
    func state(_ machine: Machine) async throws -> [ItemID: [UInt8]] {
        var found: [ItemID: [UInt8]] = [:]
        for id in items {
            guard let item = try await item(id, in: machine.open()) else { continue }
            found[id] = try Self.bytes(item)
            let summary = try await machine.open().summary(id)
            if summary != ItemSummary(item) {
                find("machine \(machine.number) lists item \(id.bytes[0]) as it is not")
            }
        }
        return found
    }

    private static func bytes(_ item: Item) throws -> [UInt8] {
        var item = item
        item.change = .merged
        return try item.encoded()
    }

    private func checkItems(_ first: Machine, _ members: [Machine]) async throws {
        let end = try await state(first)
        for machine in members where try await state(machine) != end {
            find("machine \(machine.number) has other items than machine \(first.number)")
        }
        let vault = try first.open()
        let records = try await vault.records(at: 1...max(1, vault.position()), upTo: .max, bytes: .max)
        let entries = records.map(\.entry)
        let past = Ancestry(entries)
        if past.entries.count != entries.count { find("the log names entries that it does not have") }
        let root = try await vault.circleRoot()
        let graph = try Self.graph(entries, vault.id, root)
        checkPresence(graph, try await numbers(of: members))
        if let state = graph.circleState {
            checkCounting(past, graph, state)
            checkMembers(past, graph, state)
            checkKey(past, state)
        }
        for id in items {
            let item = try await item(id, in: vault)
            for finding in deeds.findings(of: id, item, past, counts: { graph.isEffective($0) }) {
                find(finding)
            }
        }
        try checkOrder(entries, graph, vault.id, root, end)
    }

    /// The machines of members, by their devices.
    private func numbers(of members: [Machine]) async throws -> [DeviceID: Int] {
        var numbers: [DeviceID: Int] = [:]
        for machine in members { numbers[try await machine.device()] = machine.number }
        return numbers
    }

    /// What members did counts, and is there.
    private func checkPresence(_ graph: LogGraph, _ numbers: [DeviceID: Int]) {
        guard machines.allSatisfy({ !$0.isGivenUp }) else { return }
        for deed in deeds.all where numbers.values.contains(deed.machine) {
            guard let device = deed.device, numbers[device] != nil else { continue }
            if !graph.contains(deed.entry) {
                find("machine \(deed.machine) \(deed.words) is not there at the end")
            }
            if graph.contains(deed.entry), !graph.isEffective(deed.entry) {
                find("machine \(deed.machine) \(deed.words) does not count at the end")
            }
        }
    }

    /// Another order of arrival gives the same.
    private func checkOrder(
        _ entries: [SignedEntry],
        _ graph: LogGraph,
        _ vault: VaultID,
        _ root: [UInt8]?,
        _ end: [ItemID: [UInt8]]
    ) throws {
        var dice = Dice(plan.seed, 3)
        let other = try Self.graph(entries.shuffled(using: &dice), vault, root)
        if other.count != graph.count { find("another order of arrival takes other entries") }
        if other.circleState != graph.circleState {
            find("another order of arrival gives another circle")
        }
        for entry in entries where other.isEffective(entry.hash) != graph.isEffective(entry.hash) {
            find("another order of arrival lets other entries count")
        }
        for id in items {
            let logged = LogItemID(id.bytes)
            let heads = logged.map { other.heads(of: $0).map(\.hash) } ?? []
            if heads != logged.map({ graph.heads(of: $0).map(\.hash) }) ?? [] {
                find("another order of arrival gives other newest revisions")
            }
            guard heads.count > 1 else { continue }
            let merged = ItemMerge.state(of: id, in: other) { self.deeds.contents[$0] }
            if try merged.map({ try Self.bytes($0) }) != end[id] {
                find("another order of arrival gives another item \(id.bytes[0])")
            }
        }
    }

    static func graph(_ entries: [SignedEntry], _ vault: VaultID, _ root: [UInt8]?) throws
        -> LogGraph
    {
        var graph = LogGraph(vault, circle: root)
        var waiting = entries
        while !waiting.isEmpty {
            let before = waiting.count
            waiting = try waiting.filter { if case .waits = try graph.take($0) { true } else { false } }
            guard waiting.count < before else { break }
        }
        return graph
    }

    /// A machine writes down what was merged, and nothing changes anywhere.
    private func checkWritingDown(_ members: [Machine]) async throws {
        var dice = Dice(plan.seed, 4)
        guard let machine = dice.one(of: members) else { return }
        let before = try await state(machine)
        for id in items where before[id] != nil {
            try await machine.open().write { try $0.update(id, change: .used) { _ in } }
        }
        try await meet()
        for other in members where try await state(other) != before {
            find(
                "writing merges down on machine \(machine.number) changes something on machine \(other.number)"
            )
        }
    }
}
