import AuthenticationServices
import Crypto
import Foundation

/// Everything in a file that anyone can read: no real manager does this.
@MainActor final class Keychain {
    struct Password: Codable {
        var domain: String
        var user: String
        var password: String
    }

    struct Passkey: Codable {
        var credentialID: Data
        var rpID: String
        var userHandle: Data
        var userName: String
        var privateKey: Data
        /// The secret of the extension `prf`.
        var prfKey: Data?
        /// What a service keeps here with the extension `largeBlob`.
        var largeBlob: Data?
    }

    private struct Contents: Codable {
        var isLocked: Bool?
        var passwords: [Password] = []
        var passkeys: [Passkey] = []
        /// A text for any field; a real manager lets the person choose among many.
        var text: String?
    }

    static let shared = Keychain(URL(fileURLWithPath: CommandLine.arguments[1]))

    private let file: URL
    private var contents: Contents

    private init(_ file: URL) {
        self.file = file
        contents = (try? JSONDecoder().decode(Contents.self, from: Data(contentsOf: file))) ?? Contents()
    }

    /// Whether the person has to open it first.
    var isLocked: Bool { contents.isLocked ?? false }

    func unlock() { contents.isLocked = false }

    func password(_ user: String, at domain: String) -> Password? {
        contents.passwords.first { $0.user == user && $0.domain == domain }
    }

    func passkey(_ credentialID: Data) -> Passkey? { contents.passkeys.first { $0.credentialID == credentialID } }

    func passkeys(of userHandle: Data, at rpID: String) -> [Passkey] {
        contents.passkeys.filter { $0.userHandle == userHandle && $0.rpID == rpID }
    }

    var text: String? { contents.text }

    /// Keeps a new passkey, or what became of an older one.
    func keep(_ passkey: Passkey) async throws {
        contents.passkeys.removeAll { $0.credentialID == passkey.credentialID }
        contents.passkeys.append(passkey)
        try await write()
    }

    /// Keeps a password in place of the account's old one, of which a real manager keeps a history.
    func keep(_ password: Password) async throws {
        contents.passwords.removeAll { $0.domain == password.domain && $0.user == password.user }
        contents.passwords.append(password)
        try await write()
    }

    private func write() async throws {
        try JSONEncoder().encode(contents).write(to: file, options: .atomic)
        try await updateIdentities()
    }

    /// Tells the system what there is, so that it can offer it while this manager is not running.
    func updateIdentities() async throws {
        let passwords = contents.passwords.map { password in
            ASPasswordCredentialIdentity(
                serviceIdentifier: .init(identifier: password.domain, type: .domain),
                user: password.user,
                recordIdentifier: nil
            )
        }
        let passkeys = contents.passkeys.map { passkey in
            ASPasskeyCredentialIdentity(
                relyingPartyIdentifier: passkey.rpID,
                userName: passkey.userName,
                credentialID: passkey.credentialID,
                userHandle: passkey.userHandle,
                recordIdentifier: nil
            )
        }
        try await ASCredentialIdentityStore.shared.replaceCredentialIdentities(passwords + passkeys)
    }
}
