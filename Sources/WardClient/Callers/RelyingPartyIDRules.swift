internal import WardDomains
internal import WardWebAuthn

/// The rules for the RP IDs that a caller may use: its own host, a registrable suffix of its host, or an RP ID whose owner
/// lists the caller's origin.
///
/// WebAuthn Level 3, [§5.1.3, step 8](https://www.w3.org/TR/webauthn-3/#CreateCred-DetermineRpId).
struct RelyingPartyIDRules: Sendable {
    let suffixes: PublicSuffixList
    let related: RelatedOriginsFetch?

    /// The RP ID of a request.
    ///
    /// - Parameters:
    ///   - requested: The RP ID in the options, unchanged.
    ///   - caller: The caller.
    /// - Returns: A domain name in lower-case ASCII.
    /// - Throws: ``ClientError`` with `SecurityError`, or `AbortError` if the task was cancelled meanwhile.
    func resolve(_ requested: String?, for caller: Caller) async throws(ClientError) -> String {
        guard let origin = caller.origin.web else { return try app(requested, caller) }
        // If the options have no RP ID, it is the caller's effective domain.
        guard let requested else { return origin.host.description }
        let domain: DomainName
        do {
            domain = try DomainName(requested)
        } catch {
            throw ClientError(.security, "the RP ID is not a domain name: \(error)")
        }
        // HTML, "is a registrable domain suffix of or is equal to": if host and RP ID are equal, the RP ID is allowed even if
        // it is a public suffix, because the host belongs to one owner. So a service with a one-label name in an intranet
        // works.
        if domain == origin.host { return domain.description }
        if let refusal = suffixes.refusal(of: domain) {
            throw ClientError(.security, "\(domain) cannot be an RP ID: \(refusal.detail)")
        }
        if origin.host.isEqualToOrBelow(domain), isWithinSite(domain, of: origin.host) { return domain.description }
        return try await relatedOrigin(domain, origin)
    }

    /// The other half of HTML's rule: there must be no public suffix between the RP ID and the host.
    ///
    /// Otherwise the host and the RP ID have different owners (for example, a cloud provider's own site and a customer below
    /// it).
    private func isWithinSite(_ domain: DomainName, of host: DomainName) -> Bool {
        if domain.isLocalhost { return true }
        guard let site = suffixes.registrableDomain(of: host) else { return false }
        return domain.isEqualToOrBelow(site)
    }

    /// Validates the caller's origin with the related origins: L3 #sctn-validating-relation-origin.
    private func relatedOrigin(_ domain: DomainName, _ origin: WebOrigin) async throws(ClientError) -> String {
        let refusal = ClientError(
            .security,
            "\(origin.host) is neither \(domain) nor below it, and https://\(domain)/.well-known/webauthn does not list it"
        )
        // The list needs a certificate for the RP ID; localhost and a bare public suffix have none.
        guard let related, !domain.isLocalhost, let rpID = try? RelyingPartyID(domain.description, suffixes: suffixes)
        else { throw refusal }
        let document: [UInt8]
        do {
            document = try await related.document(rpID)
        } catch {
            if Task.isCancelled { throw .aborted }
            throw refusal
        }
        guard document.count <= RelatedOriginsFetch.maximumSize,
            RelatedOrigins.allows(document: document, origin: origin, suffixes: suffixes)
        else { throw refusal }
        return domain.description
    }

    /// The RP ID of an app.
    ///
    /// An app has no domain of its own: its options name the RP ID, and the platform checked that the RP ID's owner
    /// lists the app.
    private func app(_ requested: String?, _ caller: Caller) throws(ClientError) -> String {
        guard let requested else { throw ClientError(.security, "an app has no domain, so its options need an RP ID") }
        do {
            _ = try RelyingPartyID(requested, suffixes: suffixes)
        } catch {
            throw ClientError(.security, "the RP ID is not valid: \(error)")
        }
        guard caller.associatedDomains.contains(requested) else {
            throw ClientError(.security, "\(requested) does not list this app")
        }
        return requested
    }
}

extension ClientConfiguration {
    /// The RP ID of a request, as a ceremony with this configuration finds it.
    ///
    /// - Throws: ``ClientError`` with `SecurityError`, or `AbortError` if the task was cancelled meanwhile.
    package func rpID(_ requested: String?, for caller: Caller) async throws(ClientError) -> String {
        try await RelyingPartyIDRules(suffixes: suffixes, related: relatedOrigins).resolve(requested, for: caller)
    }
}
