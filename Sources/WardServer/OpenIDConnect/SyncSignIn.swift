package import WardAccounts
import WardRelyingParty
package import WardWebAuthn

/// Signs people in who keep a vault at the sync server of the service.
///
/// A device shows a code, and the person agrees on the page of the service, as for any device without a browser. No session
/// begins, and the device gets no token of the account: the sync server learns the ID of the account alone.
package struct SyncSignIn<Store: AccountStore>: Sendable {
    /// The codes of a device.
    package struct Codes: Sendable {
        /// The code that only the device knows.
        package let device: SessionToken
        /// The code that the device shows.
        package let user: String
        /// The address of the page where the person answers.
        package let page: String
        /// How long both codes can be used, in seconds.
        package let lifetime: Int64
        /// The shortest time between two polls, in seconds.
        package let interval: Int64
    }

    /// What the person answered.
    package enum Answer: Hashable, Sendable {
        /// Nothing yet, or the device asked too early; the shortest time between two polls, in seconds.
        case waiting(interval: Int64)
        case refused
        /// The codes have expired, were used, or never existed, or the person's session has ended.
        case over
        case agreed(AccountID)
    }

    private let store: Store
    private let effects: Effects
    private let limits: Limits
    private let page: String

    /// - Parameters:
    ///   - configuration: The settings of the service.
    ///   - store: The store for accounts.
    ///   - effects: Clock and randomness.
    ///   - limits: The limits on requests of strangers.
    /// - Throws: ``ServerConfigurationError`` for settings that contradict each other.
    package init(
        _ configuration: ServerConfiguration,
        store: Store,
        effects: Effects = .live,
        limits: Limits = .standard
    ) throws(ServerConfigurationError) {
        self.store = store
        self.effects = effects
        self.limits = limits
        let origin = try ConfiguredParts(configuration).relyingParty.origins.lazy.compactMap(\.web).first
        page = (origin?.description ?? "") + DeviceCodes.page
    }

    /// Begins.
    ///
    /// - Parameter address: The address of the device in any form, if the service knows it.
    /// - Returns: The codes.
    /// - Throws: ``APIError`` with `too_many_requests`; the store's errors.
    package func begin(from address: String?) async throws -> Codes {
        let (codes, now) = (DeviceCodes(effects, limits), effects.now())
        let outcome = try await store.write { tx -> Result<UserCode, APIError> in
            // Nothing below throws a refusal: that would take back what is counted.
            try await addClient(at: now, in: tx)
            let place = address.map { Array($0.utf8) }
            return try await codes.begin(DeviceCodes.syncClient, ["openid"], from: place, at: now, in: tx)
        }
        return Codes(
            device: codes.device,
            user: try outcome.get().text,
            page: page,
            lifetime: DeviceCodes.lifetime,
            interval: DeviceCodes.interval
        )
    }

    /// The client to which the codes belong.
    ///
    /// Nobody has its secret, so its codes do nothing at the token endpoint.
    private func addClient(at now: Int64, in tx: Store.Transaction) async throws {
        guard try await tx.oauthClient(id: DeviceCodes.syncClient) == nil else { return }
        try await tx.insert(
            OAuthClient(
                id: DeviceCodes.syncClient,
                name: "Ward",
                secretHash: SessionToken.random(using: effects.randomBytes).hash,
                redirectURIs: [],
                allowsDevices: true,
                createdAt: now
            )
        )
    }

    /// Asks whether the person has answered.
    ///
    /// - Parameter device: The code that only the device knows. It is used up if the person agreed.
    /// - Returns: The answer.
    /// - Throws: The store's errors.
    package func answer(_ device: SessionToken) async throws -> Answer {
        let now = effects.now()
        return try await store.write { tx in
            switch try await DeviceCodes.poll(device.hash, of: DeviceCodes.syncClient, at: now, in: tx) {
            case .unknown, .expired: return .over
            case .tooEarly(let interval), .pending(let interval): return .waiting(interval: interval)
            case .refused: return .refused
            case .allowed(_, let session):
                // The rules of the service were checked when the person agreed, a moment ago.
                let rules = SessionRules(SignInPolicy())
                guard let found = try await tx.signedIn(tx.session(id: session), under: rules, at: now) else {
                    return .over
                }
                return .agreed(found.account.id)
            }
        }
    }

    /// Those of these accounts that were deleted.
    ///
    /// Only the audit log proves it: a database that is older than an account, or is another one, has no row of its deletion.
    ///
    /// - Parameter accounts: IDs as text.
    /// - Returns: IDs as text.
    /// - Throws: The store's errors.
    package func deleted(among accounts: [String]) async throws -> [String] {
        try await store.read { tx in
            var deleted: [String] = []
            for text in accounts {
                guard let id = AccountID(text: text), try await tx.account(id: id) == nil else { continue }
                let rows = try await tx.auditEntries(of: id, limit: 16)
                if rows.contains(where: { $0.event.kind == .accountDeleted }) { deleted.append(text) }
            }
            return deleted
        }
    }
}
