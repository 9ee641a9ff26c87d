import WardRelyingParty
import WardWebAuthn

extension Measurement {
    /// Every figure, in the order in which it is printed.
    static func all() throws -> [Measurement] {
        let none = try Ceremonies()
        return try [
            Measurement(
                name: "verify-assertion-es256-decoded",
                title: "ES256 sign-in, from decoded parts",
                limitTitle: "bare P-256 verification",
                bound: 1.05,
                subject: { count in
                    for _ in 0..<count {
                        keep(try! none.relyingParty.verify(
                            none.authentication, for: none.authenticationCeremony, record: none.record))
                    }
                },
                limit: none.repeatBareVerification
            ),
            Measurement(
                name: "verify-assertion-es256",
                title: "ES256 sign-in, from the response's JSON",
                limitTitle: "bare P-256 verification",
                bound: 1.10,
                subject: { count in
                    for _ in 0..<count {
                        let response = try! AuthenticationResponse(json: none.authenticationJSON)
                        keep(try! none.relyingParty.verify(
                            response, for: none.authenticationCeremony, record: none.record))
                    }
                },
                limit: none.repeatBareVerification
            ),
            Measurement(
                name: "verify-registration-none",
                title: "registration without attestation, from JSON",
                limitTitle: "bare P-256 verification",
                bound: 0.25,
                subject: { count in
                    for _ in 0..<count {
                        let response = try! RegistrationResponse(json: none.registrationJSON)
                        keep(try! none.relyingParty.verify(response, for: none.registrationCeremony))
                    }
                },
                limit: none.repeatBareVerification
            ),
        ] + cbor()
    }
}
