import Testing
import WardVault
import WardWebAuthn

/// A generator that repeats.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

@Suite struct `The index` {
    /// Random days against a dictionary.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `agrees with a dictionary whatever happens`(seed: UInt64) async throws {
        var dice = Dice(state: seed &* 0x9e37_79b9_7f4a_7c15)
        let fixture = try VaultFixture()
        var vault = try await fixture.create()
        var model: [ItemID: (title: String, site: String, key: CredentialID?, isInTrash: Bool)] = [:]
        for step in 0..<250 {
            let known = model.keys.sorted()
            switch Int.random(in: 0..<12, using: &dice) {
            case 0..<5:
                let number = UInt8.random(in: 1...255, using: &dice)
                let site = "site\(Int.random(in: 0..<9, using: &dice)).example"
                let isFree = !model.values.contains { $0.key?.bytes.first == number }
                let passkeys = isFree ? [try Sample.passkey(number: number, site: site)] : []
                let item = Item(title: "title \(step)", sites: [Site("www." + site)], passkeys: passkeys)
                try await vault.add(item)
                model[item.id] = (item.title, site, passkeys.first?.credentialID, false)
            case 5..<7:
                guard let id = known.randomElement(using: &dice) else { continue }
                let site = "site\(Int.random(in: 0..<9, using: &dice)).example"
                try await vault.edit(id) { item in
                    item.title = "changed \(step)"
                    item.sites = [Site(site)]
                    item.passkeys = []
                }
                model[id]?.title = "changed \(step)"
                model[id]?.site = site
                model[id]?.key = nil
            case 7:
                guard let id = known.randomElement(using: &dice) else { continue }
                try await vault.write { try $0.trash(id) }
                model[id]?.isInTrash = true
            case 8:
                guard let id = known.randomElement(using: &dice) else { continue }
                try await vault.write { try $0.purge(id) }
                model[id] = nil
            case 9: await vault.saveIndexNow()
            case 10:
                await vault.lock()
                try await vault.unlock(with: VaultFixture.passphrase())
            default:
                if Bool.random(using: &dice) { await vault.saveIndexNow() }
                try await vault.close()
                vault = try await fixture.unlocked()
            }
            guard step % 10 == 9 else { continue }
            let there = model.filter { !$0.value.isInTrash }
            #expect(try await Set(vault.summaries().map(\.title)) == Set(there.values.map(\.title)))
            #expect(try await vault.summaries(inTrash: true).count == model.count - there.count)
            for number in 0..<9 {
                let site = "site\(number).example"
                let found = try await Set(vault.summaries(at: "https://login.\(site)/").map(\.id))
                #expect(found == Set(there.filter { $0.value.site == site }.keys), "step \(step)")
            }
            for (id, entry) in there {
                guard let key = entry.key else { continue }
                #expect(try await vault.passkey(credentialID: key)?.item == id)
            }
        }
        #expect(try await vault.verifyLog().entries > 100)
        try await vault.close()
    }
}
