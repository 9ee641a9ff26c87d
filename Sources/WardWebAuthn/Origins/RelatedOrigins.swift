/// The origins that a relying party lets use its RP ID although they lie outside it.
///
/// A client fetches the document from `https://<RP ID>/.well-known/webauthn` and reads origins until it has seen five
/// registrable labels; what comes later it may ignore, so a longer list is refused here when it is made.
///
/// WebAuthn Level 3, [§5.11](https://www.w3.org/TR/webauthn-3/#sctn-related-origins).
public struct RelatedOrigins: Hashable, Sendable {
    /// The origins in the order in which clients read them.
    public let origins: [WebOrigin]

    /// How many registrable labels every client supports.
    public static var maximumLabels: Int { 5 }

    /// Takes origins whose registrable domains have at most five different first labels.
    ///
    /// - Parameters:
    ///   - origins: Web origins with `https`.
    ///   - suffixes: The list that decides what a registrable domain is.
    /// - Throws: ``OriginError`` with `tooManyLabels`, or `notRegistrable` for an origin without a registrable domain.
    public init(_ origins: [WebOrigin], suffixes: PublicSuffixList = .system) throws(OriginError) {
        var labels: Set<String> = []
        for origin in origins {
            guard let label = Self.label(of: origin, suffixes: suffixes) else {
                throw OriginError(.notRegistrable, "\(origin) has no registrable domain")
            }
            labels.insert(label)
        }
        guard labels.count <= Self.maximumLabels else {
            throw OriginError(
                .tooManyLabels,
                "\(labels.count) registrable labels (\(labels.sorted().joined(separator: ", "))); clients read at most 5"
            )
        }
        self.origins = origins
    }

    /// The document's text.
    public var json: [UInt8] {
        JSONValue.object([.init("origins", .array(origins.map { .string($0.description) }))]).serialized
    }

    /// Whether a client that fetched `document` may let `origin` use the RP ID.
    ///
    /// Origins that cannot be read are passed over, and so is what lies beyond the fifth label: the standard's procedure.
    ///
    /// - Parameters:
    ///   - document: The fetched bytes, bounded by the caller.
    ///   - origin: The caller's origin.
    ///   - suffixes: The list that decides what a registrable domain is.
    /// - Returns: `false` also for what is no such document.
    public static func allows(
        document: [UInt8],
        origin: WebOrigin,
        suffixes: PublicSuffixList = .system
    ) -> Bool {
        guard let value = try? JSONValue(document), let entries = value["origins"]?.arrayValue else { return false }
        var labels: Set<String> = []
        for entry in entries {
            guard let text = entry.stringValue, let listed = try? WebOrigin(text),
                let label = label(of: listed, suffixes: suffixes)
            else { continue }
            if !labels.contains(label) {
                guard labels.count < maximumLabels else { continue }
                labels.insert(label)
            }
            if listed == origin { return true }
        }
        return false
    }

    private static func label(of origin: WebOrigin, suffixes: PublicSuffixList) -> String? {
        guard let domain = suffixes.registrableDomain(of: origin.host) else { return nil }
        return domain.description.split(separator: ".").first.map(String.init)
    }
}
