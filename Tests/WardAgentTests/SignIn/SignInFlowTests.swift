import Testing

@testable import WardAgent
import WardAgentClient
import WardClient
import WardWebAuthn

@Suite struct `The flow of a sign-in` {
    typealias Action = SignInFlow.Action
    typealias Event = SignInFlow.Event

    static let domain = "example.com"
    static let site = CleanText.domain(domain)
    static let snake = SignInFlow.Provider(identifier: "org.example.Snake", name: "Snake")
    static let providers = [
        "ward": SignInFlow.Provider(identifier: "ward", name: "Ward"), "org.example.Snake": snake,
    ]

    // MARK: Requests

    static func wanted(_ subject: SignInRequest.Wanted.Subject, _ index: Int = 0) -> SignInRequest.Wanted {
        let domains = if case .elsewhere = subject { [String]() } else { [domain] }
        return SignInRequest.Wanted(index: index, subject: subject, domains: domains)
    }

    static func assertion() throws -> SignInRequest.Wanted.Subject {
        let json = #"{"challenge":"AAAAAAAAAAAAAAAAAAAAAA","rpId":"example.com"}"#
        return .assertion(try TolerantOptions<PublicKeyCredentialRequestOptions>(json: Array(json.utf8)).options)
    }

    static func registration(_ account: SignInRequest.NewAccount? = nil) throws -> SignInRequest.Wanted.Subject {
        .registration(try creationOptions(), account)
    }

    static func creationOptions() throws -> PublicKeyCredentialCreationOptions {
        let json = """
            {"rp":{"id":"example.com","name":"Example"},"user":{"id":"dXNlcg","name":"ada","displayName":"Ada"},\
            "challenge":"AAAAAAAAAAAAAAAAAAAAAA","pubKeyCredParams":[{"type":"public-key","alg":-7}]}
            """
        return try TolerantOptions<PublicKeyCredentialCreationOptions>(json: Array(json.utf8)).options
    }

    func request(_ subjects: SignInRequest.Wanted.Subject...) -> SignInRequest {
        SignInRequest(
            requester: .app(AppProgram(identity: AppFixture.registered(), pid: 1)),
            requests: subjects.enumerated().map { Self.wanted($1, $0) }
        )
    }

    func page(_ subject: SignInRequest.Wanted.Subject) throws -> SignInRequest {
        let caller = try Caller(origin: "https://example.com", topOrigin: nil)
        let program = PageProgram(caller: caller, peer: Peer(nil, pid: 1), place: PromptPlace())
        return SignInRequest(requester: .page(program), requests: [Self.wanted(subject)])
    }

    static func entry(
        _ kind: ProviderEntry.Kind,
        _ user: String = "ada",
        at provider: String = "ward"
    ) -> ProviderEntry {
        ProviderEntry(
            provider: provider,
            reference: "\(kind) \(user)",
            kind: kind,
            domain: domain,
            user: user,
            credentialID: kind == .passkey ? CredentialID([1, 2, 3]) : nil
        )
    }

    static func listed(
        _ entries: ProviderEntry...,
        locked: [SignInFlow.Provider] = [],
        failure: AgentError? = nil,
        pending: Int = 0
    ) -> Event {
        .listed(listing(entries, locked: locked, failure: failure, pending: pending))
    }

    static func listing(
        _ entries: [ProviderEntry],
        locked: [SignInFlow.Provider] = [],
        failure: AgentError? = nil,
        pending: Int = 0
    ) -> ProviderListing {
        ProviderListing(entries: entries, failure: failure, providers: providers, locked: locked, pending: pending)
    }

    static let here = Event.started(.init(hasVault: true))

    /// The actions that follow events.
    func actions(_ request: SignInRequest, _ events: Event...) -> [Action] {
        var flow = SignInFlow(request)
        return events.map { flow.handle($0) }
    }

    static func fails(_ code: AgentError.Code) -> Action { .fail(AgentError(code, "")) }

    func line(_ entry: ProviderEntry, _ provider: String = "Ward") -> PromptSentence {
        let (account, provider) = (CleanText.label(entry.user), CleanText.label(provider))
        return entry.kind == .passkey
            ? .signInWithPasskey(site: Self.site, account: account, provider: provider)
            : .signInWithPassword(site: Self.site, account: account, provider: provider)
    }

    // MARK: Using

    @Test func `one passkey is used with the question of its ceremony alone`() throws {
        let passkey = Self.entry(.passkey)
        #expect(
            actions(
                request(.password, try Self.assertion()),
                Self.here,
                Self.listed(),
                .vault(.open),
                Self.listed(passkey)
            ) == [
                .listOthers, .useVault(isNeeded: true), .listVault,
                .release(.init(request: 1, entry: passkey), isConfirmed: false),
            ]
        )
    }

    @Test(arguments: [ProviderEntry.Kind.password, .oneTimeCode])
    func `one password or code needs a yes`(kind: ProviderEntry.Kind) {
        let entry = Self.entry(kind)
        let found = actions(
            request(kind == .password ? .password : .oneTimeCode),
            Self.here,
            Self.listed(),
            .vault(.open),
            Self.listed(entry),
            .agreed
        )
        guard case .confirm(let lines, agree: .fillIn) = found[3] else { return #expect(Bool(false), "\(found)") }
        #expect(lines.count == 1)
        #expect(found[4] == .release(.init(request: 0, entry: entry), isConfirmed: true))
    }

    @Test func `of several the person picks one, passkeys first, and that is the yes`() throws {
        let (passkey, password) = (Self.entry(.passkey), Self.entry(.password, "bob", at: "org.example.Snake"))
        let found = actions(
            request(.password, try Self.assertion()),
            Self.here,
            Self.listed(password),
            .vault(.open),
            Self.listed(passkey),
            .picked(1)
        )
        #expect(found[1] == .useVault(isNeeded: false), "another provider has something to show")
        #expect(found[3] == .pick([[line(passkey)], [line(password, "Snake")]]))
        #expect(found[4] == .release(.init(request: 0, entry: password), isConfirmed: true))
    }

    @Test func `a locked vault is one more line beside another provider's entry, and picking it opens the vault`() {
        let (theirs, own) = (Self.entry(.password, "bob", at: "org.example.Snake"), Self.entry(.password))
        let found = actions(
            request(.password),
            Self.here,
            Self.listed(theirs),
            .vault(.locked),
            .picked(1),
            .vault(.open),
            Self.listed(own),
            .picked(0)
        )
        #expect(found[2] == .pick([[line(theirs, "Snake")], [.lookIntoVault]]))
        #expect(found[3] == .useVault(isNeeded: true) && found[4] == .listVault)
        #expect(found[5] == .pick([[line(own)], [line(theirs, "Snake")]]))
        #expect(found[6] == .release(.init(request: 0, entry: own), isConfirmed: true))
    }

    @Test func `an entry of a locked provider is used after the provider was unlocked`() throws {
        var entry = Self.entry(.passkey, at: "org.example.Snake")
        entry.isLocked = true
        let choice = SignInFlow.Choice(request: 0, entry: entry)
        let found = actions(
            request(.password),
            Self.here,
            Self.listed(locked: [Self.snake]),
            .vault(.absent),
            .agreed
        )
        #expect(found[2] == .confirm([.lookIntoProvider(provider: .label("Snake"))], agree: .unlock))
        #expect(found[3] == .unlockProvider(Self.snake))
        let picked = actions(
            request(try Self.assertion()),
            Self.here,
            Self.listed(entry, locked: [Self.snake]),
            .vault(.absent),
            .agreed,
            .unlocked
        )
        #expect(
            picked == [
                .listOthers, .useVault(isNeeded: false), .confirm([line(entry, "Snake")], agree: .signIn),
                .unlockProvider(Self.snake), .release(choice, isConfirmed: true),
            ]
        )
    }

    @Test func `a locked provider that names nothing is a line of its own, and lists again once it is open`() {
        let (own, theirs) = (Self.entry(.password), Self.entry(.password, "bob", at: "org.example.Snake"))
        let look = PromptSentence.lookIntoProvider(provider: .label("Snake"))
        let found = actions(
            request(.password, .elsewhere),
            Self.here,
            Self.listed(locked: [Self.snake]),
            .vault(.open),
            Self.listed(own),
            .picked(1),
            .unlocked,
            Self.listed(theirs),
            .picked(1)
        )
        #expect(found[1] == .useVault(isNeeded: false), "the locked provider is something to show")
        #expect(found[3] == .pick([[line(own)], [look], [.signInElsewhere]]))
        #expect(found[4] == .unlockProvider(Self.snake) && found[5] == .listProvider(Self.snake))
        #expect(found[6] == .pick([[line(own)], [line(theirs, "Snake")], [.signInElsewhere]]))
        #expect(found[7] == .release(.init(request: 0, entry: theirs), isConfirmed: true))
        // One that is still locked is not offered again.
        let still = actions(
            request(.password),
            Self.here,
            Self.listed(locked: [Self.snake]),
            .vault(.absent),
            .agreed,
            .unlocked,
            Self.listed(locked: [Self.snake])
        )
        #expect(still.last == Self.fails(.nothingAvailable))
    }

    @Test func `a locked provider does not bother the person for an app that wants what is here`() {
        var wish = request(.password)
        wish.prefersImmediatelyAvailable = true
        #expect(
            actions(wish, Self.here, Self.listed(locked: [Self.snake]), .vault(.locked)).last
                == Self.fails(.nothingAvailable)
        )
    }

    @Test func `a provider that verifies its person is shown as one, unless nobody wants to know`() throws {
        var verifying = Self.snake
        verifying.verifiesUser = true
        let passkey = Self.entry(.passkey, at: verifying.identifier)
        let listing = ProviderListing(entries: [passkey], providers: [verifying.identifier: verifying])
        func shown(_ wish: SignInRequest) -> Action? {
            actions(wish, Self.here, .listed(listing), .vault(.absent)).last
        }
        let note = PromptSentence.providerVerifies(provider: .label("Snake"))
        #expect(
            shown(request(try Self.assertion(), .elsewhere))
                == .pick([[line(passkey, "Snake"), note], [.signInElsewhere]])
        )
        guard case .assertion(var options) = try Self.assertion() else { return }
        options.userVerification = .discouraged
        #expect(
            shown(request(.assertion(options), .elsewhere)) == .pick([[line(passkey, "Snake")], [.signInElsewhere]])
        )
        let two = SignInFlow.Surroundings(hasVault: true, passkeyProviders: [verifying])
        guard case .pick(let lines) = actions(request(try Self.registration()), .started(two))[0] else {
            return #expect(Bool(false))
        }
        #expect(lines.map(\.count) == [1, 2] && lines[1].last == note)
    }

    // MARK: Slow providers

    @Test func `a sheet is drawn with what is there, and a late provider joins at its end`() {
        let (own, theirs) = (Self.entry(.password), Self.entry(.password, "bob", at: "org.example.Snake"))
        let look = PromptSentence.lookIntoProvider(provider: .label("Snake"))
        var found = actions(
            request(.password),
            Self.here,
            Self.listed(pending: 2),
            .vault(.open),
            Self.listed(own),
            .late(Self.listing([theirs], pending: 1)),
            .late(Self.listing([], locked: [Self.snake])),
            .picked(1)
        )
        #expect(found[1] == .useVault(isNeeded: false))
        #expect(found[3] == .pick([[line(own)]]), "one line, that others can join")
        #expect(found[4] == .addLines([[line(theirs, "Snake")]]) && found[5] == .addLines([[look]]))
        #expect(found[6] == .release(.init(request: 0, entry: theirs), isConfirmed: true))
        // One that has nothing, or fails, adds nothing; what was there keeps its place.
        found = actions(
            request(.password),
            Self.here,
            Self.listed(pending: 1),
            .vault(.open),
            Self.listed(own),
            .late(Self.listing([], failure: AgentError(.providerFailed, ""))),
            .picked(0)
        )
        #expect(found[4] == .addLines([]) && found[5] == .release(.init(request: 0, entry: own), isConfirmed: true))
    }

    @Test func `with nothing to show the late provider is waited for, and its failure is the answer`() {
        let theirs = Self.entry(.password, "bob", at: "org.example.Snake")
        let began = [Self.here, Self.listed(pending: 1), .vault(.absent)]
        func last(_ event: Event) -> Action? {
            var flow = SignInFlow(request(.password))
            return (began + [event]).map { flow.handle($0) }.last
        }
        var flow = SignInFlow(request(.password))
        #expect(began.map { flow.handle($0) }.last == .awaitLate)
        #expect(last(.late(Self.listing([theirs]))) == .confirm([line(theirs, "Snake")], agree: .fillIn))
        #expect(
            last(.late(Self.listing([], failure: AgentError(.providerFailed, "")))) == Self.fails(.providerFailed)
        )
        #expect(last(.late(Self.listing([]))) == Self.fails(.nothingAvailable))
        // A locked vault is a line, and not opened while somebody else may have the answer.
        #expect(
            actions(request(.password), Self.here, Self.listed(pending: 1), .vault(.locked)).last
                == .pick([[.lookIntoVault]])
        )
    }

    // MARK: Immediate credentials

    @Test func `a request for immediate credentials opens no vault that is not known to help`() {
        var wish = request(.password)
        wish.prefersImmediatelyAvailable = true
        #expect(
            actions(wish, Self.here, Self.listed(), .vault(.locked)) == [
                .listOthers, .useVault(isNeeded: false), Self.fails(.nothingAvailable),
            ]
        )
        wish.vaultIsKnownToHelp = true
        #expect(actions(wish, Self.here, Self.listed()).last == .useVault(isNeeded: true))
    }

    @Test func `with nothing there the app hears of the provider that failed, unless it falls back by itself`() {
        let failure = AgentError(.providerFailed, "Snake does not answer")
        var wish = request(.password)
        let events = [Self.here, Self.listed(failure: failure), .vault(.absent)]
        func last(_ request: SignInRequest) -> Action? {
            var flow = SignInFlow(request)
            return events.map { flow.handle($0) }.last
        }
        #expect(last(wish) == Self.fails(.providerFailed))
        wish.prefersImmediatelyAvailable = true
        #expect(last(wish) == Self.fails(.nothingAvailable))
    }

    @Test func `an account from elsewhere is the last line, and the answer where nothing else is`() {
        let password = Self.entry(.password)
        var wish = request(.elsewhere, .password)
        #expect(
            actions(wish, Self.here, Self.listed(), .vault(.absent)).last == .answerElsewhere(request: 0)
        )
        let found = actions(wish, Self.here, Self.listed(), .vault(.open), Self.listed(password), .picked(1))
        #expect(found[3] == .pick([[line(password)], [.signInElsewhere]]) && found[4] == .answerElsewhere(request: 0))
        wish.prefersImmediatelyAvailable = true
        #expect(actions(wish, Self.here, Self.listed(), .vault(.absent)).last == Self.fails(.nothingAvailable))
    }

    @Test func `a suggestion shows nothing but what was suggested`() {
        let (password, other) = (Self.entry(.password), Self.entry(.password, "bob"))
        var wish = request(.password, .elsewhere)
        let offer = SignInMemory.Offer(
            recipient: .app(AppFixture.registered()),
            entry: password,
            kind: .password,
            domain: Self.domain
        )
        wish.suggestion = .offer(offer)
        let found = actions(wish, Self.here, Self.listed(), .vault(.open), Self.listed(other, password))
        #expect(found.last == .confirm([line(password)], agree: .fillIn))
        #expect(
            actions(wish, Self.here, Self.listed(), .vault(.open), Self.listed(other)).last
                == Self.fails(.nothingAvailable)
        )
        // Opening the vault was suggested.
        wish.suggestion = .offer(
            .init(recipient: .app(AppFixture.registered()), entry: nil, kind: .unlock, domain: Self.domain)
        )
        #expect(actions(wish, Self.here, Self.listed()).last == .useVault(isNeeded: true))
        wish.suggestion = .unknown
        #expect(actions(wish, Self.here) == [Self.fails(.nothingAvailable)])
    }

    @Test func `without leave to prompt, for nothing known and for security keys alone it ends at once`() {
        var quiet = request(.password)
        quiet.authorization = Authorization(mayPrompt: false)
        for wish in [quiet, request(), request(.securityKey)] {
            #expect(actions(wish, Self.here) == [Self.fails(.nothingAvailable)])
        }
        #expect(actions(request(.securityKey, .password), Self.here) == [.listOthers])
    }

    // MARK: Pages

    @Test func `the ceremony of a page opens the vault and asks`() throws {
        for subject in [try Self.assertion(), try Self.registration()] {
            #expect(actions(try page(subject), Self.here) == [.performCeremony(request: 0)])
        }
    }

    private func pageOfAll(_ subject: SignInRequest.Wanted.Subject) throws -> SignInRequest {
        var wish = try page(subject)
        wish.asksAllProviders = true
        return wish
    }

    @Test func `a page gets the passkeys of all providers, and the vault's ceremony where no other has one`() throws {
        let (own, theirs) = (Self.entry(.passkey), Self.entry(.passkey, "bob", at: "org.example.Snake"))
        let others = Event.started(.init(hasVault: true, passkeyProviders: [Self.snake]))
        let wish = try pageOfAll(try Self.assertion())
        let found = actions(wish, others, Self.listed(theirs), .vault(.open), Self.listed(own), .picked(1))
        #expect(
            found == [
                .listOthers, .useVault(isNeeded: false), .listVault, .pick([[line(own)], [line(theirs, "Snake")]]),
                .release(.init(request: 0, entry: theirs), isConfirmed: true),
            ]
        )
        // With nothing elsewhere the page learns as little as ever: the ceremony asks the person about nothing too.
        let ceremony: [Action] = [.performCeremony(request: 0)]
        #expect(actions(wish, others, Self.listed()) == [.listOthers] + ceremony)
        let failed = Self.listed(failure: AgentError(.providerFailed, ""))
        #expect(actions(wish, others, failed) == [.listOthers] + ceremony)
        let late = actions(
            wish,
            others,
            Self.listed(pending: 1),
            .vault(.open),
            Self.listed(),
            .late(Self.listing([]))
        )
        #expect(late.suffix(2) == [.awaitLate] + ceremony)
        // Without another provider nothing is asked twice.
        #expect(actions(wish, Self.here) == ceremony)
        let off = SignInFlow.Surroundings(
            hasVault: true,
            passkeysOff: AgentError(.passkeysOff, ""),
            passkeyProviders: [Self.snake]
        )
        #expect(actions(wish, .started(off)) == ceremony)
    }

    @Test func `a passkey of a page is made where the person says`() throws {
        let others = SignInFlow.Surroundings(hasVault: true, passkeyProviders: [Self.snake])
        let found = actions(try pageOfAll(try Self.registration()), .started(others), .picked(1))
        #expect(found.last == .makePasskey(.init(request: 0, provider: Self.snake), nil, isConfirmed: true))
    }

    // MARK: Whatever comes

    @Test func `every event in every state has an answer, and after the end the answer is a failure`() throws {
        var people = People()
        people.emails = ["ada@example.org"]
        let events: [Event] = [
            Self.here, .started(.init(hasVault: true, passkeyProviders: [Self.snake])),
            Self.listed(Self.entry(.password), Self.entry(.password, "bob")), Self.listed(), .vault(.open),
            Self.listed(locked: [Self.snake]), .unlocked, Self.listed(pending: 1),
            .late(Self.listing([Self.entry(.password)])),
            .vault(.locked), .people(people), .picked(0), .picked(7), .picked(-1), .typed("x"), .agreed,
            .account(isKnown: true),
        ]
        let requests = [
            request(.password, .elsewhere), request(try Self.registration()), try newAccount(wantsName: true),
            request(.newPassword(user: "")), try page(try Self.assertion()), try pageOfAll(try Self.assertion()),
        ]
        func follow(_ flow: SignInFlow, _ depth: Int, isOver: Bool) {
            guard depth > 0 else { return }
            for event in events {
                var next = flow
                let action = next.handle(event)
                if isOver { #expect(action == Self.fails(.failed)) }
                follow(next, depth - 1, isOver: isOver || action.isLast)
            }
        }
        for request in requests { follow(SignInFlow(request), 4, isOver: false) }
    }
}

extension SignInFlow.Action {
    /// Whether a flow ends with it.
    fileprivate var isLast: Bool {
        switch self {
        case .listOthers, .useVault, .listVault, .unlockProvider, .listProvider, .addLines, .awaitLate, .pick, .confirm,
            .type, .readPeople,
            .lookUp:
            false
        default: true
        }
    }
}
