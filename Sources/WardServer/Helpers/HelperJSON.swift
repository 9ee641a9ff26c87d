import WardAccounts
import WardText

extension JSONValue {
    /// A helper as the owner sees it.
    ///
    /// Until somebody accepts, it has only what the owner typed, and nothing is looked up: a name that nobody has looks the same
    /// as any other.
    init(_ helper: RecoveryHelper, at now: Int64, in tx: some AccountTransaction) async throws {
        var accepted: Account?
        if helper.acceptedAt != nil, let id = helper.helperID { accepted = try await tx.account(id: id) }
        self = [
            "id": .string(Base64URL.encode(helper.id)),
            "username": .string(accepted?.username.text ?? helper.name),
            "displayName": accepted.map { .string($0.displayName) } ?? .null,
            "namedAt": .string(JSONTime.text(helper.createdAt)),
            "acceptedAt": helper.acceptedAt.map { .string(JSONTime.text($0)) } ?? .null,
            "state": .string(helper.state(at: now).word),
            "countsAt": helper.state(at: now).countsAt.map { .string(JSONTime.text($0)) } ?? .null,
        ]
    }

    /// An account that a person helps, or is asked to help, as this person sees it.
    init(_ helper: RecoveryHelper, helping owner: Account, asking request: HelpRequest?, at now: Int64) {
        self = [
            "id": .string(Base64URL.encode(helper.id)),
            "username": .string(owner.username.text),
            "displayName": .string(owner.displayName),
            "namedAt": .string(JSONTime.text(helper.createdAt)),
            "acceptedAt": helper.acceptedAt.map { .string(JSONTime.text($0)) } ?? .null,
            "state": .string(helper.state(at: now).word),
            "countsAt": helper.state(at: now).countsAt.map { .string(JSONTime.text($0)) } ?? .null,
            "recovery": request.map { request in
                [
                    "askedAt": .string(JSONTime.text(request.createdAt)),
                    "expiresAt": .string(JSONTime.text(request.expiresAt)),
                ]
            } ?? .null,
        ]
    }

    /// The helpers of an account, and the accounts that it helps, in the owner's export.
    init(helpersOf account: AccountID, at now: Int64, in tx: some AccountTransaction) async throws {
        var (named, helping): ([JSONValue], [JSONValue]) = ([], [])
        for helper in try await tx.helpers(of: account) {
            named.append(try await JSONValue(helper, at: now, in: tx))
        }
        for helper in try await tx.helped(by: account) {
            guard let owner = try await tx.account(id: helper.ownerID) else { continue }
            helping.append(JSONValue(helper, helping: owner, asking: nil, at: now))
        }
        self = ["named": .array(named), "helping": .array(helping)]
    }
}

extension HelperState {
    /// The word of the API.
    fileprivate var word: String {
        switch self {
        case .asked: "asked"
        case .accepted: "accepted"
        case .active: "active"
        case .ended: "ended"
        }
    }

    fileprivate var countsAt: Int64? {
        guard case .accepted(let time) = self else { return nil }
        return time
    }
}
