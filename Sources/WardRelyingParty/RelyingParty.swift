public import WardDomains
public import WardWebAuthn

/// A service that people sign in to with passkeys: its identity, its origins and its policy.
///
/// Two calls create an account and two sign in, with every step of the standard:
///
/// ```swift
/// let relyingParty = try RelyingParty(id: "example.com", name: "Example", origins: ["https://example.com"])
/// let start = try await relyingParty.beginRegistration(for: user, in: store)
/// let passkey = try await relyingParty.finishRegistration(start.ceremony, answer, in: store)
/// ```
///
/// The value has no mutable state; copy it and share it between tasks.
///
/// WebAuthn Level 3, [§7](https://www.w3.org/TR/webauthn-3/#sctn-rp-operations).
public struct RelyingParty: Sendable {
    /// The RP ID.
    public let id: RelyingPartyID
    /// The name of the relying party, as clients show it.
    public let name: String
    /// Every origin that may use the RP ID.
    public let origins: [Origin]
    /// The service's fixed decisions.
    public let policy: RelyingPartyPolicy
    let effects: Effects
    let registrationTemplates: [(origin: Origin, template: ClientDataTemplate)]
    let authenticationTemplates: [(origin: Origin, template: ClientDataTemplate)]

    /// Creates a relying party and checks that its values do not contradict each other.
    ///
    /// - Parameters:
    ///   - id: The RP ID: a domain, or `localhost`. If it is a public suffix or a name without a dot, the host of each
    ///     page must be exactly it.
    ///   - name: The name that clients show, 1 to 64 characters.
    ///   - origins: The service's own pages, and apps (`android:apk-key-hash:…`, `ios:bundle-id:…`). Each page's host
    ///     must be
    ///     the RP ID or below it.
    ///   - relatedOrigins: Pages outside the RP ID that may use it, at most five registrable labels. You must also
    ///     serve
    ///     them at `/.well-known/webauthn`.
    ///   - suffixes: The public suffix list. It is needed for pages below the RP ID, and for related origins.
    ///   - policy: The service's fixed decisions.
    ///   - effects: Clock and randomness.
    /// - Throws: ``RelyingPartyConfigurationError`` for parts that contradict each other.
    public init(
        id: String,
        name: String,
        origins: [String],
        relatedOrigins: [String] = [],
        suffixes: PublicSuffixList = .system,
        policy: RelyingPartyPolicy = .init(),
        effects: Effects = .live
    ) throws(RelyingPartyConfigurationError) {
        do {
            self.id = try RelyingPartyID(host: id, suffixes: suffixes)
        } catch {
            throw RelyingPartyConfigurationError("the RP ID \(id) is not valid: \(error)")
        }
        guard (1...64).contains(name.count) else {
            throw RelyingPartyConfigurationError("the name must have 1 to 64 characters")
        }
        guard !origins.isEmpty else { throw RelyingPartyConfigurationError("at least one origin is required") }
        guard policy.ceremonyLifetime > 0, policy.ceremonyLifetime <= 86_400 else {
            throw RelyingPartyConfigurationError(
                "the ceremony lifetime must be 1 second to 1 day; 300 to 600 seconds are recommended"
            )
        }
        guard !policy.algorithms.isEmpty else {
            throw RelyingPartyConfigurationError("at least one signature algorithm is required")
        }
        var read: [Origin] = []
        for text in origins {
            let origin = try Self.origin(text)
            if let web = origin.web, !self.id.covers(web) {
                throw RelyingPartyConfigurationError(
                    "the origin \(text) does not belong to the RP ID \(id): its host must be \(id)"
                        + (suffixes.refusal(of: self.id.domain).map { ", because \($0.detail)" } ?? " or end in .\(id)")
                )
            }
            if !read.contains(origin) { read.append(origin) }
        }
        var related: [WebOrigin] = []
        for text in relatedOrigins {
            guard let web = try Self.origin(text).web else {
                throw RelyingPartyConfigurationError(
                    "the related origin \(text) is not a web origin: list apps in origins"
                )
            }
            related.append(web)
            if !read.contains(.web(web)) { read.append(.web(web)) }
        }
        do {
            self.relatedOrigins = try RelatedOrigins(related, suffixes: suffixes)
        } catch {
            throw RelyingPartyConfigurationError("the related origins are not valid: \(error)")
        }
        self.name = name
        self.origins = read
        self.policy = policy
        self.effects = effects
        registrationTemplates = Self.templates("webauthn.create", read)
        authenticationTemplates = Self.templates("webauthn.get", read)
    }

    /// The origins outside the RP ID that may use it, as `/.well-known/webauthn` serves them.
    public let relatedOrigins: RelatedOrigins

    private static func origin(_ text: String) throws(RelyingPartyConfigurationError) -> Origin {
        do {
            return try Origin(text)
        } catch {
            throw RelyingPartyConfigurationError("the origin \(text) is not valid: \(error)")
        }
    }

    private static func templates(_ type: String, _ origins: [Origin]) -> [(Origin, ClientDataTemplate)] {
        origins.map { ($0, ClientDataTemplate(type: type, origin: $0.description)) }
    }
}

/// The contradiction in the values of a relying party, in one sentence.
public struct RelyingPartyConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
