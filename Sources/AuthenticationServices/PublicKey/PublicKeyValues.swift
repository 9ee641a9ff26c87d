internal import Foundation
internal import WardAgentClient
internal import WardWebAuthn

// Converts between the app's objects and WebAuthn's values. Values that no service accepts are refused here.

extension ASAuthorizationError {
    static func challenge() -> Self { Self(.failed, "the challenge of a request has 16 to 1,024 bytes") }
    static func unreadable(_ error: WebAuthnError) -> Self {
        Self(.invalidResponse, "the agent's answer cannot be read (\(error.code.name)): update ward")
    }
}

extension Data {
    func asChallenge() throws(ASAuthorizationError) -> Challenge {
        guard let challenge = Challenge(Array(self)) else { throw .challenge() }
        return challenge
    }

    func asUserHandle() throws(ASAuthorizationError) -> UserHandle {
        guard let handle = UserHandle(Array(self)) else {
            throw ASAuthorizationError(.failed, "the userID must have 1 to 64 bytes")
        }
        return handle
    }

    func asCredentialID() throws(ASAuthorizationError) -> CredentialID {
        guard let id = CredentialID(Array(self)) else {
            throw ASAuthorizationError(.failed, "a credentialID must have 1 to 1,023 bytes")
        }
        return id
    }
}

extension String {
    func asRelyingPartyIdentifier() throws(ASAuthorizationError) -> String {
        guard !isEmpty else {
            throw ASAuthorizationError(.failed, "the relyingPartyIdentifier must be a domain, such as example.com")
        }
        return self
    }
}

extension Array where Element: ASAuthorizationPublicKeyCredentialDescriptor {
    func asDescriptors() throws(ASAuthorizationError) -> [WardWebAuthn.PublicKeyCredentialDescriptor] {
        var descriptors: [WardWebAuthn.PublicKeyCredentialDescriptor] = []
        for element in self {
            let key = element as? ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor
            descriptors.append(
                .init(
                    id: try element.credentialID.asCredentialID(),
                    transports: (key?.transports ?? []).map { AuthenticatorTransport(rawValue: $0.rawValue) }
                )
            )
        }
        return descriptors
    }
}

extension ASAuthorizationPublicKeyCredentialAttachment {
    init(_ attachment: AuthenticatorAttachment?) {
        self = attachment == .crossPlatform ? .crossPlatform : .platform
    }
}

extension AuthorizeApp.Result {
    func registration() throws(ASAuthorizationError) -> RegistrationResponse {
        do { return try RegistrationResponse(json: try json()) } catch let error as WebAuthnError {
            throw .unreadable(error)
        } catch { throw error as? ASAuthorizationError ?? ASAuthorizationError(.invalidResponse) }
    }

    func assertion() throws(ASAuthorizationError) -> AuthenticationResponse {
        do { return try AuthenticationResponse(json: try json()) } catch let error as WebAuthnError {
            throw .unreadable(error)
        } catch { throw error as? ASAuthorizationError ?? ASAuthorizationError(.invalidResponse) }
    }

    private func json() throws(ASAuthorizationError) -> [UInt8] {
        guard let response else {
            throw ASAuthorizationError(.invalidResponse, "the agent's answer has no credential: update ward")
        }
        return Array(response.utf8)
    }
}
