import Hummingbird
import WardAccounts

extension Deployment {
    /// The client's address for the audit log, or `nil` if the service keeps no addresses.
    func auditAddress(of request: Request, _ context: WardRequestContext) -> String? {
        guard auditsAddresses, let client = client(of: request, context), !client.bytes.isEmpty else { return nil }
        return client.description
    }

    /// The details of a change for the audit log.
    ///
    /// - Parameters:
    ///   - session: The session that ends, or from which the change is made.
    ///   - request: The request.
    ///   - context: The request's context.
    /// - Returns: The details.
    func auditDetails(_ session: SessionID?, _ request: Request, _ context: WardRequestContext) -> AuditDetails {
        AuditDetails(session: session, address: auditAddress(of: request, context))
    }

    /// How many wrong passwords the name of an account has had since the last right one, until a day passes without any.
    ///
    /// A row for each wrong password would let strangers fill the audit log. The next sign-in has the number instead, so
    /// its owner learns it and no stranger adds a row.
    func wrongPasswords(for account: Account, at now: Int64, in tx: some AccountTransaction) async throws -> Int64 {
        guard acceptsPasswords else { return 0 }
        let counter = Counter(.name, of: Array(account.username.mapped.utf8), tryLimits.perName)
        return try await counter.count(at: now, in: tx)
    }
}
