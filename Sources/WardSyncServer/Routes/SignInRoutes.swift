import Hummingbird
import WardCBOR
import WardSyncRecords
import WardWebAuthn

/// Sign-ins of people who bring a vault with an account of the service.
struct SignInRoutes {
    let desk: SyncDesk

    func add(to router: Router<SyncRequestContext>) {
        router.post("/sync/v1/sign-in") { [desk] request, context in
            let accounts = try desk.offeredAccounts()
            try desk.countOpening(request, context)
            let begun = try await accounts.begin(desk.address?(request.headers, context.peer))
            return Response.cbor(
                [
                    1: .text(begun.code.text), 2: .text(begun.userCode), 3: .text(begun.page),
                    4: .integer(begun.seconds), 5: .integer(begun.interval),
                ],
                status: .created
            )
        }
        router.post("/sync/v1/sign-in/answer") { [desk] request, context in
            let accounts = try desk.offeredAccounts()
            try desk.countOpening(request, context)
            guard let code = try await request.map()[1]?.textValue else {
                throw SyncError(.malformedRequest, "The body needs the code of the device.")
            }
            return try await Self.answer(code, accounts, desk)
        }
    }

    /// Once the person has agreed, the code is an invitation of the account.
    private static func answer(_ text: String, _ accounts: SyncAccounts, _ desk: SyncDesk) async throws -> Response {
        let over = SyncError(.signInOver, "The sign-in has expired, or never began.")
        guard let code = SyncToken(text: text) else { throw over }
        let agreed = Response.cbor([1: 1])
        // The answer to an earlier question may have been lost.
        if try await desk.store.isKnown(code.hash, at: desk.effects.now()) { return agreed }
        switch try await accounts.answer(code) {
        case .waiting(let seconds): return Response.cbor([1: 0, 2: .integer(seconds)])
        case .refused: throw SyncError(.signInRefused, "The person did not agree.")
        case .over: throw over
        case .agreed(let account):
            let now = desk.effects.now()
            // The code is used up when the vault has arrived, and a slow line takes its time.
            let end = now + SyncLimits.signInLifetime + SyncLimits.longestUpload
            let invitation = SyncInvitation(token: code.hash, createdAt: now, expiresAt: end, account: account)
            try await add(invitation, desk)
            return agreed
        }
    }

    /// How often an invitation is stored if the store is busy.
    private static let attempts = 3

    /// Stores an invitation.
    ///
    /// The service says only once that the person agreed, so a store that is busy is asked again.
    private static func add(_ invitation: SyncInvitation, _ desk: SyncDesk) async throws {
        for _ in 1..<attempts {
            do {
                return try await desk.store.add(invitation)
            } catch let error as SyncStoreError where error.code == .busy {
                try await desk.clock.sleep(for: .seconds(1))
            }
        }
        try await desk.store.add(invitation)
    }
}

extension SyncDesk {
    /// The accounts whose owners bring vaults.
    ///
    /// - Throws: ``SyncError`` with `sign_in_not_offered` if there are none.
    fileprivate func offeredAccounts() throws -> SyncAccounts {
        guard let accounts else {
            throw SyncError(.signInNotOffered, "A new vault needs an invitation of the operator.")
        }
        return accounts
    }
}
