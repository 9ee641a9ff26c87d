internal import WardAgentClient
internal import WardWebAuthn

extension SignInFlow {
    /// The steps that create a credential: choose the provider, choose the name of a new account, and agree.
    struct Making: Sendable {
        private enum Step: Sendable {
            case beginning
            case readingPeople
            case pickingContact([String])
            case typingContact
            case pickingName([String])
            case typingName
            case pickingPlace
            case lookingUp(Place, user: String)
            case confirming(Place, user: String)
            case done
        }

        private let request: SignInRequest
        private let passkeysOff: AgentError?
        private let places: [Place]
        private var step = Step.beginning
        private var people = People()
        private var account: NewAccount?

        init(_ request: SignInRequest, _ surroundings: Surroundings) {
            self.request = request
            var places: [Place] = []
            var passkeysOff: AgentError?
            for (index, wanted) in request.requests.enumerated() {
                switch wanted.subject {
                case .registration:
                    if let error = surroundings.passkeysOff {
                        passkeysOff = error
                        continue
                    }
                    if surroundings.hasVault { places.append(Place(request: index)) }
                    places += surroundings.passkeyProviders.map { Place(request: index, provider: $0) }
                case .newPassword:
                    if surroundings.hasVault { places.append(Place(request: index)) }
                    places += surroundings.savingProviders.map { Place(request: index, provider: $0) }
                default: continue
                }
            }
            (self.places, self.passkeysOff) = (places, passkeysOff)
        }

        mutating func begin() -> Action {
            guard !places.isEmpty else {
                step = .done
                return .fail(passkeysOff ?? SignInFlow.nothing("no provider here can keep it. Make a vault: ward init"))
            }
            guard newAccount != nil else { return askForPlace() }
            step = .readingPeople
            return .readPeople
        }

        mutating func handle(_ event: Event) -> Action {
            switch (step, event) {
            case (.readingPeople, .people(let people)):
                self.people = people
                return askForContact()
            case (.pickingContact(let known), .picked(let index)):
                guard known.indices.contains(index) else { return typeContact() }
                return named(known[index])
            case (.typingContact, .typed(let contact)): return named(contact)
            case (.pickingName(let known), .picked(let index)):
                if known.indices.contains(index) { account?.name = known[index] }
                guard index == known.count else { return askForPlace() }
                step = .typingName
                return .type(.name, site: newAccountSite)
            case (.typingName, .typed(let name)):
                account?.name = name
                return askForPlace()
            case (.pickingPlace, .picked(let index)) where places.indices.contains(index):
                return make(places[index], isConfirmed: true)
            case (.lookingUp(let place, let user), .account(let isKnown)):
                step = .confirming(place, user: user)
                return .confirm([line(place)] + (isKnown ? [.replacesPassword] : []), agree: .makePassword)
            case (.confirming(let place, let user), .agreed): return makePassword(place, user)
            default:
                step = .done
                return .fail(AgentError(.failed, "the sign-in got an event that does not belong to its step"))
            }
        }

        // MARK: A new account

        private var newAccount: (place: Place, wanted: SignInRequest.NewAccount)? {
            for place in places {
                if case .registration(_, let wanted?) = request.requests[place.request].subject {
                    return (place, wanted)
                }
            }
            return nil
        }

        private var newAccountSite: CleanText { newAccount.map { site(of: $0.place) } ?? .domain("") }

        private mutating func askForContact() -> Action {
            let known = (newAccount?.wanted.contacts ?? []).flatMap {
                $0 == "email" ? people.emails : people.telephones
            }
            guard !known.isEmpty else { return typeContact() }
            step = .pickingContact(known)
            let site = newAccountSite
            return .pick(
                known.map { [.giveContact(site: site, contact: .label($0))] } + [[.giveTypedContact(site: site)]]
            )
        }

        private mutating func typeContact() -> Action {
            step = .typingContact
            return .type(newAccount?.wanted.contacts.first == "email" ? .email : .telephone, site: newAccountSite)
        }

        private mutating func named(_ contact: String) -> Action {
            account = NewAccount(contact: contact)
            guard newAccount?.wanted.wantsName == true else { return askForPlace() }
            step = .pickingName(people.names)
            let site = newAccountSite
            let lines = people.names.map { [PromptSentence.tellName(site: site, name: .label($0))] }
            return .pick(lines + [[.tellTypedName(site: site)], [.tellNoName(site: site)]])
        }

        // MARK: The place

        private mutating func askForPlace() -> Action {
            guard places.count > 1 else { return make(places[0], isConfirmed: request.isPresent) }
            step = .pickingPlace
            return .pick(places.map { lines($0) })
        }

        private func site(of place: Place) -> CleanText { .domain(request.requests[place.request].domains.first ?? "") }

        private func lines(_ place: Place) -> [PromptSentence] {
            guard let provider = place.provider, provider.verifiesUser,
                request.requests[place.request].subject.asksForVerification
            else { return [line(place)] }
            return [line(place), .providerVerifies(provider: .label(provider.name))]
        }

        private func line(_ place: Place) -> PromptSentence {
            switch request.requests[place.request].subject {
            case .registration(let options, let wanted):
                let names = [wanted == nil ? "" : account?.contact ?? "", options.user.name, options.user.displayName]
                return .makePasskeyIn(
                    account: names.lazy.compactMap { CleanText.name($0) }.first,
                    site: site(of: place),
                    provider: .label(place.provider?.name ?? VaultProvider.name)
                )
            case .newPassword(let user):
                return .makePassword(
                    account: .name(user),
                    site: site(of: place),
                    provider: .label(place.provider?.name ?? VaultProvider.name)
                )
            default: return .useWard
            }
        }

        private mutating func make(_ place: Place, isConfirmed: Bool) -> Action {
            switch request.requests[place.request].subject {
            case .newPassword(let user) where isConfirmed: return makePassword(place, user)
            case .newPassword(let user) where place.provider != nil:
                // The agent does not check whether another provider already has a passkey of the account.
                step = .confirming(place, user: user)
                return .confirm([line(place)], agree: .makePassword)
            case .newPassword(let user):
                step = .lookingUp(place, user: user)
                return .lookUp(user: user, domain: request.requests[place.request].domains.first ?? "")
            case .registration(_, let wanted):
                step = .done
                return .makePasskey(place, wanted == nil ? nil : account, isConfirmed: isConfirmed)
            default:
                step = .done
                return .fail(AgentError(.failed, "a request of this kind creates no credential"))
            }
        }

        private mutating func makePassword(_ place: Place, _ user: String) -> Action {
            step = .done
            let domain = request.requests[place.request].domains.first ?? ""
            return .makePassword(place, user: user, domain: domain)
        }
    }
}
