import AuthenticationServices
import Foundation

// Signs a person in with the API of Sign in with Apple, at an OpenID Connect issuer, and prints what the app sends to its service.
//
//     OtherAccount ISSUER CLIENT_ID [name] [email] [nonce=TEXT] [state=TEXT] [user=ID]
//
// ISSUER is for example a ward-server. CLIENT_ID is a public client there:
//     ward-server clients add "Other account" --public --redirect-uri http://127.0.0.1/ward/signed-in

@main struct OtherAccount {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.count >= 2 else {
            FileHandle.standardError.write(Data("Usage: OtherAccount ISSUER CLIENT_ID [name] [email]\n".utf8))
            exit(64)
        }
        ASAuthorizationAppleIDProvider.use(
            try OpenIDConnectConfiguration(issuer: words[1], clientID: words[2])
        )
        let request = ASAuthorizationAppleIDProvider().createRequest()
        request.requestedScopes = words.contains("name") ? [.fullName] : []
        if words.contains("email") { request.requestedScopes?.append(.email) }
        request.nonce = value("nonce", words)
        request.state = value("state", words)
        request.user = value("user", words)
        do {
            let credential = try await SignIn().credential(for: request)
            let state = try await ASAuthorizationAppleIDProvider().credentialState(forUserID: credential.user)
            try show(Message(credential, isAuthorized: state == .authorized))
        } catch {
            FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }

    private static func value(_ name: String, _ words: ArraySlice<String>) -> String? {
        words.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    private static func show(_ message: Message) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        FileHandle.standardOutput.write(try encoder.encode(message) + Data("\n".utf8))
    }
}

/// What the app sends to its service, which verifies the identity token and exchanges the code.
struct Message: Encodable {
    let user: String
    let isAuthorized: Bool
    let state: String?
    let givenName: String?
    let familyName: String?
    let email: String?
    let scopes: [String]
    let identityToken: String?
    let authorizationCode: String?
    // What the service needs beside the code. It is not on Apple's platforms.
    let codeVerifier: String?
    let redirectURI: String?

    init(_ credential: ASAuthorizationAppleIDCredential, isAuthorized: Bool) {
        user = credential.user
        self.isAuthorized = isAuthorized
        state = credential.state
        givenName = credential.fullName?.givenName
        familyName = credential.fullName?.familyName
        email = credential.email
        scopes = credential.authorizedScopes.map(\.rawValue)
        identityToken = credential.identityToken.map { String(decoding: $0, as: UTF8.self) }
        authorizationCode = credential.authorizationCode.map { String(decoding: $0, as: UTF8.self) }
        codeVerifier = credential.authorizationCodeExchange?.codeVerifier
        redirectURI = credential.authorizationCodeExchange?.redirectURI
    }
}

/// One sign-in, written as one writes it for Apple's platforms.
@MainActor
final class SignIn: NSObject, ASAuthorizationControllerDelegate {
    private var waiting: CheckedContinuation<ASAuthorizationAppleIDCredential, any Error>?

    func credential(for request: ASAuthorizationAppleIDRequest) async throws -> ASAuthorizationAppleIDCredential {
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        return try await withCheckedThrowingContinuation { continuation in
            waiting = continuation
            controller.performRequests()
        }
    }

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential else { return }
        waiting?.resume(returning: credential)
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        waiting?.resume(throwing: error)
    }
}
