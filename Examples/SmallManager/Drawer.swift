import Foundation
import WardAuthenticator
import WardCOSE
import WardCTAP
import WardText
import WardWebAuthn

/// Everything in a file that anyone can read: no real manager does this.
actor Drawer: PasskeyStore {
    struct Password: Codable {
        var domain: String
        var user: String
        var password: String
    }

    struct Passkey: Codable {
        var credentialID: String
        var rpID: String
        var userHandle: String
        var userName: String
        var algorithm: Int
        var privateKey: String
        var createdAt: Int64
        /// What the service keeps beside the passkey.
        var largeBlob: String?
    }

    private struct Contents: Codable {
        var isLocked: Bool?
        var passwords: [Password] = []
        var passkeys: [Passkey] = []
        /// A text for any field; a real manager lets the person choose among many.
        var text: String?
    }

    private let file: URL
    private var contents: Contents

    init(_ path: String) {
        file = URL(fileURLWithPath: path)
        contents = (try? JSONDecoder().decode(Contents.self, from: Data(contentsOf: file))) ?? Contents()
    }

    /// Whether the person has to open it first; names are told all the same.
    var isLocked: Bool { contents.isLocked ?? false }

    func unlock() { contents.isLocked = false }

    func password(_ reference: String) -> Password? {
        Int(reference).flatMap { contents.passwords.indices.contains($0) ? contents.passwords[$0] : nil }
    }

    var text: String? { contents.text }

    func largeBlob(of id: CredentialID) -> String? {
        contents.passkeys.first { $0.credentialID == id.base64URL }?.largeBlob
    }

    /// Keeps what a service wants beside a passkey.
    func keep(largeBlob: String, of id: CredentialID) throws {
        var changed = contents
        for index in changed.passkeys.indices where changed.passkeys[index].credentialID == id.base64URL {
            changed.passkeys[index].largeBlob = largeBlob
        }
        try write(changed)
    }

    /// Keeps a password in place of the account's old one, of which a real manager keeps a history.
    func save(_ request: SaveRequest) throws -> String {
        var changed = contents
        let index =
            changed.passwords.firstIndex { $0.domain == request.domain && $0.user == request.user }
            ?? changed.passwords.endIndex
        let password = Password(domain: request.domain, user: request.user, password: request.password)
        if changed.passwords.indices.contains(index) {
            changed.passwords[index] = password
        } else {
            changed.passwords.append(password)
        }
        try write(changed)
        return "\(index)"
    }

    private func write(_ changed: Contents) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(changed).write(to: file, options: .atomic)
        contents = changed
    }

    /// Whether an account may get a passkey that nobody asked for: its password is here, and no passkey.
    func mayUpgrade(_ question: UpgradeQuestion) -> Bool {
        guard !isLocked, let found = password(question.reference) else { return false }
        return found.domain == question.domain && found.user == question.user
            && !contents.passkeys.contains { $0.rpID == question.domain && $0.userName == question.user }
    }

    /// What is here for domains, without secrets.
    func entries(_ query: EntriesQuery) -> [Entry] {
        var found: [Entry] = []
        for (index, password) in contents.passwords.enumerated()
        where query.kinds.contains("password") && query.domains.contains(password.domain) {
            found.append(
                Entry(reference: "\(index)", kind: "password", domain: password.domain, user: password.user)
            )
        }
        for passkey in contents.passkeys
        where query.kinds.contains("passkey") && query.domains.contains(passkey.rpID) {
            found.append(
                Entry(
                    reference: passkey.credentialID,
                    kind: "passkey",
                    domain: passkey.rpID,
                    user: passkey.userName,
                    credentialID: passkey.credentialID,
                    userHandle: passkey.userHandle
                )
            )
        }
        return found
    }

    // MARK: For the authenticator

    var algorithms: [COSEAlgorithmIdentifier] { SoftwarePasskeyKey.algorithms }

    func list(for rpID: String, among ids: [CredentialID]?) -> [PasskeyInfo] {
        contents.passkeys.filter { $0.rpID == rpID }.compactMap { passkey in
            guard let id = CredentialID(base64URL: passkey.credentialID), ids?.contains(id) ?? true,
                let user = Base64URL.decode(passkey.userHandle).flatMap({ UserHandle($0) })
            else { return nil }
            return PasskeyInfo(
                id: id,
                rpID: passkey.rpID,
                userHandle: user,
                userName: passkey.userName,
                algorithm: COSEAlgorithmIdentifier(rawValue: passkey.algorithm),
                isBackupEligible: true,
                isBackedUp: true,
                createdAt: passkey.createdAt
            )
        }
    }

    func makeKey(for passkey: NewPasskey) throws(PasskeyStoreError) -> SoftwarePasskeyKey {
        try SoftwarePasskeyKey(drawing: passkey.algorithm)
    }

    func create(
        _ passkey: NewPasskey,
        with key: SoftwarePasskeyKey,
        replacing replaced: [CredentialID]
    ) throws(PasskeyStoreError) {
        var changed = contents
        changed.passkeys.removeAll { passkey in replaced.contains { $0.base64URL == passkey.credentialID } }
        changed.passkeys.append(
            Passkey(
                credentialID: passkey.id.base64URL,
                rpID: passkey.rpID,
                userHandle: passkey.userHandle.base64URL,
                userName: passkey.userName,
                algorithm: passkey.algorithm.rawValue,
                privateKey: Base64URL.encode(key.privateKey.rawRepresentation),
                createdAt: passkey.createdAt
            )
        )
        do {
            try write(changed)
        } catch {
            throw PasskeyStoreError(.failed, "the drawer cannot be written")
        }
    }

    func sign(_ message: [UInt8], with id: CredentialID, for rpID: String) throws(PasskeyStoreError) -> [UInt8] {
        let passkey = contents.passkeys.first { $0.credentialID == id.base64URL && $0.rpID == rpID }
        guard let passkey else { throw PasskeyStoreError(.missing, "there is no such passkey") }
        guard let raw = Base64URL.decode(passkey.privateKey),
            let key = try? COSEPrivateKey(
                algorithm: COSEAlgorithmIdentifier(rawValue: passkey.algorithm),
                rawRepresentation: raw
            )
        else { throw PasskeyStoreError(.failed, "the private key in the file cannot be read") }
        return try SoftwarePasskeyKey(privateKey: key, hmacSecrets: nil).sign(message)
    }

    func hmacSecret(
        of salts: PRFSalts,
        with id: CredentialID,
        for rpID: String,
        isVerified: Bool
    ) -> PRFSalts? { nil }
}
