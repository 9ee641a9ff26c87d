import WardCOSE
import WardLog
import WardVault
import WardWebAuthn

/// Devices that change the same items side by side, in an order that a seed decides, and hear of each other in parts.
///
/// What persons do is written down, so that afterwards it can be told whether anything is lost.
final class MergeSchedule {
    /// What a revision did to the values of its item.
    struct Deed {
        var entry: [UInt8]
        var item: LogItemID
        var added: Set<String>
        var removed: Set<String>
        var changed: Set<String>
    }

    private(set) var random: SplitMix
    let log: LogFixture
    /// The items that revisions hold, which in a vault lie sealed.
    private(set) var contents: [[UInt8]: Item] = [:]
    private(set) var deeds: [Deed] = []
    private(set) var purges: [(entry: [UInt8], item: LogItemID)] = []
    private(set) var hasFork = false
    private let items: [ItemID]
    /// Whether only what the model knows is changed: title, password, passkeys, tags, trash, dismissed conflicts.
    let isPlain: Bool
    /// Whether the newest revision wins, as a judge of the test itself.
    private let isNaive: Bool
    private var counter = 0

    init(
        seed: UInt64,
        isPlain: Bool = false,
        isNaive: Bool = false,
        steps: Int? = nil,
        _ scheme: SignatureScheme = .keyedHash
    ) throws {
        random = SplitMix(state: seed)
        self.isPlain = isPlain
        self.isNaive = isNaive
        log = try LogFixture(devices: Int.random(in: 2...4, using: &random), scheme)
        items = (1...(isPlain || Bool.random(using: &random) ? 1 : 2)).map { number in
            ItemID([UInt8](repeating: UInt8(number), count: 16))!
        }
        for device in log.devices { device.now += Int64.random(in: -500...500, using: &random) }
        try write(first(items[0]), after: nil, by: log[0])
        for _ in 0..<(steps ?? Int.random(in: 6...24, using: &random)) { try step() }
        try log.meet()
    }

    // MARK: What happens

    private func step() throws {
        let device = log.devices.randomElement(using: &random)!
        device.now += Int64.random(in: 0...20, using: &random)
        guard Int.random(in: 0..<100, using: &random) < 60 else { return try hear(device) }
        let id = items.randomElement(using: &random)!
        guard let before = state(id, of: device) else { return try write(first(id), after: nil, by: device) }
        let dice = Int.random(in: 0..<100, using: &random)
        if !isPlain, dice < 4 {
            return purges.append((try device.purge(id.logged).hash, id.logged))
        }
        if !isPlain, dice < 8 {
            try device.replaceHeader(UInt8.random(in: 0...255, using: &random))
            return
        }
        if !isPlain, dice == 8, !hasFork, log.devices.count > 2 { return try fork(device, id) }
        var after = before
        change(&after, time: device.now)
        try write(after, after: before, by: device)
    }

    /// Takes a part of what another device has, twice over.
    private func hear(_ device: LogFixture.Device) throws {
        let other = log.devices.randomElement(using: &random)!
        for _ in 0..<2 {
            for entry in other.log where Int.random(in: 0..<10, using: &random) < 7 { try device.take(entry) }
        }
    }

    /// A device signs two entries with one number and shows them to different devices; it writes no more.
    private func fork(_ device: LogFixture.Device, _ id: ItemID) throws {
        hasFork = true
        guard let before = state(id, of: device) else { return }
        let entries = try [1, 2].map { number in
            var after = before
            after.title = "fork \(number)"
            let record = device.revision(id.logged, content: UInt8(number))
            let signed = device.signed(try device.draft(.revision(record)))
            contents[signed.hash] = after
            note(signed.hash, before, after)
            return signed
        }
        let others = log.devices.filter { $0 !== device }
        for (entry, other) in zip(entries, others) {
            try other.take(device.log)
            try other.take(entry)
        }
        log.retire(device)
    }

    private func first(_ id: ItemID) -> Item {
        counter += 1
        return Item(
            title: "T\(counter)",
            password: Password(SecretText("P\(counter)"), changedAt: 1),
            createdAt: 1,
            id: id
        )
    }

    private func write(_ item: Item, after before: Item?, by device: LogFixture.Device) throws {
        let entry = try device.edit(item.id.logged)
        contents[entry.hash] = item
        note(entry.hash, before, item)
    }

    private func note(_ entry: [UInt8], _ before: Item?, _ item: Item) {
        let (old, new) = (before?.values ?? [:], item.values)
        deeds.append(
            Deed(
                entry: entry,
                item: item.id.logged,
                added: Set(new.keys).subtracting(old.keys),
                removed: Set(old.keys).subtracting(new.keys),
                changed: Set(new.keys.filter { old[$0] != nil && old[$0] != new[$0] })
            )
        )
    }

    /// One thing that a person, a site or the vault does.
    private func change(_ item: inout Item, time: Int64) {
        counter += 1
        let number = counter
        switch Int.random(in: 0..<(isPlain ? 9 : 24), using: &random) {
        case 0: item.title = "T\(number)"
        case 1, 2:
            if item.password == nil {
                item.password = Password(SecretText("P\(number)"), changedAt: time)
            } else {
                item.password?.change(to: SecretText("P\(number)"), at: time)
            }
        case 3: item.passkeys.append(.numbered(number))
        case 4:
            if let victim = item.passkeys.randomElement(using: &random) {
                item.passkeys.removeAll { $0.credentialID == victim.credentialID }
            }
        case 5:
            guard let index = item.passkeys.indices.randomElement(using: &random) else { return }
            item.passkeys[index].userName = "U\(number)"
        case 6:
            // Never the same twice: who adds again what another removes beside it changes nothing that a merge could see.
            if item.tags.isEmpty || Bool.random(using: &random) {
                item.tags.append("t\(number)")
            } else {
                item.tags.remove(at: Int.random(in: item.tags.indices, using: &random))
            }
        case 7: item.deletedAt = item.isInTrash ? nil : time
        case 8: item.conflicts = []
        case 9: item.username = "N\(number)"
        case 10: item.notes = SecretText("O\(number)")
        case 11: item.kind = ItemKind(rawValue: "kind\(number)")
        case 12:
            guard let index = item.passkeys.indices.randomElement(using: &random) else { return }
            item.passkeys[index].lastUsedAt = time
        case 13: item.isFavorite.toggle()
        case 14:
            if item.sites.isEmpty || Bool.random(using: &random) {
                item.sites.append(Site("https://s\(number).example"))
            } else {
                item.sites.remove(at: Int.random(in: item.sites.indices, using: &random))
            }
        case 15:
            let code = try? OneTimePassword(.hotp(counter: 0), secret: [UInt8(truncatingIfNeeded: number)])
            if let code, item.codes.isEmpty || Bool.random(using: &random) {
                item.codes.append(code)
            } else {
                item.codes.removeFirst()
            }
        case 16: item.extensions["vendor\(number % 3)"] = [UInt8(truncatingIfNeeded: number)]
        case 17, 18: item.setField(["f", "g"].randomElement(using: &random)!, to: "F\(number)")
        case 19: item.removeField(["f", "g"].randomElement(using: &random)!)
        case 20: item.attachments.append(Attachment(name: "A\(number)", content: [1]))
        case 21:
            if let victim = item.attachments.randomElement(using: &random) {
                item.attachments.removeAll { $0.id == victim.id }
            }
        case 22:
            guard let index = item.attachments.indices.randomElement(using: &random) else { return }
            item.attachments[index].name = "B\(number)"
        default: break  // Writes down what was joined, and nothing else.
        }
    }

    // MARK: What is known

    /// What an item amounts to on a device; `nil` when it is not there.
    func state(_ id: ItemID, of device: LogFixture.Device) -> Item? { state(id, in: device.graph) }

    func state(_ id: ItemID, in graph: LogGraph) -> Item? {
        guard isNaive else { return ItemMerge.state(of: id, in: graph) { self.contents[$0] } }
        return graph.heads(of: id.logged).max { $0.time < $1.time }.flatMap { contents[$0.hash] }
    }

    /// Everything that a log amounts to, in bytes.
    func outcome(_ graph: LogGraph) throws -> [[UInt8]] { try outcome(graph, items.map { state($0, in: graph) }) }

    private func outcome(_ graph: LogGraph, _ states: [Item?]) throws -> [[UInt8]] {
        var outcome = try states.map { state in
            guard var item = state else { return [] as [UInt8] }
            item.change = .merged
            return try item.encoded()
        }
        if let header = graph.header { outcome.append(header.hash + [UInt8(truncatingIfNeeded: header.generation)]) }
        return outcome
    }

    /// All devices write down what they joined, each for itself.
    func writeDown() throws {
        for device in log.devices {
            for id in items {
                guard let item = state(id, of: device) else { continue }
                contents[try device.edit(id.logged).hash] = item
            }
        }
        try log.meet()
    }

    /// What is wrong with the end; nothing when all is well.
    func findings() throws -> [String] {
        let graph = log[0].graph
        let states = items.map { state($0, in: graph) }
        let end = try outcome(graph, states)
        var findings: [String] = []
        let other = log.devices.dropFirst().randomElement(using: &random) ?? log[0]
        if other !== log[0], try outcome(other.graph) != end { findings.append("devices differ") }
        var shuffled = LogGraph(graph.vault, log.scheme)
        try shuffled.take(all: log[0].log.shuffled(using: &random))
        if try outcome(shuffled) != end { findings.append("the order of arrival matters") }
        for (id, state) in zip(items, states) { findings += losses(id, state, graph) }
        guard log.devices.allSatisfy({ $0.graph.count == graph.count }) else {
            return findings + ["devices lack entries"]
        }
        try writeDown()
        if try outcome(other.graph) != end { findings.append("writing down changes it") }
        return findings
    }

    /// Whether a value is one of several, and not one that another takes the place of.
    private static func isElement(_ value: String) -> Bool {
        ["passkey ", "tag ", "site ", "code ", "attachment "].contains { value.hasPrefix($0) }
    }

    private func losses(_ id: ItemID, _ state: Item?, _ graph: LogGraph) -> [String] {
        var findings: [String] = []
        let end = state?.values ?? [:]
        let mine = deeds.filter { $0.item == id.logged }
        let isPurged = purges.contains { $0.item == id.logged }
        for deed in mine where graph.isEffective(deed.entry) {
            for value in deed.added.subtracting(end.keys) {
                let isRemoved =
                    mine.contains { $0.removed.contains(value) && graph.isPast(deed.entry, of: $0.entry) }
                    || purges.contains { $0.item == id.logged && graph.isPast(deed.entry, of: $0.entry) }
                if !isRemoved { findings.append("\(value) is lost") }
            }
            // What was removed returns only if somebody changed or added it beside the removal.
            for value in deed.removed where Self.isElement(value) && end[value] != nil && !isPurged {
                let isChanged = mine.contains { other in
                    (other.added.contains(value) || other.changed.contains(value))
                        && !graph.isPast(other.entry, of: deed.entry)
                }
                if !isChanged { findings.append("\(value) is back") }
            }
        }
        return findings
    }
}

extension Item {
    /// All that a person would miss, by what it is; with what a change of it looks like.
    var values: [String: String] {
        var values: [String: String] = [:]
        values["title \(title)"] = ""
        if !username.isEmpty { values["username \(username)"] = "" }
        if !notes.isEmpty { values["notes \(notes.revealed)"] = "" }
        // A login is what every item is at first, so nobody entered it.
        if kind != .login { values["kind \(kind.rawValue)"] = "" }
        if let password {
            values["password \(password.value.revealed)"] = ""
            for previous in password.history { values["password \(previous.value.revealed)"] = "" }
        }
        for passkey in passkeys { values["passkey \(passkey.credentialID)"] = passkey.userName }
        for tag in tags { values["tag \(tag)"] = "" }
        for site in sites { values["site \(site.text)"] = site.match.rawValue }
        for code in codes { values["code \(code.secret.revealed)"] = "" }
        for attachment in attachments { values["attachment \(attachment.id)"] = attachment.name }
        for section in sections {
            for field in section.fields { values["\(field.label) \(field.value.text ?? "")"] = "" }
        }
        for conflict in conflicts { values["\(conflict.name) \(conflict.text?.revealed ?? "")"] = "" }
        return values
    }

    fileprivate mutating func setField(_ label: String, to text: String) {
        if let index = fields.firstIndex(where: { $0.label == label }) {
            fields[index].value = .text(SecretText(text))
        } else {
            fields.append(Field(label: label, text: text))
        }
    }

    fileprivate mutating func removeField(_ label: String) { fields.removeAll { $0.label == label } }
}

extension StoredPasskey {
    fileprivate static func numbered(_ number: Int) -> StoredPasskey {
        StoredPasskey(
            credentialID: CredentialID([UInt8(truncatingIfNeeded: number), 7])!,
            rpID: "example.com",
            userHandle: UserHandle([1])!,
            algorithm: .edDSA,
            privateKey: SecretBytes([UInt8(truncatingIfNeeded: number)]),
            createdAt: 1
        )
    }
}

extension LogGraph {
    /// Takes entries in whatever order they come.
    mutating func take(all entries: [SignedEntry]) throws {
        var waiting = entries
        while !waiting.isEmpty {
            let before = waiting.count
            waiting = try waiting.filter { if case .waits = try take($0) { true } else { false } }
            guard waiting.count < before else { return }
        }
    }
}
