// swift-format-ignore-file: NeverUseForceTry
// A benchmark whose subject fails has nothing to measure and may stop.

import Dispatch
import WardRelyingParty
import WardWebAuthn

extension Measurement {
    /// Every figure, in the order in which it is printed.
    static func all() throws -> [Measurement] {
        let none = try Ceremonies()
        let vendor = try VendorAttestation()
        let packed = try Ceremonies(attestation: .packedSelf, policy: vendor.policy, faults: vendor.faults)
        return try [
            Measurement(
                name: "verify-assertion-es256-decoded",
                title: "ES256 sign-in, from decoded parts",
                limitTitle: "bare P-256 verification",
                bound: 1.05,
                subject: { count in
                    for _ in 0..<count {
                        keep(
                            try! none.relyingParty.verify(
                                none.authentication,
                                for: none.authenticationCeremony,
                                record: none.record
                            )
                        )
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
                        keep(
                            try! none.relyingParty.verify(
                                response,
                                for: none.authenticationCeremony,
                                record: none.record
                            )
                        )
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
            Measurement(
                name: "verify-registration-packed-x5c",
                title: "registration with a vendor's certificate and its chain, from JSON",
                limitTitle: "two bare P-256 verifications",
                bound: 1.40,
                subject: { count in
                    for _ in 0..<count {
                        let response = try! RegistrationResponse(json: packed.registrationJSON)
                        keep(try! packed.relyingParty.verify(response, for: packed.registrationCeremony))
                    }
                },
                limit: { count in none.repeatBareVerification(2 * count) }
            ),
            twoTasks(none),
        ] + cbor()
    }
}

extension Measurement {
    /// Two tasks that verify at the same time: throughput grows with cores.
    private static func twoTasks(_ ceremonies: Ceremonies) -> Measurement {
        let verify: @Sendable (Int) -> Void = { count in
            for _ in 0..<count {
                let response = try! AuthenticationResponse(json: ceremonies.authenticationJSON)
                keep(
                    try! ceremonies.relyingParty.verify(
                        response,
                        for: ceremonies.authenticationCeremony,
                        record: ceremonies.record
                    )
                )
            }
        }
        return Measurement(
            name: "verify-two-tasks",
            title: "sign-ins by two tasks at once",
            limitTitle: "by one",
            bound: 1.90,
            // Turns of a fifth of a second: the kernel takes milliseconds to give the second thread a core of its own.
            batchFactor: 50,
            operations: 2,
            subject: { count in
                DispatchQueue.concurrentPerform(iterations: 2) { _ in verify(count) }
            },
            limit: { count in verify(count) }
        )
    }
}
