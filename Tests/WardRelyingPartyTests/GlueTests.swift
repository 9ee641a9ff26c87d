import Testing
import WardCBOR
import WardDomains
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `Passkey records of other servers` {
    private func record() throws -> CredentialRecord {
        var behaviour = VirtualAuthenticator.Behaviour()
        behaviour.signCountStep = 7
        behaviour.isBackedUp = false
        behaviour.transports = [.internal, .hybrid, .internal]
        var fixture = try RelyingPartyFixture(behaviour: behaviour)
        return try fixture.register().credential
    }

    @Test func `a record leaves as one line and comes back as it was`() throws {
        let fixture = try RelyingPartyFixture()
        let record = try record()
        let line = try PasskeyRecordLine(record).description
        #expect(line.hasPrefix("$webauthn$v=1$transports=hybrid+internal$") && !line.hasSuffix("="))
        let read = try PasskeyRecordLine(line)
        #expect(read.description == line)
        var expected = record
        expected.transports = [.hybrid, .internal]
        #expect(try read.credential(of: fixture.user.id, for: fixture.relyingParty) == expected)
    }

    @Test func `a credential that came in signs in`() throws {
        var fixture = try RelyingPartyFixture()
        let line = try PasskeyRecordLine(try fixture.register().credential).description
        let record = try PasskeyRecordLine(line).credential(of: fixture.user.id, for: fixture.relyingParty)
        #expect(try fixture.signIn(with: record).userVerified)
    }

    @Test func `transports that a client made up do not break the line`() throws {
        var record = try record()
        record.transports = [
            "usb", "", "x$y", "a+b", "x,y", "é", "smart-card", .init(rawValue: String(repeating: "x", count: 33)),
        ]
        let line = try PasskeyRecordLine(record).description
        #expect(line.hasPrefix("$webauthn$v=1$transports=smart-card+usb$"))
        #expect(try PasskeyRecordLine(line).transports == [.smartCard, .usb])
        record.transports = (0..<33).map { .init(rawValue: "t\($0 + 10)") }
        #expect(try PasskeyRecordLine(PasskeyRecordLine(record).description).transports.count == 32)
        record.transports = []
        #expect(try PasskeyRecordLine(record).description.split(separator: "$").count == 3)
    }

    @Test func `a line of another form is refused`() throws {
        let line = try PasskeyRecordLine(try record()).description
        let data = String(line.split(separator: "$").last ?? "")
        let assertion = Base64URL.encode(
            AuthenticatorData.assemble(rpIDHash: [UInt8](repeating: 1, count: 32), flags: .userPresent, signCount: 0)
        )
        for text in [
            "", "$", data, "webauthn$v=1$\(data)", "$webauthn$v=2$\(data)", "$webauthn$v=1", "$webauthn$v=1$",
            "$WebAuthn$v=1$\(data)",
            "$webauthn$v=1$\(data)=", "$webauthn$v=1$\(data)\n", " $webauthn$v=1$\(data)",
            "$webauthn$v=1$transports=$\(data)",
            "$webauthn$v=1$transports=usb+$\(data)", "$webauthn$v=1$transports=u b$\(data)",
            "$webauthn$v=1$transports$\(data)", "$webauthn$v=1$transports=usb,$\(data)",
            "$webauthn$v=1$,transports=usb$\(data)", "$webauthn$v=1$transports=a,transports=b$\(data)",
            "$webauthn$v=1$other=a,other=b$\(data)", "$webauthn$v=1$v=1$\(data)", "$webauthn$v=1$Other=a$\(data)",
            "$webauthn$v=1$transports=usb+internal$\(data)", "$webauthn$v=1$transports=usb+usb$\(data)",
            "$webauthn$v=1$transports=usb$\(data)$", "$webauthn$v=1$transports=usb$x$\(data)",
            "$webauthn$v=1$-_\(data)",
            "$webauthn$v=1$" + assertion.replacing("-", with: "+").replacing("_", with: "/"),
            "$webauthn$v=1$\(data.dropLast(4))",
            "$webauthn$v=1$transports=\((10..<43).map { "t\($0)" }.joined(separator: "+"))$\(data)",
            "$webauthn$v=1$" + String(repeating: "A", count: 16_384),
        ] {
            #expect(throws: PasskeyRecordLine.ParsingError.self, "\(text)") { try PasskeyRecordLine(text) }
        }
        #expect(try PasskeyRecordLine("$webauthn$v=1$\(data)").transports.isEmpty)
    }

    @Test func `parameters of later revisions are ignored, and transports may have every letter of the format`() throws
    {
        let data = try #require(PasskeyRecordLine(try record()).description.split(separator: "$").last)
        for text in ["foo=bar,transports=usb", "transports=usb,foo=b/a.r+-Z"] {
            let read = try PasskeyRecordLine("$webauthn$v=1$\(text)$\(data)")
            #expect(read.description == "$webauthn$v=1$transports=usb$\(data)")
        }
        #expect(try PasskeyRecordLine("$webauthn$v=1$foo=bar$\(data)").transports.isEmpty)
        let letters = "$webauthn$v=1$transports=A-B+a.b+a/b+z0-9$\(data)"
        #expect(try PasskeyRecordLine(letters).transports == ["A-B", "a.b", "a/b", "z0-9"])
        #expect(try PasskeyRecordLine(letters).description == letters)
    }

    @Test func `the alphabet is that of base64, and neither letter of base64url`() throws {
        let record = try record()
        // Identifiers whose text is all of one of the two letters in which the alphabets differ.
        for (byte, letter, other) in [([0xfb, 0xef, 0xbe], "+", "-"), ([0xff, 0xff, 0xff], "/", "_")]
            as [([UInt8], String, String)]
        {
            let data = AuthenticatorData.assemble(
                rpIDHash: [UInt8](repeating: 0, count: 32),
                flags: .userPresent,
                signCount: 0,
                credential: (.zero, [0, 0] + byte, record.publicKey)
            )
            let url = "$webauthn$v=1$" + Base64URL.encode(data)
            let line = url.replacing("-", with: "+").replacing("_", with: "/")
            #expect(line.contains(String(repeating: letter, count: 4)))
            #expect(try PasskeyRecordLine(line).authenticatorData.bytes == data)
            let index = try #require(line.firstIndex(of: Character(letter)))
            let mixed = line.replacingCharacters(at: index, with: other)
            #expect(throws: PasskeyRecordLine.ParsingError.self) { try PasskeyRecordLine(mixed) }
        }
    }

    @Test func `a line of more than 16 KiB is not read`() throws {
        func line(_ count: Int) throws -> String {
            let data = AuthenticatorData.assemble(
                rpIDHash: [UInt8](repeating: 0, count: 32),
                flags: .userPresent,
                signCount: 0,
                credential: (.zero, [1], try record().publicKey),
                extensions: CBORValue.of([("x", .bytes([UInt8](repeating: 0, count: count)))]).encoded()
            )
            return "$webauthn$v=1$" + Base64URL.encode(data).replacing("-", with: "+").replacing("_", with: "/")
        }
        _ = try PasskeyRecordLine(try line(12_000))
        #expect(throws: PasskeyRecordLine.ParsingError.self) { try PasskeyRecordLine(try line(12_300)) }
    }

    @Test func `a line damaged anywhere is refused or another record`() throws {
        let line = Array(try PasskeyRecordLine(try record()).description.utf8)
        for damaged in Damage.everywhere(in: line, masks: [0x01, 0x20]) {
            let text = String(decoding: damaged, as: UTF8.self)
            guard let read = try? PasskeyRecordLine(text) else { continue }
            #expect(try PasskeyRecordLine(read.description) == read)
        }
    }

    @Test func `what is not a sound credential of this RP ID does not come in`() throws {
        let fixture = try RelyingPartyFixture()
        let sound = try record()
        func outcome(_ change: (inout CredentialRecord) -> Void) -> String {
            refusal {
                var record = sound
                change(&record)
                _ = try PasskeyRecordLine(record).credential(of: fixture.user.id, for: fixture.relyingParty)
            }
        }
        #expect(outcome { _ in } == "accepted")
        #expect(outcome { $0.rpID = "example.net" } == refused(.rpIDMismatch, .registration(14)))
        #expect(
            outcome { ($0.backupEligible, $0.backedUp) = (false, true) }
                == refused(.backupStateInvalid, .registration(17))
        )
        #expect(
            outcome { $0.publicKey = $0.publicKey.flipped(at: $0.publicKey.count - 1) }
                == refused(.publicKeyInvalid, .registration(20))
        )
        #expect(throws: WebAuthnError(.malformedPublicKey, "")) {
            var record = sound
            record.publicKey = [0xa0]
            _ = try PasskeyRecordLine(record)
        }
        let data = AuthenticatorData.assemble(
            rpIDHash: fixture.relyingParty.id.hash,
            flags: .userPresent,
            signCount: 0,
            credential: (.zero, [UInt8](repeating: 1, count: 1_024), sound.publicKey)
        )
        let text = Base64URL.encode(data).replacing("-", with: "+").replacing("_", with: "/")
        #expect(
            refusal {
                let line = try PasskeyRecordLine("$webauthn$v=1$\(text)")
                _ = try line.credential(of: fixture.user.id, for: fixture.relyingParty)
            }
                == refused(.credentialIDTooLong, .registration(25))
        )
    }
}

@Suite struct `Documents of platforms` {
    @Test func `Apple's document names apps by team and bundle`() throws {
        let document = try AppleAppSiteAssociation(apps: ["ABCDE12345.com.example.app", "0123456789.net.example"])
        #expect(
            String(decoding: document.json, as: UTF8.self)
                == #"{"webcredentials":{"apps":["ABCDE12345.com.example.app","0123456789.net.example"]}}"#
        )
        #expect(AppleAppSiteAssociation.allows(document: document.json, app: "ABCDE12345.com.example.app"))
        #expect(!AppleAppSiteAssociation.allows(document: document.json, app: "ABCDE12345.com.example"))
        for text in ["", "{}", "[]", #"{"webcredentials":{"apps":"ABCDE12345.com.example.app"}}"#, #"{"apps":["A"]}"#] {
            #expect(!AppleAppSiteAssociation.allows(document: Array(text.utf8), app: "ABCDE12345.com.example.app"))
        }
        for app in [
            "", "com.example.app", "ABCDE1234.com", "abcde12345.com", "ABCDE12345", "ABCDE12345.", "ABCDE12345.a b",
        ] {
            #expect(throws: RelyingPartyConfigurationError.self, "\(app)") { try AppleAppSiteAssociation(apps: [app]) }
        }
    }

    @Test func `Android's document names packages and certificates, and their origins are the apps'`() throws {
        let hash = [UInt8](0..<32)
        let app = try AssetLinks.App(package: "com.example.app_1", certificateHashes: [hash])
        #expect(app.origins == [.android(apkKeyHash: hash)])
        let fingerprint =
            "00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13:14:15:16:17:18:19:1A:1B:1C:1D:1E:1F"
        #expect(
            String(decoding: AssetLinks(apps: [app]).json, as: UTF8.self)
                == #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"android_app","#
                + #""package_name":"com.example.app_1","sha256_cert_fingerprints":["\#(fingerprint)"]}}]"#
        )
        #expect(
            String(decoding: AssetLinks(apps: [app], opensLinks: true).json, as: UTF8.self).contains(
                #"["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"]"#
            )
        )
        for package in [
            "", "app", "com.", ".com", "com..app", "com.exämple", "com.ê", "com.a b", "com.a-b",
            String(repeating: "a.", count: 130) + "a",
        ] {
            #expect(throws: RelyingPartyConfigurationError.self, "\(package)") {
                try AssetLinks.App(package: package, certificateHashes: [hash])
            }
        }
        for hashes in [[], [[]], [hash, Array(hash.dropLast())], [hash + [0]]] as [[[UInt8]]] {
            #expect(throws: RelyingPartyConfigurationError.self) {
                try AssetLinks.App(package: "com.example", certificateHashes: hashes)
            }
        }
    }

    @Test func `passkey endpoints are pages of the service`() throws {
        let relyingParty = try RelyingPartyFixture().relyingParty
        let endpoints = try PasskeyEndpoints(
            enroll: RelyingPartyFixture.origin + "/passkeys/new",
            manage: RelyingPartyFixture.origin,
            prfUsageDetails: nil,
            of: relyingParty
        )
        #expect(
            String(decoding: endpoints.json, as: UTF8.self)
                == #"{"enroll":"https://login.example.com/passkeys/new","manage":"https://login.example.com"}"#
        )
        #expect(String(decoding: try PasskeyEndpoints(of: relyingParty).json, as: UTF8.self) == "{}")
        for address in [
            "", "/passkeys", "https://login.example.com.evil.example/", "https://login.example.com@evil.example/",
            "http://login.example.com/", "https://evil.example/", "https://login.example.com:8443/",
            "javascript:alert(1)",
        ] {
            #expect(throws: RelyingPartyConfigurationError.self, "\(address)") {
                try PasskeyEndpoints(manage: address, of: relyingParty)
            }
        }
    }

    @Test func `signals carry what the standard's methods take`() throws {
        var fixture = try RelyingPartyFixture()
        let record = try fixture.register().credential
        let id = record.id.base64URL
        let user = fixture.user.id.base64URL
        let unknown = UnknownCredentialOptions(rpID: "example.com", credentialID: record.id)
        #expect(unknown.value.text == #"{"rpId":"example.com","credentialId":"\#(id)"}"#)
        #expect(try UnknownCredentialOptions(json: unknown.json) == unknown)
        let accepted = AllAcceptedCredentialsOptions(
            rpID: "example.com",
            userID: fixture.user.id,
            allAcceptedCredentialIDs: [record.id]
        )
        #expect(
            accepted.value.text == #"{"rpId":"example.com","userId":"\#(user)","allAcceptedCredentialIds":["\#(id)"]}"#
        )
        #expect(try AllAcceptedCredentialsOptions(json: accepted.json) == accepted)
        let details = CurrentUserDetailsOptions(rpID: "example.com", user: fixture.user)
        #expect(
            details.value.text
                == #"{"rpId":"example.com","userId":"\#(user)","name":"person1","displayName":"Person 1"}"#
        )
        #expect(try CurrentUserDetailsOptions(json: details.json) == details)
    }

    static let noSignals = [
        #"{"rpId":"example.com","userId":"AQ"}"#,
        #"{"rpId":"example.com","userId":"AQ","allAcceptedCredentialIds":null}"#,
        #"{"rpId":"example.com","userId":"AQ","allAcceptedCredentialIds":["A=="]}"#,
        #"{"rpId":"example.com","userId":"AQ","allAcceptedCredentialIds":[1]}"#,
        #"{"rpId":"example.com","userId":"AQ","allAcceptedCredentialIds":"AQ"}"#,
        #"{"rpId":"example.com","userId":"","allAcceptedCredentialIds":[]}"#,
        #"{"userId":"AQ","allAcceptedCredentialIds":[]}"#,
    ]

    @Test(arguments: noSignals)
    func `a list of credentials that is absent is not an empty list`(text: String) throws {
        #expect(throws: WebAuthnError.self) { try AllAcceptedCredentialsOptions(json: Array(text.utf8)) }
    }

    @Test func `an empty list is one`() throws {
        let text = #"{"rpId":"example.com","userId":"AQ","allAcceptedCredentialIds":[]}"#
        #expect(try AllAcceptedCredentialsOptions(json: Array(text.utf8)).allAcceptedCredentialIDs.isEmpty)
        #expect(throws: WebAuthnError.self) { try UnknownCredentialOptions(json: Array(#"{"rpId":"a"}"#.utf8)) }
        #expect(throws: WebAuthnError.self) { try CurrentUserDetailsOptions(json: Array(text.utf8)) }
    }
}

extension String {
    /// The text with one character replaced.
    fileprivate func replacingCharacters(at index: Index, with other: String) -> String {
        String(self[..<index]) + other + String(self[self.index(after: index)...])
    }
}
