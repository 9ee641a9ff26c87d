import WardCOSE
import WardVault
import WardWebAuthn

/// Something that a person, a site or the vault does to an item.
///
/// No value is entered twice: who adds again what another removes beside it changes nothing that a merge could see.
enum ItemChange {
    /// The kinds of changes that happen anywhere.
    static let kinds = 28
    /// Those about a section of fields, which happen only where they are asked for.
    static let section = (fill: [28], remove: [29])
    /// Those of a title or a password.
    static let single = [0, 2]
    /// Those that add something beside what is there.
    static let additions = [4, 11, 18, 25]
    /// Those that mostly take something away.
    static let removals = [6, 7, 10, 17, 24, 26]

    /// Changes one field, which the dice choose.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - dice: What decides.
    ///   - kinds: The kinds of changes that are made most often; empty if there are none.
    ///   - number: The number in new values.
    ///   - effects: The clock.
    /// - Returns: What was done.
    static func make(_ item: inout Item, _ dice: inout Dice, mostly kinds: [Int], number: Int, _ effects: Effects)
        -> String
    {
        let time = effects.now()
        let kind = dice.below(Self.kinds)
        switch kinds.isEmpty || dice.hits(30) ? kind : dice.one(of: kinds) ?? kind {
        case 0, 1:
            item.title = "T\(number)"
            return "title T\(number)"
        case 2, 3:
            if item.password == nil {
                item.password = Password(SecretText("P\(number)"), changedAt: time)
            } else {
                item.password?.change(to: SecretText("P\(number)"), at: time)
            }
            return "password P\(number)"
        case 4, 5:
            item.passkeys.append(passkey(number))
            return "adds passkey \(number)"
        case 6, 7:
            guard let victim = dice.one(of: item.passkeys) else { return "nothing" }
            item.passkeys.removeAll { $0.credentialID == victim.credentialID }
            return "removes passkey \(victim.credentialID)"
        case 8:
            guard let index = dice.one(of: Array(item.passkeys.indices)) else { return "nothing" }
            item.passkeys[index].userName = "U\(number)"
            return "renames passkey \(item.passkeys[index].credentialID)"
        case 9:
            guard let index = dice.one(of: Array(item.passkeys.indices)) else { return "nothing" }
            item.passkeys[index].lastUsedAt = time
            return "uses passkey \(item.passkeys[index].credentialID)"
        case 10, 11:
            if item.tags.isEmpty || dice.hits(50) {
                item.tags.append("t\(number)")
                return "adds tag t\(number)"
            }
            return "removes tag \(item.tags.remove(at: dice.below(item.tags.count)))"
        case 12:
            item.conflicts = []
            return "settles conflicts"
        case 13:
            item.username = "N\(number)"
            return "user name N\(number)"
        case 14:
            item.notes = SecretText("O\(number)")
            return "notes O\(number)"
        case 15:
            item.kind = ItemKind(rawValue: "kind\(number)")
            return "kind\(number)"
        case 16:
            item.isFavorite.toggle()
            return "favourite \(item.isFavorite)"
        case 17, 18:
            if item.sites.isEmpty || dice.hits(50) {
                item.sites.append(Site("https://s\(number).example"))
                return "adds site s\(number)"
            }
            return "removes site \(item.sites.remove(at: dice.below(item.sites.count)).text)"
        case 19:
            guard let index = dice.one(of: Array(item.sites.indices)) else { return "nothing" }
            item.sites[index].match = item.sites[index].match == .host ? .exact : .host
            return "matches site \(item.sites[index].text)"
        case 20:
            if !item.codes.isEmpty, dice.hits(40) {
                item.codes.removeFirst()
                return "removes a code"
            }
            let code = try? OneTimePassword(.hotp(counter: 0), secret: bytes(number))
            if let code { item.codes.append(code) }
            return "adds code \(number)"
        case 21:
            item.extensions["vendor\(number % 3)"] = bytes(number)
            return "extension vendor\(number % 3)"
        case 22, 23:
            let label = dice.hits(50) ? "f" : "g"
            setField(&item, label, to: "F\(number)")
            return "field \(label) F\(number)"
        case 24:
            let label = dice.hits(50) ? "f" : "g"
            item.fields.removeAll { $0.label == label }
            return "removes field \(label)"
        case 25:
            guard item.attachments.count < Attachment.maximumCount else { return "nothing" }
            item.attachments.append(
                Attachment(name: "A\(number)", content: bytes(number), effects: effects)
            )
            return "attaches A\(number)"
        case 26:
            guard let victim = dice.one(of: item.attachments) else { return "nothing" }
            item.attachments.removeAll { $0.id == victim.id }
            return "removes attachment \(victim.name)"
        case 28:
            guard let index = item.sections.firstIndex(where: { $0.label == "S" }) else {
                item.sections.append(FieldSection(label: "S", fields: [Field(label: "s", text: "F\(number)")]))
                return "adds a section with F\(number)"
            }
            item.sections[index].fields.append(Field(label: "s", text: "F\(number)"))
            return "adds F\(number) to a section"
        case 29:
            item.sections.removeAll { $0.label == "S" }
            return "removes a section"
        default:
            guard let index = dice.one(of: Array(item.attachments.indices)) else {
                return "writes down what was joined"
            }
            item.attachments[index].name = "B\(number)"
            return "renames attachment B\(number)"
        }
    }

    private static func setField(_ item: inout Item, _ label: String, to text: String) {
        if let index = item.fields.firstIndex(where: { $0.label == label }) {
            item.fields[index].value = .text(SecretText(text))
        } else {
            item.fields.append(Field(label: label, text: text))
        }
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        [UInt8(number >> 8 & 255), UInt8(number & 255), 7]
    }

    private static func passkey(_ number: Int) -> StoredPasskey {
        StoredPasskey(
            credentialID: CredentialID(bytes(number))!,
            rpID: "example.com",
            userHandle: UserHandle([1])!,
            algorithm: .edDSA,
            privateKey: SecretBytes(bytes(number)),
            createdAt: 1
        )
    }
}
