import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

/// Somebody wants to be taken for another account, or for the service.
@Suite struct `A name that pretends` {
    /// Latin with Cyrillic, Greek, Armenian or Cherokee; Japanese with Korean; Bopomofo with kana; the digits of another
    /// script; and single scripts whose letters look like Latin ones, or are seen in no ordinary text.
    private static let mixed = [
        "\u{430}da", "p\u{430}ypal", "Ωmega", "ada.λ", "ivan.и", "ադa", "ᏚAda", "ゆう.민수", "ㄅㄆか", "ada१",
        "ꓮꓓꓟꓲꓠ", "ᴀᴅᴍɪɴ", "ꭰꭱꭲ",
    ]

    @Test(arguments: mixed)
    func `is refused if it mixes scripts or has rare letters`(name: String) async throws {
        try await withService { world in
            let body: JSONValue = ["username": .string(name)]
            let begun = try await world.visitor().post("registration/options", body)
            #expect(begun.refusal == "422 username_confusable")
            let made = try await world.visitor().create(name)
            #expect(made.refusal == "422 username_confusable")
        }
    }

    @Test(arguments: [
        "admin", "Admin", "ad.min", "postmaster", "no-reply", "example.bank", "Example_Bank", "localhost", "ＡＤＭＩＮ",
        "chef",
    ])
    func `is refused if it is reserved`(name: String) async throws {
        var configuration = ServerConfiguration()
        configuration.rpName = "Example Bank"
        configuration.reservedNames = ["Chef"]
        try await withService(configuration) { world in
            let body: JSONValue = ["username": .string(name)]
            let begun = try await world.visitor().post("registration/options", body)
            #expect(begun.refusal == "422 username_reserved")
            let made = try await world.visitor().create(name)
            #expect(made.refusal == "422 username_reserved")
        }
    }

    @Test(arguments: [
        "иван", "Ωμέγα", "ゆうこada", "佐々木ユウコ", "민수kim", "金민수", "小明ming", "ㄅㄆ明", "ada1", "administrative",
        "José", "αβγ.1", "иван+почта@пример.рф",
        "मीना१", "นก", "אדה", "ada@example.org", "ə.əli", "kaʻiulani",
    ])
    func `differs from the names that people have`(name: String) async throws {
        try await withService { world in
            let made = try await world.visitor().register(name)
            #expect(made.status == .created)
        }
    }

    @Test func `is not taken by changing the name either, but one's own name can be written in other capitals`()
        async throws
    {
        let store = MemoryAccountStore()
        var open = ServerConfiguration()
        open.allowsMixedScripts = true
        try await withService(open, store: store) { world in
            let made = try await world.visitor().create("Ωmega")
            #expect(made.status == .created)
        }
        try await withService(store: store) { world in
            let visitor = world.visitor()
            _ = try await visitor.signIn("Ωmega", password: Visitor.password)
            for (name, refusal) in [("admin", "username_reserved"), ("\u{430}da", "username_confusable")] {
                let answer = try await visitor.patch("account", ["username": .string(name)])
                #expect(answer.refusal == "422 \(refusal)")
            }
            let answer = try await visitor.patch("account", ["username": "ωMEGA"])
            #expect(answer.status == .ok)
        }
    }

    @Test func `is allowed by a setting, and signs in where it exists already`() async throws {
        let store = MemoryAccountStore()
        var open = ServerConfiguration()
        open.allowsMixedScripts = true
        try await withService(open, store: store) { world in
            let made = try await world.visitor().create("Ωmega")
            #expect(made.status == .created)
        }
        try await withService(store: store) { world in
            let back = try await world.visitor().signIn("Ωmega", password: Visitor.password)
            #expect(back.status == .ok)
        }
    }
}
