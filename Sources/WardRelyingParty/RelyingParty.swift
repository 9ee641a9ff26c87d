public import WardWebAuthn

/// A service that knows people by their passkeys: who it is, where its pages live, and what it decides once.
///
/// Two calls make an account and two sign in; no step of the standard is left to the caller:
///
/// ```swift
/// let relyingParty = try RelyingParty(id: "example.com", name: "Example", origins: ["https://example.com"])
/// let start = try await relyingParty.beginRegistration(for: user, in: store)
/// let passkey = try await relyingParty.finishRegistration(start.ceremony, answer, in: store)
/// ```
///
/// The value holds no state: copy it freely, share it between tasks.
///
/// WebAuthn Level 3, [§7](https://www.w3.org/TR/webauthn-3/#sctn-rp-operations).
public struct RelyingParty: Sendable {
    /// The RP ID.
    public let id: RelyingPartyID
    /// The name that clients show.
    public let name: String
    /// Every origin that may use it.
    public let origins: [Origin]
    /// What it decides once.
    public let policy: RelyingPartyPolicy
    let effects: Effects
    let registrationTemplates: [(origin: Origin, template: ClientDataTemplate)]
    let authenticationTemplates: [(origin: Origin, template: ClientDataTemplate)]

    /// Checks that everything fits together.
    ///
    /// - Parameters:
    ///   - id: The RP ID: a domain that is no public suffix, or `localhost`.
    ///   - name: The name that clients show, 1 to 64 characters.
    ///   - origins: The service's own pages, and apps (`android:apk-key-hash:…`, `ios:bundle-id:…`). Every page's host is
    ///     the RP ID or lies below it.
    ///   - relatedOrigins: Pages outside the RP ID that may use it, at most five registrable labels; they also have to be
    ///     served at `/.well-known/webauthn`.
    ///   - policy: What it decides once.
    ///   - effects: Clock and randomness.
    /// - Throws: ``RelyingPartyConfigurationError`` saying what contradicts what.
    public init(
        id: String,
        name: String,
        origins: [String],
        relatedOrigins: [String] = [],
        policy: RelyingPartyPolicy = .init(),
        effects: Effects = .live
    ) throws(RelyingPartyConfigurationError) {
        do {
            self.id = try RelyingPartyID(id)
        } catch {
            throw RelyingPartyConfigurationError("the RP ID \(id) does not work: \(error)")
        }
        guard (1...64).contains(name.count) else {
            throw RelyingPartyConfigurationError("the name that browsers show has 1 to 64 characters")
        }
        guard !origins.isEmpty else { throw RelyingPartyConfigurationError("at least one origin is needed") }
        guard policy.ceremonyLifetime > 0, policy.ceremonyLifetime <= 86_400 else {
            throw RelyingPartyConfigurationError(
                "a ceremony lasts 1 second to 1 day; 300 to 600 seconds are recommended"
            )
        }
        guard !policy.algorithms.isEmpty else {
            throw RelyingPartyConfigurationError("at least one signature algorithm is needed")
        }
        var read: [Origin] = []
        for text in origins {
            let origin = try Self.origin(text)
            if let web = origin.web, !self.id.covers(web) {
                throw RelyingPartyConfigurationError(
                    "the origin \(text) does not belong to the RP ID \(id): its host must be \(id) or end in .\(id)"
                )
            }
            if !read.contains(origin) { read.append(origin) }
        }
        var related: [WebOrigin] = []
        for text in relatedOrigins {
            guard let web = try Self.origin(text).web else {
                throw RelyingPartyConfigurationError("the related origin \(text) is no page: list apps as origins")
            }
            related.append(web)
            if !read.contains(.web(web)) { read.append(.web(web)) }
        }
        do {
            self.relatedOrigins = try RelatedOrigins(related)
        } catch {
            throw RelyingPartyConfigurationError("the related origins do not work: \(error)")
        }
        self.name = name
        self.origins = read
        self.policy = policy
        self.effects = effects
        registrationTemplates = Self.templates("webauthn.create", read)
        authenticationTemplates = Self.templates("webauthn.get", read)
    }

    /// The origins outside the RP ID that may use it: what `/.well-known/webauthn` serves.
    public let relatedOrigins: RelatedOrigins

    private static func origin(_ text: String) throws(RelyingPartyConfigurationError) -> Origin {
        do {
            return try Origin(text)
        } catch {
            throw RelyingPartyConfigurationError("the origin \(text) does not work: \(error)")
        }
    }

    private static func templates(_ type: String, _ origins: [Origin]) -> [(Origin, ClientDataTemplate)] {
        origins.map { ($0, ClientDataTemplate(type: type, origin: $0.description)) }
    }
}

/// Why the parts of a relying party do not fit together: one sentence for whoever configures it.
public struct RelyingPartyConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
