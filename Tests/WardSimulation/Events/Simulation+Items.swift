import WardTesting
import WardVault

/// What people do to items.
extension Simulation {
    func changeItem(_ machine: Machine, _ dice: inout Dice) async throws {
        // Most changes are about one item, so that they meet.
        let id = items[dice.hits(60) ? 0 : dice.below(items.count)]
        do {
            let vault = try machine.open()
            guard let before = try await item(id, in: vault) else {
                return try await add(id, on: machine, &dice)
            }
            switch plan.purges > 0 && dice.hits(plan.purges) ? 0 : dice.below(100) {
            case 0..<6: try await purge(id, on: machine)
            case 6..<16: try await moveToTrash(before, on: machine)
            case 16..<20: try await revert(before, on: machine, &dice)
            case 20..<23: try await emptyTrash(on: machine, &dice)
            case 23..<26: try await changeTogether(machine, &dice)
            default: try await edit(before, on: machine, mostly: plan.kinds, &dice)
            }
        } catch let error as VaultError where Self.answers.contains(error.code) {
            note("\(machine.number) changes nothing: \(error.code.name)")
        }
        try await machine.acknowledge()
    }

    /// Several machines change items, and hear nothing of each other.
    func changeApart(_ dice: inout Dice) async throws {
        for machine in machines.filter({ $0.vault != nil }).shuffled(using: &dice).prefix(2 + dice.below(3)) {
            for _ in 0...dice.below(3) { try await changeItem(machine, &dice) }
        }
    }

    /// Two machines build on a change that a third has not heard of, and one of them takes it back while all change the item.
    ///
    /// What the three have in common is not what any two of them have.
    func changeInParts(_ dice: inout Dice) async throws {
        let present = machines.filter { $0.vault != nil }.shuffled(using: &dice)
        guard present.count > 2 else { return }
        // What was added in vain and is there again would be seen.
        let kinds = dice.hits(60) ? ItemChange.additions : plan.kinds
        let isDone = try await change(present[0]) { before in
            try await self.edit(before, on: present[0], mostly: kinds, &dice)
        }
        guard isDone else { return }
        try await bring(from: present[0], to: present[1], &dice)
        _ = try await change(present[0]) { before in
            try await self.takeBack(before, on: present[0])
        }
        for machine in present[1...2].shuffled(using: &dice) {
            for machine in machines { machine.effects.advance(by: Int64(dice.below(100))) }
            for _ in 0...dice.below(2) {
                _ = try await change(machine) { before in
                    try await self.edit(before, on: machine, mostly: [], &dice)
                }
            }
        }
        guard dice.hits(60) else { return }
        // One of them hears of the others before somebody merges two of the three.
        for other in present[1...2] { try await bring(from: other, to: present[0], &dice) }
    }

    /// A machine removes an item for good while another removes the machine; neither has heard of it, and all others change the item.
    func purgeBesideRemoval(_ dice: inout Dice) async throws {
        let present = machines.filter { $0.vault != nil }.shuffled(using: &dice)
        guard present.count > 3 else { return }
        for machine in present[1...] {
            _ = try await change(machine) { before in
                try await self.edit(before, on: machine, mostly: ItemChange.removals, &dice)
            }
        }
        _ = try await change(present[0]) { before in try await self.purge(before.id, on: present[0]) }
        try await exchange(present[0], &dice)
        try await remove(present[0], by: present[1], isSigned: dice.hits(30), keepsSecretKey: true)
    }

    /// Does something to the item that most changes are about.
    ///
    /// - Returns: Whether the machine has it, and may write.
    func change(_ machine: Machine, _ body: (Item) async throws -> Void) async throws -> Bool {
        do {
            guard let before = try await item(items[0], in: machine.open()) else { return false }
            try await body(before)
        } catch let error as VaultError where Self.answers.contains(error.code) {
            note("\(machine.number) changes nothing: \(error.code.name)")
            return false
        }
        try await machine.acknowledge()
        return true
    }

    /// An item; `nil` if it is not there.
    func item(_ id: ItemID, in vault: Vault) async throws -> Item? {
        do {
            return try await vault.item(id)
        } catch  where error.code == .itemMissing {
            return nil
        } catch {
            guard error.code == .damaged, try await isCleared(id, in: vault) else { throw error }
            note("the data of item \(id.bytes[0]) is not here yet")
            return nil
        }
    }

    /// Whether a removed device removed an item for good.
    ///
    /// Others may have cleared the data before they heard that the removal does not count, and wait for who has it.
    private func isCleared(_ id: ItemID, in vault: Vault) async throws -> Bool {
        let members = Set(try await vault.circle()?.devices.filter { $0.status == .member }.map(\.id) ?? [])
        for deed in deeds.all where deed.isPurge && deed.item == id {
            if let machine = machines.first(where: { $0.number == deed.machine }),
                try await !members.contains(machine.device())
            {
                return true
            }
        }
        return false
    }

    func add(_ id: ItemID, on machine: Machine, _ dice: inout Dice) async throws {
        counter += 1
        var item = Item(title: "T\(counter)", id: id)
        if dice.hits(50) { item.password = Password(SecretText("P\(counter)"), changedAt: 1) }
        let new = item
        try await machine.open().write { try $0.add(new) }
        try await noted(id, before: nil, on: machine, "adds")
    }

    func edit(_ before: Item, on machine: Machine, mostly kinds: [Int], _ dice: inout Dice) async throws {
        counter += 1
        var after = before
        let words = ItemChange.make(&after, &dice, mostly: kinds, number: counter, machine.effects.effects)
        let new = after
        try await machine.open().write { try $0.replace(new) }
        try await noted(before.id, before: before, on: machine, words)
    }

    /// Notes the revision that was written last.
    private func noted(_ id: ItemID, before: Item?, on machine: Machine, _ words: String) async throws {
        let after = try await machine.open().item(id)
        guard let entry = after.revision?.bytes else {
            return find("an item that was written has no revision")
        }
        let device = (machine.number, try await machine.device())
        deeds.note(entry, by: device, before, after, steps: machine.steps, words)
        try await noteHeld(entry, on: machine)
        note("\(machine.number) item \(id.bytes[0]): \(words)")
    }

    func purge(_ id: ItemID, on machine: Machine) async throws {
        try await machine.open().write { try $0.purge(id) }
        deeds.notePurge(
            try await machine.open().newestEntry(),
            by: machine.number,
            id,
            steps: machine.steps
        )
        note("\(machine.number) item \(id.bytes[0]): removes it for good")
    }

    func moveToTrash(_ before: Item, on machine: Machine) async throws {
        let id = before.id
        let isInTrash = before.isInTrash
        try await machine.open().write { if isInTrash { try $0.restore(id) } else { try $0.trash(id) } }
        try await noted(
            id,
            before: before,
            on: machine,
            isInTrash ? "restores it" : "moves it to the trash"
        )
    }

    private func revert(_ before: Item, on machine: Machine, _ dice: inout Dice) async throws {
        guard let revision = dice.one(of: try await machine.open().history(of: before.id)) else { return }
        try await revert(before, to: revision, on: machine)
    }

    /// Goes back to what the item was before its last change.
    private func takeBack(_ before: Item, on machine: Machine) async throws {
        let history = try await machine.open().history(of: before.id)
        guard let newest = history.map(\.number).max() else { return }
        guard let revision = history.last(where: { $0.number + 1 == newest }) else { return }
        try await revert(before, to: revision, on: machine)
    }

    private func revert(_ before: Item, to revision: ItemRevision, on machine: Machine) async throws {
        do {
            try await machine.open().write { try $0.revert(before.id, to: revision.id) }
            try await noted(
                before.id,
                before: before,
                on: machine,
                "goes back to revision \(revision.number)"
            )
        } catch let error as VaultError
            where error.code == .keyNotGiven || error.code == .damaged && plan.isLong
        {
            note("\(machine.number) cannot read an earlier revision")
        }
    }

    /// Removes what was in the trash for long, or all of it.
    private func emptyTrash(on machine: Machine, _ dice: inout Dice) async throws {
        let vault = try machine.open()
        var before: [ItemID] = []
        for id in items where try await item(id, in: vault) != nil { before.append(id) }
        let count = dice.hits(30) ? try await vault.emptyTrash() : try await vault.emptyExpiredTrash()
        let entry = try await vault.newestEntry()
        for id in before where try await item(id, in: vault) == nil {
            deeds.notePurge(entry, by: machine.number, id, steps: machine.steps)
        }
        note("\(machine.number) empties the trash: \(count)")
    }

    /// Changes several items in one transaction.
    private func changeTogether(_ machine: Machine, _ dice: inout Dice) async throws {
        let vault = try machine.open()
        var befores: [Item] = []
        for id in items { if let found = try await item(id, in: vault) { befores.append(found) } }
        var afters: [Item] = []
        for before in befores {
            counter += 1
            var after = before
            after.tags.append("t\(counter)")
            afters.append(after)
        }
        let all = afters
        try await vault.write { for item in all { try $0.replace(item) } }
        for before in befores {
            try await noted(before.id, before: before, on: machine, "together with others")
        }
    }
}
