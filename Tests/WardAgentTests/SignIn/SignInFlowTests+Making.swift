import Testing

@testable import WardAgent
import WardAgentClient

extension `The flow of a sign-in` {
    @Test func `a passkey is made where the only place is, else where the person says`() throws {
        let wish = request(try Self.registration())
        let place = SignInFlow.Place(request: 0)
        #expect(actions(wish, Self.here) == [.makePasskey(place, nil, isConfirmed: false)])
        let two = SignInFlow.Surroundings(hasVault: true, passkeyProviders: [Self.snake])
        let found = actions(wish, .started(two), .picked(1))
        let account = CleanText.label("ada")
        #expect(
            found[0]
                == .pick(
                    ["Ward", "Snake"].map {
                        [.makePasskeyIn(account: account, site: Self.site, provider: .label($0))]
                    }
                )
        )
        #expect(found[1] == .makePasskey(.init(request: 0, provider: Self.snake), nil, isConfirmed: true))
    }

    @Test func `nothing is made without a place, and the reason is said`() throws {
        let nowhere = SignInFlow.Surroundings(hasVault: false)
        #expect(actions(request(try Self.registration()), .started(nowhere)) == [Self.fails(.nothingAvailable)])
        let off = SignInFlow.Surroundings(hasVault: true, passkeysOff: AgentError(.passkeysOff, ""))
        #expect(actions(request(try Self.registration()), .started(off)) == [Self.fails(.passkeysOff)])
        #expect(
            actions(request(try Self.registration(), .newPassword(user: "ada")), .started(off)) == [
                .lookUp(user: "ada", domain: Self.domain)
            ]
        )
    }

    @Test(arguments: [true, false]) func `a password needs a yes that says whether it replaces one`(isKnown: Bool) {
        let found = actions(request(.newPassword(user: "ada")), Self.here, .account(isKnown: isKnown), .agreed)
        let sentence = PromptSentence.makePassword(account: .label("ada"), site: Self.site, provider: .label("Ward"))
        #expect(
            found == [
                .lookUp(user: "ada", domain: Self.domain),
                .confirm(isKnown ? [sentence, .replacesPassword] : [sentence], agree: .makePassword),
                .makePassword(.init(request: 0), user: "ada", domain: Self.domain),
            ]
        )
    }

    @Test func `a password is made where the person says, and another provider needs a yes too`() {
        let line = PromptSentence.makePassword(account: .label("ada"), site: Self.site, provider: .label("Snake"))
        let place = SignInFlow.Place(request: 0, provider: Self.snake)
        let made = Action.makePassword(place, user: "ada", domain: Self.domain)
        let both = SignInFlow.Surroundings(hasVault: true, savingProviders: [Self.snake])
        let picked = actions(request(.newPassword(user: "ada")), .started(both), .picked(1))
        guard case .pick(let lines) = picked[0] else { return #expect(Bool(false), "\(picked)") }
        #expect(lines.count == 2 && lines[1] == [line] && picked[1] == made)
        let alone = SignInFlow.Surroundings(hasVault: false, savingProviders: [Self.snake])
        #expect(
            actions(request(.newPassword(user: "ada")), .started(alone), .agreed) == [
                .confirm([line], agree: .makePassword), made,
            ]
        )
    }

    func newAccount(wantsName: Bool) throws -> SignInRequest {
        request(try Self.registration(.init(contacts: ["email", "phoneNumber"], wantsName: wantsName)))
    }

    @Test func `a new account takes a contact and a name of the vault`() throws {
        var people = People()
        (people.emails, people.telephones, people.names) = (["ada@example.org"], ["+44 1"], ["Ada L"])
        let found = actions(
            try newAccount(wantsName: true),
            Self.here,
            .people(people),
            .picked(1),
            .picked(0)
        )
        #expect(found[0] == .readPeople)
        guard case .pick(let contacts) = found[1], case .pick(let names) = found[2] else {
            return #expect(Bool(false), "\(found)")
        }
        #expect(contacts.count == 3 && names.count == 3)
        #expect(
            found[3] == .makePasskey(.init(request: 0), .init(contact: "+44 1", name: "Ada L"), isConfirmed: false)
        )
    }

    @Test func `a new account takes what is typed, and no name where none is given`() throws {
        let typed = actions(
            try newAccount(wantsName: true),
            Self.here,
            .people(People()),
            .typed("ada@example.org"),
            .picked(0),
            .typed("Ada")
        )
        #expect(typed[1] == .type(.email, site: Self.site) && typed[3] == .type(.name, site: Self.site))
        #expect(
            typed[4]
                == .makePasskey(.init(request: 0), .init(contact: "ada@example.org", name: "Ada"), isConfirmed: false)
        )
        let none = actions(
            try newAccount(wantsName: true),
            Self.here,
            .people(People()),
            .typed("ada@example.org"),
            .picked(1)
        )
        #expect(none.last == .makePasskey(.init(request: 0), .init(contact: "ada@example.org"), isConfirmed: false))
        let unasked = actions(try newAccount(wantsName: false), Self.here, .people(People()), .typed("a@b"))
        #expect(unasked.last == .makePasskey(.init(request: 0), .init(contact: "a@b"), isConfirmed: false))
    }

    @Test func `an upgrade asks nobody`() throws {
        let options = try Self.creationOptions()
        var silent = request(.upgrade(options))
        silent.authorization = Authorization(mayPrompt: false)
        #expect(silent.isUpgrade && !silent.isListing)
        #expect(actions(silent, Self.here) == [.upgrade(request: 0, options)])
        let off = SignInFlow.Surroundings(hasVault: true, passkeysOff: AgentError(.passkeysOff, ""))
        #expect(actions(silent, .started(off)) == [Self.fails(.passkeysOff)])
    }
}
