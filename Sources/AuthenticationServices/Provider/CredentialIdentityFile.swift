internal import Crypto
internal import Foundation
internal import WardAgentClient
internal import WardText

/// An identity in the form in which the store's file has it.
struct StoredIdentity: Codable, Sendable {
    enum Kind: String, Codable, Sendable {
        case password, passkey, oneTimeCode

        var type: ASCredentialIdentityStore.IdentityTypes {
            switch self {
            case .password: .password
            case .passkey: .passkey
            case .oneTimeCode: .oneTimeCode
            }
        }
    }

    var kind: Kind
    var service: String
    var isURL: Bool
    var user: String
    var recordIdentifier: String?
    var rank: Int
    var credentialID: Data?
    var userHandle: Data?

    init(_ identity: any ASCredentialIdentity) {
        kind = identity.storedKind
        service = identity.serviceIdentifier.identifier
        isURL = identity.serviceIdentifier.type == .URL
        user = identity.user
        recordIdentifier = identity.recordIdentifier
        rank = identity.rank
        guard let passkey = identity as? ASPasskeyCredentialIdentity else { return }
        credentialID = passkey.credentialID
        userHandle = passkey.userHandle
    }

    /// Whether both are the same credential.
    ///
    /// The rank does not count.
    func isSame(as other: StoredIdentity) -> Bool { reference == other.reference }

    /// The host that the identity is for.
    var host: String { ASCredentialServiceIdentifier(identifier: service, type: isURL ? .URL : .domain).host }

    /// The reference in the provider protocol.
    ///
    /// It is the same in each process, and different for each identity.
    var reference: String {
        var hash = SHA256()
        // Each part begins with its length, so that two different identities never give the same text.
        for part in [kind.rawValue, service, user, recordIdentifier ?? ""].map({ Array($0.utf8) })
            + [credentialID.map { Array($0) } ?? []]
        {
            hash.update(data: Array("\(part.count):".utf8) + part)
        }
        return Base64URL.encode(Array(hash.finalize()))
    }

    /// Creates an entry from an identity of an app.
    var identity: any ASCredentialIdentity {
        let place = ASCredentialServiceIdentifier(identifier: service, type: isURL ? .URL : .domain)
        let identity: any ASCredentialIdentity =
            switch kind {
            case .password:
                ASPasswordCredentialIdentity(
                    serviceIdentifier: place,
                    user: user,
                    recordIdentifier: recordIdentifier
                )
            case .oneTimeCode:
                ASOneTimeCodeCredentialIdentity(
                    serviceIdentifier: place,
                    label: user,
                    recordIdentifier: recordIdentifier
                )
            case .passkey:
                ASPasskeyCredentialIdentity(
                    relyingPartyIdentifier: service,
                    userName: user,
                    credentialID: credentialID ?? Data(),
                    userHandle: userHandle ?? Data(),
                    recordIdentifier: recordIdentifier
                )
            }
        identity.rank = rank
        return identity
    }
}

extension ASCredentialIdentity {
    var storedKind: StoredIdentity.Kind {
        switch self {
        case is ASPasskeyCredentialIdentity: .passkey
        case is ASOneTimeCodeCredentialIdentity: .oneTimeCode
        default: .password
        }
    }
}

extension ASCredentialServiceIdentifier {
    /// The domain in lower case.
    ///
    /// For a URL it is the host.
    var host: String {
        let host =
            switch type {
            case .domain: identifier
            case .URL: URL(string: identifier)?.host ?? identifier
            }
        return host.lowercased()
    }
}

/// The file of the identity store.
///
/// Only its owner can read it. It is always written completely.
struct CredentialIdentityFile: Sendable {
    private static let maximumSize = 8 << 20

    private struct Contents: Codable {
        var version = 1
        var identities: [StoredIdentity]
    }

    private let path: String

    /// - Parameter identifier: The manager's identifier, checked.
    init(identifier: String) {
        path = CredentialProviderExtension.stateFolder + "/ward-providers/" + identifier + "/identities.json"
    }

    /// The contents of the file, or an empty list if there is no file.
    func read() throws(ASCredentialIdentityStoreError) -> [StoredIdentity] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        guard let data = FileManager.default.contents(atPath: path), data.count <= Self.maximumSize,
            let contents = try? JSONDecoder().decode(Contents.self, from: data), contents.version == 1
        else { throw ASCredentialIdentityStoreError(.internalError) }
        return contents.identities
    }

    /// Changes the contents of the file.
    ///
    /// Only one process at a time can do so.
    func change(
        _ body: ([StoredIdentity]) -> [StoredIdentity]
    ) throws(ASCredentialIdentityStoreError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            guard let lock = try LockedFile(path + ".lock") else { throw ASCredentialIdentityStoreError(.storeBusy) }
            try withExtendedLifetime(lock) {
                // A file that cannot be read is replaced: the manager adds its identities again.
                let contents = Contents(identities: body((try? read()) ?? []))
                try OwnersFile.write(contents, to: path)
            }
        } catch let error as ASCredentialIdentityStoreError {
            throw error
        } catch {
            throw ASCredentialIdentityStoreError(.internalError)
        }
    }
}
