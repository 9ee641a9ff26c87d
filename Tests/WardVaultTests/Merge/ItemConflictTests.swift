import Testing
import WardLog
import WardVault

/// What becomes of the values that gave way, when a person settles them.
@Suite struct `Values of another device` {
    /// What an item amounts to that two devices changed, each without the other; the second one later.
    private func joined(_ base: Item, _ changes: ((inout Item) -> Void)...) throws -> Item {
        let log = try LogFixture(devices: 2)
        var contents = [try log[0].edit(base.id.logged).hash: base]
        try log.meet()
        for (number, change) in changes.enumerated() {
            var item = base
            change(&item)
            log[number].now += Int64(number) * 10
            contents[try log[number].edit(base.id.logged).hash] = item
        }
        try log.meet()
        let joined = ItemMerge.state(of: base.id, in: log[0].graph) { contents[$0] }
        return try #require(joined)
    }

    private var item: Item {
        Item(
            title: "t",
            username: "u",
            password: Password("p", changedAt: 1),
            notes: "n",
            sections: [FieldSection(label: "s", fields: [Field(label: "f", text: "v")])]
        )
    }

    private func change(_ item: inout Item, to word: String) {
        item.kind = ItemKind(rawValue: word)
        item.title = word
        item.username = word
        item.password?.change(to: SecretText(word), at: 5)
        item.notes = SecretText(word)
        item.sections[0].fields[0].value = .text(SecretText(word))
    }

    @Test func `are taken one by one, and each settles its conflict alone`() throws {
        var item = try joined(item, { change(&$0, to: "first") }, { change(&$0, to: "second") })
        #expect(Set(item.conflicts.map(\.name)) == ["kind", "title", "username", "password", "notes", "f"])
        #expect(Set(item.conflicts.filter(\.isSecret).map(\.name)) == ["password", "notes", "f"])
        while let conflict = item.conflicts.last {
            #expect(conflict.text == "first")
            let left = item.conflicts.dropLast()
            let isTaken = item.take(conflict: item.conflicts.count - 1, at: 9)
            #expect(isTaken)
            #expect(item.conflicts == Array(left))
        }
        #expect([item.kind.rawValue, item.title, item.username] == ["first", "first", "first"])
        #expect(item.notes == "first" && item.sections[0].fields.map(\.value.text) == ["first"])
        #expect(item.password?.value == "first" && item.password?.changedAt == 9)
        // The password that gave way now is among the earlier ones.
        #expect(item.password?.history.map(\.value).contains("second") == true)
    }

    @Test func `come back where their field or password was removed since`() throws {
        let after = try joined(item, { change(&$0, to: "first") }, { change(&$0, to: "second") })
        for isWhole in [true, false] {
            var item = after
            if isWhole { item.sections = [] } else { item.sections[0].fields = [] }
            item.password = nil
            for name in ["f", "password"] {
                let index = try #require(item.conflicts.firstIndex { $0.name == name })
                let isTaken = item.take(conflict: index, at: 9)
                #expect(isTaken)
            }
            #expect(item.sections.map(\.label) == ["s"])
            let field = try #require(item.sections.first?.fields.first)
            #expect(field.label == "f" && field.value.text == "first" && field.isConcealed)
            #expect(item.password?.value == "first")
        }
    }

    @Test func `an item that one device took out of the trash is out, whatever others did there`() throws {
        var old = item
        old.deletedAt = 3
        #expect(try joined(old, { $0.deletedAt = nil }, { $0.deletedAt = 7 }).deletedAt == nil)
        #expect(try joined(old, { $0.deletedAt = 7 }, { $0.deletedAt = nil }).deletedAt == nil)
        #expect(try joined(old, { $0.deletedAt = 7 }, { $0.title = "other" }).deletedAt == 7)
        #expect(try joined(item, { $0.deletedAt = 8 }, { $0.deletedAt = 7 }).deletedAt == 8)
        #expect(try joined(item, { $0.deletedAt = 8 }, { $0.title = "other" }).deletedAt == nil)
    }

    @Test func `give way to nothing if the password was removed on one device and stayed on the other`() throws {
        #expect(try joined(item, { $0.password = nil }, { $0.title = "other" }).password == nil)
        #expect(try joined(item, { $0.title = "other" }, { $0.password = nil }).password == nil)
        for changes in [
            [{ $0.password = nil }, { $0.password?.change(to: "new", at: 5) }],
            [{ $0.password?.change(to: "new", at: 5) }, { $0.password = nil }],
        ] as [[(inout Item) -> Void]] {
            #expect(try joined(item, changes[0], changes[1]).password?.value == "new")
        }
    }

    /// A merge can put the passwords of another device into the history, and leave the password as it is.
    @Test func `stay in the history if the password was removed on a device that did not know them`() throws {
        let growing: (inout Item) -> Void = { item in
            item.password?.change(to: "new", at: 5)
            item.password?.change(to: "p", at: 6)
        }
        for joined in [
            try joined(item, { $0.password = nil }, growing), try joined(item, growing, { $0.password = nil }),
        ] {
            #expect(joined.password?.value == "p")
            #expect(joined.password?.history.map(\.value).contains("new") == true)
        }
    }

    /// A device with a clock that is ahead, or a thief, says that many passwords were replaced a year from now.
    @Test func `with dates in the future push no other password out of the history`() throws {
        let now: Int64 = 1_700_000_000
        let ahead = (0..<Password.maximumHistory).map { number in
            Password.Previous(value: SecretText(String(number)), replacedAt: now + 365 * 86_400 + Int64(number))
        }
        let changed: (inout Item) -> Void = { $0.password?.change(to: "new", at: now) }
        let flooded: (inout Item) -> Void = { $0.password = Password("p", changedAt: 1, history: ahead) }
        for merged in [try joined(item, changed, flooded), try joined(item, flooded, changed)] {
            let password = try #require(merged.password)
            #expect(password.value == "new")
            #expect(password.history.count == Password.maximumHistory)
            #expect(password.history.first?.value == "p")
        }
    }

    @Test func `that are not there change nothing`() throws {
        let before = try joined(item, { $0.title = "first" }, { $0.title = "second" })
        for index in [-1, 1, .max] {
            var item = before
            let isTaken = item.take(conflict: index, at: 9)
            #expect(!isTaken && item == before)
        }
    }
}
