internal import WardText
public import WardWebAuthn

/// The origins outside the RP ID that may use it.
///
/// A client fetches the document from `https://<RP ID>/.well-known/webauthn` and reads origins up to five registrable
/// labels. It may ignore later ones, so a longer list is refused here.
///
/// WebAuthn Level 3, [§5.11](https://www.w3.org/TR/webauthn-3/#sctn-related-origins).
public struct RelatedOrigins: Hashable, Sendable {
    /// The origins in the order that clients read them.
    public let origins: [WebOrigin]

    /// The number of registrable labels that every client supports.
    public static var maximumLabels: Int { 5 }

    /// Creates a list of origins whose registrable domains have at most five different first labels.
    ///
    /// - Parameters:
    ///   - origins: Web origins with `https`.
    ///   - suffixes: The public suffix list.
    /// - Throws: `OriginError` with `tooManyLabels`, `notRegistrable` for an origin without a registrable domain, or
    ///   `noPublicSuffixList`.
    public init(_ origins: [WebOrigin], suffixes: PublicSuffixList = .system) throws(OriginError) {
        var labels: Set<String> = []
        for origin in origins {
            guard let label = Self.label(of: origin.host, suffixes: suffixes) else {
                let refusal = suffixes.refusal(of: origin.host)
                if let refusal, refusal.code == .noPublicSuffixList { throw refusal }
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
    /// Entries without a URL or domain are skipped, and so are entries after the fifth label: the standard's
    /// [procedure](https://www.w3.org/TR/webauthn-3/#sctn-validating-relation-origin). It uses the URL parser, so an
    /// entry with a path or in upper case also counts. A domain in Unicode does not count here; it must be written as
    /// `xn--…`.
    ///
    /// - Parameters:
    ///   - document: The fetched bytes; the caller limits their size.
    ///   - origin: The caller's origin.
    ///   - suffixes: The public suffix list.
    /// - Returns: Whether the document allows the origin; `false` if the document is malformed.
    public static func allows(
        document: [UInt8],
        origin: WebOrigin,
        suffixes: PublicSuffixList = .system
    ) -> Bool {
        guard let value = try? JSONValue(document), let entries = value["origins"]?.arrayValue else { return false }
        let texts = entries.compactMap(\.stringValue)
        // "If the value of the origins property is missing, or is not an array of strings, then throw".
        guard texts.count == entries.count else { return false }
        var labels: Set<String> = []
        for text in texts {
            guard let listed = ListedURL(text), let label = label(of: listed.host, suffixes: suffixes) else { continue }
            if !labels.contains(label) {
                guard labels.count < maximumLabels else { continue }
                labels.insert(label)
            }
            if listed.isSameOrigin(as: origin) { return true }
        }
        return false
    }

    private static func label(of host: DomainName, suffixes: PublicSuffixList) -> String? {
        guard let domain = suffixes.registrableDomain(of: host) else { return nil }
        return domain.description.split(separator: ".").first.map(String.init)
    }
}

/// An entry of the document as the URL parser reads it: scheme, host and port; other parts are ignored.
///
/// URL, [URL parsing](https://url.spec.whatwg.org/#url-parsing), for the schemes with a host and a tuple origin.
private struct ListedURL {
    let scheme: String
    let host: DomainName
    let port: UInt16

    private static let defaultPorts: [String: UInt16] = ["https": 443, "http": 80, "wss": 443, "ws": 80, "ftp": 21]

    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        scheme = parts[0].lowercased()
        guard let defaultPort = Self.defaultPorts[scheme] else { return nil }
        // After these schemes the parser accepts any number of slashes and backslashes.
        let rest = parts[1].unicodeScalars.drop { "/\\".unicodeScalars.contains($0) }
        let authority = rest.prefix { !"/\\?#".unicodeScalars.contains($0) }
        let hostAndPort = String(authority).split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let pieces = hostAndPort.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = pieces.first, pieces.count <= 2,
            let host = try? DomainName(name.lowercased())
        else { return nil }
        self.host = host
        if pieces.count == 2, !pieces[1].isEmpty {
            guard pieces[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(pieces[1]) else {
                return nil
            }
            self.port = port
        } else {
            port = defaultPort
        }
    }

    func isSameOrigin(as origin: WebOrigin) -> Bool {
        scheme == origin.scheme.rawValue && host == origin.host && port == origin.port
    }
}
