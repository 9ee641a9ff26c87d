import WardAccounts
import WardWebAuthn

extension Deployment {
    /// The account that a request asks for, with the members `username` and `displayName`.
    ///
    /// It is not stored.
    ///
    /// - Throws: ``APIError`` if the service takes no such name.
    func newAccount(_ fields: JSONFields) throws -> Account {
        let username = try names.username(fields.string("username"))
        let displayName = try fields.optionalString("displayName").map { text throws(APIError) in
            try PublicText.displayName(text)
        }
        return Account(
            id: .random(using: effects.randomBytes),
            username: username,
            displayName: displayName ?? username.text,
            userHandle: .random(effects),
            createdAt: effects.now()
        )
    }
}
