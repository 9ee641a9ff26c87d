public import WardText

/// The caller of a ceremony: a web origin, or an app that its platform identifies.
///
/// Origins are compared as values, never as text: scheme, host and port all count, a similar prefix or suffix never
/// matches, and an app's origin is never parsed as a URL.
///
/// HTML, [origin](https://html.spec.whatwg.org/multipage/browsers.html#concept-origin); WebAuthn Level 3,
/// [§5.8.1](https://www.w3.org/TR/webauthn-3/#dom-collectedclientdata-origin). The two native forms are those that
/// Android and iOS write into client data.
public enum Origin: Hashable, Sendable, CustomStringConvertible {
    /// The origin of a web page: scheme, host and port.
    case web(WebOrigin)
    /// An Android app, with the SHA-256 digest of its signing certificate (32 bytes).
    case android(apkKeyHash: [UInt8])
    /// An iOS app, with its bundle identifier.
    case ios(bundleID: String)

    /// Reads the serialized form: `https://example.com`, `android:apk-key-hash:…`, `ios:bundle-id:…`.
    ///
    /// - Parameter text: Exactly as a client writes it: lower case, no default port, no path, no trailing slash.
    /// - Throws: ``OriginError`` that says what is wrong.
    public init(_ text: String) throws(OriginError) {
        if let hash = text.removing(prefix: Self.androidPrefix) {
            guard let bytes = Base64URL.decode(hash), bytes.count == 32 else {
                throw OriginError(
                    .malformedAppOrigin,
                    "android:apk-key-hash: needs 32 bytes in base64url without padding"
                )
            }
            self = .android(apkKeyHash: bytes)
        } else if let bundle = text.removing(prefix: Self.iosPrefix) {
            let allowed = bundle.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == 0x2d || $0 == 0x2e }
            guard allowed, (1...155).contains(bundle.utf8.count) else {
                throw OriginError(
                    .malformedAppOrigin,
                    "ios:bundle-id: allows only letters, digits, hyphens and periods"
                )
            }
            self = .ios(bundleID: bundle)
        } else {
            self = .web(try WebOrigin(text))
        }
    }

    /// The serialized form, as in client data.
    public var description: String {
        switch self {
        case .web(let origin): origin.description
        case .android(let hash): Self.androidPrefix + Base64URL.encode(hash)
        case .ios(let bundle): Self.iosPrefix + bundle
        }
    }

    /// The web origin, if this is one.
    public var web: WebOrigin? { if case .web(let origin) = self { origin } else { nil } }

    private static let androidPrefix = "android:apk-key-hash:"
    private static let iosPrefix = "ios:bundle-id:"
}

/// A web origin: scheme, host and port.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The schemes of secure contexts.
    public enum Scheme: String, Hashable, Sendable {
        /// Encrypted with TLS.
        case https
        /// Unencrypted: only for `localhost`, which browsers treat as secure.
        case http

        var defaultPort: UInt16 { self == .https ? 443 : 80 }
    }

    /// `https`, or `http` for `localhost`.
    public let scheme: Scheme
    /// The host, lower case, in its ASCII form.
    public let host: DomainName
    /// The port, also if it is the scheme's default.
    public let port: UInt16

    /// Reads `scheme://host`, with `:port` unless it is the default.
    ///
    /// - Parameter text: The origin as a browser serializes it.
    /// - Throws: ``OriginError`` that says what is wrong.
    public init(_ text: String) throws(OriginError) {
        let scheme: Scheme
        let rest: Substring
        if let found = text.removing(prefix: "https://") {
            (scheme, rest) = (.https, Substring(found))
        } else if let found = text.removing(prefix: "http://") {
            (scheme, rest) = (.http, Substring(found))
        } else {
            throw OriginError(.unsupportedScheme, "an origin must begin with https:// (or http:// for localhost)")
        }
        if rest.contains(where: { "/?#@\\".contains($0) }) {
            throw OriginError(.notAnOrigin, "an origin must end after host and port: no slash, path, query or user")
        }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2 else {
            throw OriginError(.malformedHost, "the host is not a domain name")
        }
        self.scheme = scheme
        self.host = try DomainName(String(host))
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(parts[1]), port > 0,
                String(port) == parts[1]
            else { throw OriginError(.malformedPort, "a port must be a number from 1 to 65535") }
            guard port != scheme.defaultPort else {
                throw OriginError(.malformedPort, "leave out the default port \(port), as browsers do")
            }
            self.port = port
        } else {
            port = scheme.defaultPort
        }
        guard scheme == .https || self.host.isLocalhost else {
            throw OriginError(
                .insecure,
                "http:// is allowed only for localhost: use https://"
            )
        }
    }

    /// The serialized form.
    public var description: String {
        "\(scheme.rawValue)://\(host)" + (port == scheme.defaultPort ? "" : ":\(port)")
    }
}

/// Why a text is not a valid origin or RP ID.
public struct OriginError: CodedError {
    /// The rule that is broken.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// Neither `https` nor, for localhost, `http`.
        public static let unsupportedScheme = Self(name: "unsupported_scheme")
        /// The text has more than scheme, host and port.
        public static let notAnOrigin = Self(name: "not_an_origin")
        /// The host is not a domain name in lower-case ASCII.
        public static let malformedHost = Self(name: "malformed_host")
        /// The port is not a number, is zero, or is the default.
        public static let malformedPort = Self(name: "malformed_port")
        /// `http` with a host other than localhost.
        public static let insecure = Self(name: "insecure")
        /// A native app's origin in the wrong form.
        public static let malformedAppOrigin = Self(name: "malformed_app_origin")
        /// An IP address, which WebAuthn does not allow.
        public static let addressNotAllowed = Self(name: "address_not_allowed")
        /// A domain under which anybody can register names.
        public static let publicSuffix = Self(name: "public_suffix")
        /// It is not known whether anybody can register names under the domain, because there is no list of public suffixes.
        public static let noPublicSuffixList = Self(name: "no_public_suffix_list")
        /// The host does not belong to the RP ID.
        public static let notRegistrable = Self(name: "not_registrable")
        /// Related origins with more registrable labels than clients must support.
        public static let tooManyLabels = Self(name: "too_many_labels")
    }

    /// The rule that is broken.
    public let code: Code
    /// The form that was expected.
    public let detail: String
    /// One line for a person who configures a service.
    public var description: String { detail }

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension String {
    fileprivate func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
