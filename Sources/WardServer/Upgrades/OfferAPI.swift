import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The call by which the account page tells that it offered a passkey, and that the person put the offer away.
///
/// Each is counted at most once for an account in the time between two offers, so nobody can make the numbers grow.
struct OfferAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.post("/api/v1/account/offer") { try await note($0, $1) }
    }

    /// Notes an offer, and answers whether it counts.
    ///
    /// The page shows the offer only if it does: of two pages at the same time, one shows it.
    private func note(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        _ = try deployment.origins.caller(of: request)
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let isShown: Bool
        switch try JSONFields(await request.jsonBody()).string("event") {
        case "shown": isShown = true
        case "dismissed": isShown = false
        default:
            throw APIError(.malformedRequest, "\"event\" must be \"shown\" or \"dismissed\".").at("event")
        }
        let (session, counts) = try await deployment.store.write { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            let counts =
                isShown
                ? try await deployment.noteOffer(to: account.id, at: now, in: tx)
                : try await deployment.noteDismissal(by: account.id, at: now, in: tx)
            return (session, counts)
        }
        await deployment.touch(session, context)
        let body: JSONValue = ["counted": .bool(counts)]
        return .json(body.serialized)
    }
}
