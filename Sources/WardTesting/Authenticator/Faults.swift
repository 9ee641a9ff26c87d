public import WardWebAuthn

/// Faults that a virtual authenticator injects.
///
/// Each fault is injected where a real authenticator would fail. So all later steps (hashes, signatures) cover the wrong value.
public struct Faults: Sendable {
    /// Changes the client data before it is serialized and hashed.
    public var clientData: @Sendable (CollectedClientData) -> CollectedClientData = { $0 }
    /// Changes the client data's bytes before they are hashed.
    public var clientDataJSON: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// Changes the credential's public key in COSE form before it is attested.
    public var publicKey: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// Changes the authenticator data before it is signed.
    public var authenticatorData: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// Changes a signature.
    public var signature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// Changes the attestation statement in CBOR.
    public var statement: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// Changes the attestation object in CBOR.
    public var attestationObject: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// Changes the answer to a registration.
    public var registration: @Sendable (RegistrationResponse) -> RegistrationResponse = { $0 }
    /// Changes the answer to a sign-in.
    public var authentication: @Sendable (AuthenticationResponse) -> AuthenticationResponse = { $0 }

    /// Creates an empty set of faults.
    public init() {}
}
