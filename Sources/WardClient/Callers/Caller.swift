public import WardCTAP
public import WardWebAuthn

/// The caller of a request.
///
/// Its values come from the platform, never from the page.
///
/// A browser's extension, or Ward's agent for an app, fills in what it knows itself.
public struct Caller: Hashable, Sendable {
    /// The caller's origin.
    public let origin: Origin
    /// The origin of the page in the address bar, if the caller is in a frame of another origin.
    public let topOrigin: Origin?
    /// Whether the person just clicked or typed there.
    ///
    /// A frame of another origin can create a credential only if this is true.
    public let hasTransientActivation: Bool
    /// For an app, the RP IDs whose owners list the app.
    ///
    /// The platform checked that. For pages the list is empty.
    public let associatedDomains: Set<String>
    /// The requesting program for prompts, if known.
    public var program: CeremonyContext.Caller?

    private init(
        origin: Origin,
        topOrigin: Origin?,
        hasTransientActivation: Bool,
        associatedDomains: Set<String>
    ) {
        self.origin = origin
        self.topOrigin = topOrigin
        self.hasTransientActivation = hasTransientActivation
        self.associatedDomains = associatedDomains
    }

    /// A page, or a frame whose pages up to the top all have the same origin.
    public static func page(_ origin: WebOrigin) -> Caller {
        Caller(origin: .web(origin), topOrigin: nil, hasTransientActivation: true, associatedDomains: [])
    }

    /// A frame below a page of another origin, if its permissions policy allows requests.
    ///
    /// - Parameters:
    ///   - origin: The frame's own origin.
    ///   - topOrigin: The origin in the address bar. It can equal `origin` if only a page in between differs.
    ///   - hasTransientActivation: Whether the person just acted in the frame.
    /// - Returns: The caller.
    public static func frame(
        _ origin: WebOrigin,
        under topOrigin: WebOrigin,
        hasTransientActivation: Bool
    ) -> Caller {
        Caller(
            origin: .web(origin),
            topOrigin: .web(topOrigin),
            hasTransientActivation: hasTransientActivation,
            associatedDomains: []
        )
    }

    /// An app that its platform identifies.
    ///
    /// - Parameters:
    ///   - origin: `android:apk-key-hash:…`, `ios:bundle-id:…`, or a web origin for an app that acts for its own site.
    ///   - associatedDomains: The RP IDs that list this app, already checked. Without one the app may request nothing.
    /// - Returns: The caller.
    public static func app(_ origin: Origin, associatedDomains: Set<String>) -> Caller {
        Caller(origin: origin, topOrigin: nil, hasTransientActivation: true, associatedDomains: associatedDomains)
    }

    /// Reads a page's origin as a browser serializes it.
    ///
    /// - Parameters:
    ///   - origin: The caller's origin; `null` for a sandboxed frame.
    ///   - topOrigin: The origin in the address bar, if the caller is a frame below another origin.
    ///   - hasTransientActivation: Whether the person just acted there.
    /// - Throws: ``ClientError`` with `NotAllowedError` for an opaque origin, `SecurityError` for one without a domain.
    public init(
        origin: String,
        topOrigin: String? = nil,
        hasTransientActivation: Bool = true
    ) throws(ClientError) {
        self.origin = try Self.read(origin)
        if let topOrigin { self.topOrigin = try Self.read(topOrigin) } else { self.topOrigin = nil }
        self.hasTransientActivation = hasTransientActivation
        associatedDomains = []
    }

    /// Whether all pages from the caller to the top have the caller's origin.
    public var isSameOriginWithAncestors: Bool { topOrigin == nil }

    private static func read(_ text: String) throws(ClientError) -> Origin {
        // L3 #sctn-createCredential, step 6: "If callerOrigin is an opaque origin, throw a NotAllowedError".
        guard text != "null" else {
            throw ClientError(.notAllowed, "the origin is opaque, as in a sandboxed frame", .notOffered)
        }
        do {
            let origin = try WebOrigin(text)
            return .web(origin)
        } catch {
            // Step 7: "If effective domain is not a valid domain, then throw a SecurityError".
            throw ClientError(.security, "the caller's origin cannot have passkeys: \(error)")
        }
    }
}
