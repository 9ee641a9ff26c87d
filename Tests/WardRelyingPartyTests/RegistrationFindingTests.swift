import Testing
import WardRelyingParty
import WardWebAuthn

@Suite struct `What a registration reports and what its options say` {
    @Test(arguments: [(false, [RiskSignal.notDiscoverable]), (true, []), (nil, [])])
    func `a credential that is not discoverable is reported`(_ answer: Bool?, _ signals: [RiskSignal]) throws {
        var fixture = try RelyingPartyFixture()
        var request = RegistrationRequest()
        request.residentKey = .preferred
        var (ceremony, response) = try fixture.answerRegistration(request)
        response.clientExtensionResults.isDiscoverable = answer
        let verified = try fixture.relyingParty.verify(response, for: ceremony)
        #expect(verified.signals == signals)
        #expect(verified.signals.map(\.name) == signals.map { _ in "not_discoverable" })
    }

    @Test func `only a credential that may lack it is asked whether it is discoverable`() throws {
        let fixture = try RelyingPartyFixture()
        func asked(_ change: (inout RegistrationRequest) -> Void) -> Bool? {
            var request = RegistrationRequest()
            change(&request)
            return fixture.relyingParty.registrationOptions(for: fixture.user, request: request).options.extensions
                .credProps
        }
        #expect(asked { _ in } == nil)
        #expect(asked { $0.residentKey = .preferred } == true)
        #expect(asked { $0.residentKey = .discouraged } == true)
        #expect(
            asked {
                $0.residentKey = .preferred
                $0.extensions.credProps = false
            } == false
        )
    }

    @Test(arguments: [
        ("ada\n", "ada"), ("a\u{0}d\u{7f}a\u{9b}", "ada"), ("\u{202e}ada", "ada"), ("\u{2066}ada\u{2069}", "ada"),
        ("a\u{2028}b\u{2029}", "ab"), ("Zo\u{eb} 日本", "Zo\u{eb} 日本"), ("👩\u{200d}💻", "👩\u{200d}💻"), ("", ""),
        // The marks of a language's direction, as the standard writes them (§6.4.2).
        ("\u{5d0}\u{e0001}\u{e0068}\u{e0065}\u{200f}", "\u{5d0}\u{e0001}\u{e0068}\u{e0065}\u{200f}"),
    ])
    func `names lose what would change the screen around them`(_ name: String, _ shown: String) throws {
        let fixture = try RelyingPartyFixture()
        let user = PublicKeyCredentialUserEntity(id: fixture.user.id, name: name, displayName: name)
        let (options, ceremony) = fixture.relyingParty.registrationOptions(for: user)
        #expect(options.user.name.unicodeScalars.elementsEqual(shown.unicodeScalars))
        #expect(options.user.displayName.unicodeScalars.elementsEqual(shown.unicodeScalars))
        #expect(ceremony.user == options.user)
    }
}
