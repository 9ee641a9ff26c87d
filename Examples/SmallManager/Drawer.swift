import Foundation
import WardAuthenticator
import WardCOSE
import WardWebAuthn

/// Everything in a file that anyone can read: no real manager does this.
actor Drawer: CredentialStore {
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
    }

    private struct Contents: Codable {
        var passwords: [Password] = []
        var passkeys: [Passkey] = []
    }

    private let file: URL
    private var contents: Contents

    init(_ path: String) {
        file = URL(fileURLWithPath: path)
        contents = (try? JSONDecoder().decode(Contents.self, from: Data(contentsOf: file))) ?? Contents()
    }

    func password(_ reference: String) -> Password? {
        Int(reference).flatMap { contents.passwords.indices.contains($0) ? contents.passwords[$0] : nil }
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

    func credentials(
        for relyingPartyID: String,
        among ids: [CredentialID]?
    ) throws(CredentialStoreError) -> [StoredCredential] {
        contents.passkeys.filter { $0.rpID == relyingPartyID }.compactMap { passkey in
            guard let id = CredentialID(base64URL: passkey.credentialID), ids?.contains(id) ?? true,
                let user = Base64URL.decode(passkey.userHandle).flatMap({ UserHandle($0) }),
                let raw = Base64URL.decode(passkey.privateKey),
                let key = try? COSEPrivateKey(
                    algorithm: COSEAlgorithmIdentifier(rawValue: passkey.algorithm),
                    rawRepresentation: raw
                )
            else { return nil }
            return StoredCredential(
                id: id,
                relyingPartyID: passkey.rpID,
                userHandle: user,
                userName: passkey.userName,
                privateKey: key,
                hmacSecrets: nil,
                isBackupEligible: true,
                isBackedUp: true,
                createdAt: passkey.createdAt
            )
        }
    }

    func save(_ credential: StoredCredential, replacing replaced: [CredentialID]) throws(CredentialStoreError) {
        var changed = contents
        changed.passkeys.removeAll { passkey in replaced.contains { $0.base64URL == passkey.credentialID } }
        changed.passkeys.append(
            Passkey(
                credentialID: credential.id.base64URL,
                rpID: credential.relyingPartyID,
                userHandle: credential.userHandle.base64URL,
                userName: credential.userName,
                algorithm: credential.privateKey.algorithm.rawValue,
                privateKey: Base64URL.encode(credential.privateKey.rawRepresentation),
                createdAt: credential.createdAt
            )
        )
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(changed).write(to: file, options: .atomic)
        } catch {
            throw CredentialStoreError(.failed, "the drawer cannot be written")
        }
        contents = changed
    }

    func write(
        largeBlob: [UInt8],
        of id: CredentialID,
        for relyingPartyID: String
    ) throws(CredentialStoreError) {
        throw CredentialStoreError(.failed, "this manager keeps no blobs")
    }
}
