import WardLog
import WardVault

/// What people did to items on their machines, to tell afterwards whether anything is lost.
struct Deeds {
    /// What one revision did to the values of its item.
    struct Deed {
        var entry: [UInt8]
        var machine: Int
        var device: DeviceID?
        var item: ItemID
        var added: Set<String> = []
        var removed: Set<String> = []
        var changed: Set<String> = []
        var isPurge = false
        /// Whether the item was moved to the trash.
        var isTrash = false
        /// Whether the item was taken out of the trash.
        var isRestored = false
        /// Whether the item was in the trash afterwards.
        var isInTrash = false
        /// The number of steps of the disks when the vault had acknowledged it.
        var steps: Int
        var words: String
    }

    private(set) var all: [Deed] = []
    /// The items that revisions hold.
    private(set) var contents: [[UInt8]: Item] = [:]

    /// Notes a revision.
    mutating func note(
        _ entry: [UInt8],
        by device: (machine: Int, id: DeviceID),
        _ before: Item?,
        _ after: Item,
        steps: Int,
        _ words: String
    ) {
        let (old, new) = (before?.personal ?? [:], after.personal)
        contents[entry] = after
        all.append(
            Deed(
                entry: entry,
                machine: device.machine,
                device: device.id,
                item: after.id,
                added: Set(new.keys).subtracting(old.keys),
                removed: Set(old.keys).subtracting(new.keys),
                changed: Set(new.keys.filter { old[$0] != nil && old[$0] != new[$0] }),
                isTrash: after.isInTrash && !(before?.isInTrash ?? false),
                isRestored: !after.isInTrash && (before?.isInTrash ?? false),
                isInTrash: after.isInTrash,
                steps: steps,
                words: words
            )
        )
    }

    /// Notes that an item was removed for good.
    mutating func notePurge(_ entry: [UInt8], by machine: Int, _ item: ItemID, steps: Int) {
        all.append(
            Deed(entry: entry, machine: machine, item: item, isPurge: true, steps: steps, words: "purge")
        )
    }

    /// Forgets the deeds of a machine that its vault does not have after a power cut: nothing had acknowledged them.
    mutating func forget(_ entries: Set<[UInt8]>) { all.removeAll { entries.contains($0.entry) } }

    /// What is wrong with the end of an item; nothing when all is well.
    func findings(of id: ItemID, _ state: Item?, _ past: Ancestry, counts: ([UInt8]) -> Bool) -> [String] {
        var findings: [String] = []
        let end = state?.personal ?? [:]
        let mine = all.filter { $0.item == id && past.has($0.entry) }
        let counting = mine.filter { counts($0.entry) }
        // What does not count is felt all the same if something that counts was made from it.
        let felt = mine.filter { deed in
            counting.contains { $0.entry == deed.entry || past.isPast(deed.entry, of: $0.entry) }
        }
        let isPurged = felt.contains { $0.isPurge }
        for deed in counting where !deed.isPurge {
            for value in deed.added.subtracting(end.keys) {
                let isRemoved = felt.contains { other in
                    (other.isPurge || other.removed.contains(value)) && past.isPast(deed.entry, of: other.entry)
                }
                // Who goes back to a value takes a change back, and for a merge that is no change.
                let isReturn =
                    value == Self.kindAtFirst
                    || mine.contains { $0.added.contains(value) && past.isPast($0.entry, of: deed.entry) }
                if !isRemoved, !isReturn { findings.append("\(value), which machine \(deed.machine) entered, is lost") }
            }
            for value in deed.removed where Self.isElement(value) && end[value] != nil && !isPurged {
                let isChanged = felt.contains { other in
                    (other.added.contains(value) || other.changed.contains(value))
                        && !past.isPast(other.entry, of: deed.entry)
                }
                if !isChanged { findings.append("\(value), which machine \(deed.machine) removed, is back") }
            }
        }
        // What an item is at first may be in a conflict, if another device made it something else and a third removed the base.
        let known = counting.reduce(into: [Self.kindAtFirst] as Set<String>) {
            $0.formUnion(contents[$1.entry]?.personal.keys ?? [:].keys)
        }
        for value in Set(end.keys).subtracting(known).sorted() {
            let isVoid = mine.contains { $0.added.contains(value) }
            findings.append("\(value) is shown, which \(isVoid ? "does not count" : "nobody entered")")
        }
        let isCleared = counting.contains { purge in
            purge.isPurge && counting.allSatisfy { $0.entry == purge.entry || past.isPast($0.entry, of: purge.entry) }
        }
        if isCleared, state != nil { findings.append("item \(id.bytes[0]), which was removed for good, is back") }
        // After a removal for good there is nothing that changes are compared with.
        if let state, state.isInTrash, !isPurged, let change = changeBesideTrash(counting, felt, past, state.shown) {
            findings.append("item \(id.bytes[0]) is in the trash, and machine \(change.machine) changed it beside that")
        }
        return findings
    }

    /// A change of what is shown that knows nothing of any move to the trash, and that none of them knows.
    private func changeBesideTrash(
        _ counting: [Deed],
        _ felt: [Deed],
        _ past: Ancestry,
        _ shown: [String: String]
    ) -> Deed? {
        let moves = felt.filter(\.isTrash)
        // Nobody moved it there without knowing what was taken out.
        if let restore = counting.last(where: \.isRestored),
            moves.allSatisfy({ past.isPast($0.entry, of: restore.entry) })
        {
            return restore
        }
        /// Whether a value was there before the moves, so that a change that brings it back changes nothing.
        func wasThere(_ value: String, before deed: Deed) -> Bool {
            counting.contains { earlier in
                contents[earlier.entry]?.personal[value] != nil && past.isPast(earlier.entry, of: deed.entry)
                    && moves.allSatisfy { past.isPast(earlier.entry, of: $0.entry) }
            }
        }
        return counting.first { deed in
            !deed.isPurge && !deed.isInTrash
                && deed.added.contains { shown[$0] != nil && !wasThere($0, before: deed) }
                && moves.allSatisfy { move in
                    move.entry != deed.entry && !past.isPast(move.entry, of: deed.entry)
                        && !past.isPast(deed.entry, of: move.entry)
                }
        }
    }

    /// The kind of every item at first, which nobody entered: only a conflict has it among the values.
    private static let kindAtFirst = "kind \(ItemKind.login.rawValue)"

    /// Whether a value is one of several, and not one that another takes the place of.
    private static func isElement(_ value: String) -> Bool {
        ["passkey ", "tag ", "site ", "code ", "attachment "].contains { value.hasPrefix($0) }
    }
}

extension Item {
    /// The same without values that gave way to others: of those no merge sees a change.
    var shown: [String: String] {
        var item = self
        item.conflicts = []
        item.password = password.map { Password($0.value, changedAt: $0.changedAt) }
        return item.personal
    }

    /// All that a person would miss, by what it is; with what a change of it looks like.
    var personal: [String: String] {
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
}
