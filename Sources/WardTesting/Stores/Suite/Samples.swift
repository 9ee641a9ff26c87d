import WardAccounts
import WardCOSE
import WardWebAuthn

/// Sample records; the same number always gives the same record.
enum Sample {
    static func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
        var state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(count)
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    static func accountID(_ seed: Int) -> AccountID { .random { bytes($0, seed) } }
    static func sessionID(_ seed: Int) -> SessionID { .random { bytes($0, seed) } }
    static func credentialID(_ seed: Int) -> CredentialID { credentialID(bytes(32, seed)) }
    static func userHandle(_ seed: Int) -> UserHandle { userHandle(bytes(64, seed)) }
    static func tokenHash(_ seed: Int) -> [UInt8] { SessionToken.random { bytes($0, seed) }.hash }

    static func account(_ seed: Int, name: String? = nil) throws -> Account {
        Account(
            id: accountID(seed),
            username: try Username(name ?? "person-\(seed)"),
            displayName: "Person \(seed)",
            userHandle: userHandle(seed),
            createdAt: 1_700_000_000 + Int64(seed)
        )
    }

    static func record(_ seed: Int, of account: Int = 1) -> CredentialRecord {
        CredentialRecord(
            id: credentialID(seed),
            userHandle: userHandle(account),
            publicKey: bytes(77, seed),
            signCount: UInt32(seed),
            uvInitialized: true,
            transports: [.internal, .hybrid],
            backupEligible: true,
            backedUp: false,
            aaguid: AAGUID(bytes(16, seed)) ?? .zero,
            attestationFormat: "none",
            attestationObject: bytes(200, seed),
            clientDataJSON: bytes(134, seed),
            rpID: "ward.example"
        )
    }

    static func passkey(_ seed: Int, of account: Int = 1) -> Passkey {
        Passkey(
            record(seed, of: account),
            of: accountID(account),
            named: "Passkey \(seed)",
            createdAt: 1_700_000_000 + Int64(seed)
        )
    }

    static func session(_ seed: Int, of account: Int = 1) -> Session {
        Session(
            id: sessionID(seed),
            tokenHash: tokenHash(seed),
            accountID: accountID(account),
            createdAt: 1_700_000_000 + Int64(seed),
            authenticatedAt: 1_700_000_000 + Int64(seed),
            method: seed.isMultiple(of: 2) ? .passkey : .password,
            passkeyProof: seed.isMultiple(of: 2)
                ? PasskeyProof(
                    by: credentialID(seed),
                    at: 1_700_000_000 + Int64(seed),
                    userVerified: seed.isMultiple(of: 4)
                ) : nil,
            secondFactor: seed.isMultiple(of: 3) ? .authenticatorApp : nil,
            lastSeenAt: 1_700_000_000 + Int64(seed),
            idleExpiresAt: 1_700_003_600 + Int64(seed),
            expiresAt: 1_700_086_400 + Int64(seed),
            userAgent: "Browser/\(seed)"
        )
    }

    static func password(_ seed: Int, of account: Int = 1) -> PasswordRecord {
        PasswordRecord(
            accountID: accountID(account),
            hash: "$argon2id$v=19$m=19456,t=2,p=1$\(seed)",
            chosenAt: 1_700_000_000 + Int64(seed)
        )
    }

    static func appSession(_ seed: Int, of session: Int) -> AppSession {
        AppSession(
            tokenHash: tokenHash(seed),
            sessionID: sessionID(session),
            origin: "https://app.ward.example",
            createdAt: 1_700_000_000 + Int64(seed)
        )
    }

    static func client(_ seed: Int) -> OAuthClient {
        OAuthClient(
            id: "client-\(seed)",
            name: "Client \(seed)",
            secretHash: tokenHash(seed),
            redirectURIs: ["https://app-\(seed).example/callback", "http://127.0.0.1/callback"],
            postLogoutRedirectURIs: ["https://app-\(seed).example/"],
            isFirstParty: true,
            allowsDevices: seed.isMultiple(of: 3),
            idTokenAlgorithm: seed.isMultiple(of: 3) ? .rs256 : .es256,
            createdAt: 1_700_000_000 + Int64(seed)
        )
    }

    static func consent(_ account: Int, to client: Int) -> OAuthConsent {
        OAuthConsent(
            accountID: accountID(account),
            clientID: "client-\(client)",
            scopes: ["openid", "profile"],
            createdAt: 1_700_000_000 + Int64(account)
        )
    }

    static func grant(_ seed: Int, of session: Int, to client: Int) -> OAuthGrant {
        OAuthGrant(
            codeHash: tokenHash(seed),
            clientID: "client-\(client)",
            sessionID: sessionID(session),
            scopes: ["openid", "a,b"],
            redirectURI: "https://app-\(client).example/callback",
            codeChallenge: bytes(32, seed),
            nonce: seed.isMultiple(of: 2) ? nil : "nonce \(seed)",
            authenticatedAt: 1_700_000_000 + Int64(seed),
            acr: seed.isMultiple(of: 2) ? nil : "phr",
            amr: seed.isMultiple(of: 2) ? [] : ["swk", "user", "mfa"],
            createdAt: 1_700_000_001 + Int64(seed),
            codeUsedAt: seed.isMultiple(of: 2) ? 1_700_000_002 + Int64(seed) : nil,
            expiresAt: 1_700_000_061 + Int64(seed)
        )
    }

    static func device(_ seed: Int, of client: Int) -> DeviceAuthorization {
        DeviceAuthorization(
            deviceHash: tokenHash(3_000 + seed),
            userHash: tokenHash(4_000 + seed),
            clientID: "client-\(client)",
            scopes: ["openid", "a,b"],
            createdAt: 1_700_000_000 + Int64(seed),
            expiresAt: 1_700_000_600 + Int64(seed),
            interval: 5,
            polledAt: seed.isMultiple(of: 2) ? 1_700_000_005 + Int64(seed) : nil,
            answer: seed.isMultiple(of: 2) ? .refused : .pending
        )
    }

    static func token(_ seed: Int, of grant: Int) -> OAuthToken {
        OAuthToken(
            hash: tokenHash(1_000 + seed),
            kind: seed.isMultiple(of: 2) ? .refresh : .access,
            grant: tokenHash(grant),
            createdAt: 1_700_000_000 + Int64(seed),
            expiresAt: 1_700_000_600 + Int64(seed),
            replacedAt: seed.isMultiple(of: 2) ? 1_700_000_300 + Int64(seed) : nil,
            successor: seed.isMultiple(of: 2) ? tokenHash(2_000 + seed) : nil
        )
    }

    static func idTokenKey(_ seed: Int) -> IDTokenKey {
        IDTokenKey(
            id: "key-\(seed)",
            algorithm: seed.isMultiple(of: 3) ? .rs256 : .es256,
            privateKey: bytes(32, seed),
            activeFrom: 1_700_000_000 + Int64(seed),
            expiresAt: seed.isMultiple(of: 2) ? 1_700_086_400 : nil
        )
    }

    static func invitation(_ seed: Int) -> Invitation {
        Invitation(
            tokenHash: tokenHash(seed),
            createdAt: 1_700_000_000 + Int64(seed),
            expiresAt: 1_700_604_800 + Int64(seed)
        )
    }

    static func factor(_ seed: Int, of account: Int = 1) -> FactorRecord {
        FactorRecord(
            accountID: accountID(account),
            kind: .recoveryCode,
            key: tokenHash(seed),
            payload: [UInt8(truncatingIfNeeded: seed), 0, 255],
            createdAt: 1_700_000_000 + Int64(seed),
            confirmedAt: seed.isMultiple(of: 2) ? nil : 1_700_000_100,
            lastUsedAt: seed.isMultiple(of: 2) ? 1_700_000_200 : nil,
            counter: Int64(seed)
        )
    }

    static func helper(_ seed: Int, of owner: Int = 1, by helper: Int? = nil) -> RecoveryHelper {
        RecoveryHelper(
            id: bytes(RecoveryHelper.idLength, seed),
            ownerID: accountID(owner),
            name: "Person \(seed)",
            helperID: helper.map { accountID($0) },
            createdAt: 1_700_000_000 + Int64(seed),
            acceptedAt: seed.isMultiple(of: 2) ? 1_700_000_100 : nil
        )
    }

    static func helpRequest(_ seed: Int, of account: Int = 1) -> HelpRequest {
        HelpRequest(
            accountID: accountID(account),
            tokenHash: tokenHash(seed),
            codeHash: bytes(32, seed),
            createdAt: 1_700_000_000 + Int64(seed),
            expiresAt: 1_700_001_800 + Int64(seed)
        )
    }

    static func recoveryLink(_ seed: Int, of account: Int = 1) -> RecoveryLink {
        RecoveryLink(
            accountID: accountID(account),
            tokenHash: tokenHash(seed),
            createdAt: 1_700_000_000 + Int64(seed),
            expiresAt: 1_700_003_600 + Int64(seed)
        )
    }

    static func emailAddress(_ seed: Int) -> EmailAddress {
        guard let address = try? EmailAddress("person-\(seed)@mail.example") else { preconditionFailure("an address") }
        return address
    }

    static func email(_ seed: Int, of account: Int = 1) -> AccountEmail {
        AccountEmail(
            accountID: accountID(account),
            confirmed: seed.isMultiple(of: 2) ? nil : .init(emailAddress(seed), at: 1_700_000_000 + Int64(seed)),
            pending: seed.isMultiple(of: 3) ? nil : .init(emailAddress(seed + 1_000), at: 1_700_000_001),
            language: "zh-Hans"
        )
    }

    static func mail(_ seed: Int, of account: Int = 1) -> OutboxMail {
        OutboxMail(
            id: bytes(OutboxMail.idLength, seed),
            accountID: accountID(account),
            kind: .passkeyAdded,
            address: .email(emailAddress(seed)),
            language: "ja",
            username: "person-\(account)",
            createdAt: 1_700_000_000 + Int64(seed),
            attempts: Int64(seed),
            dueAt: 1_700_000_100 + Int64(seed)
        )
    }

    static func mailLink(_ seed: Int, of account: Int = 1, _ purpose: MailLink.Purpose = .alarm) -> MailLink {
        MailLink(
            tokenHash: tokenHash(seed),
            accountID: accountID(account),
            purpose: purpose,
            address: .email(emailAddress(seed)),
            createdAt: 1_700_000_000 + Int64(seed),
            expiresAt: 1_700_086_400 + Int64(seed)
        )
    }

    static func attempts(_ seed: Int) -> AttemptCount {
        AttemptCount(
            key: tokenHash(seed),
            count: Int64(seed),
            lastAt: 1_700_000_000 + Int64(seed),
            expiresAt: 1_700_604_800 + Int64(seed)
        )
    }

    static func ceremony(_ seed: Int) -> CeremonyRecord {
        CeremonyRecord(id: bytes(16, seed), payload: bytes(300, seed), expiresAt: 1_700_000_300 + Int64(seed))
    }

    static func registration(_ seed: Int) -> Ceremony {
        Ceremony(
            id: ceremonyID(seed),
            kind: .registration,
            challenge: challenge(seed),
            rpID: "ward.example",
            requiresUserVerification: true,
            isConditional: false,
            algorithms: [.es256, .mlDSA65],
            user: PublicKeyCredentialUserEntity(id: userHandle(1), name: "person-1", displayName: "Person 1"),
            expiresAt: 1_700_000_300,
            context: bytes(40, seed)
        )
    }

    static func authentication(_ seed: Int) -> Ceremony {
        Ceremony(
            id: ceremonyID(seed),
            kind: .authentication,
            challenge: challenge(seed),
            rpID: "ward.example",
            requiresUserVerification: false,
            isConditional: true,
            userHandle: userHandle(1),
            allowedCredentials: [credentialID(1), credentialID(2)],
            expiresAt: 1_700_000_300
        )
    }

    private static func ceremonyID(_ seed: Int) -> CeremonyID {
        guard let id = CeremonyID(bytes(16, seed)) else { preconditionFailure("16 bytes") }
        return id
    }

    private static func challenge(_ seed: Int) -> Challenge {
        guard let challenge = Challenge(bytes(32, seed)) else { preconditionFailure("at least 16 bytes") }
        return challenge
    }

    static func credentialID(_ bytes: [UInt8]) -> CredentialID {
        guard let id = CredentialID(bytes) else { preconditionFailure("1 to 1,023 bytes") }
        return id
    }

    static func userHandle(_ bytes: [UInt8]) -> UserHandle {
        guard let handle = UserHandle(bytes) else { preconditionFailure("1 to 64 bytes") }
        return handle
    }

    /// Inserts an account with two passkeys, a password and a session.
    static func insertPerson(_ seed: Int, name: String? = nil, in transaction: any AccountTransaction) async throws {
        try await transaction.insert(try account(seed, name: name))
        try await transaction.insert(passkey(seed * 100, of: seed))
        try await transaction.insert(passkey(seed * 100 + 1, of: seed))
        try await transaction.setPassword(password(seed * 100, of: seed))
        try await transaction.insert(session(seed * 100, of: seed))
    }
}

/// Returns a record with a change.
func altered<Record>(_ record: Record, _ change: (inout Record) -> Void) -> Record {
    var record = record
    change(&record)
    return record
}
