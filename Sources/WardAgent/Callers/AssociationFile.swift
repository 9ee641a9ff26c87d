internal import WardAgentClient
package import WardDomains
package import WardDownload
internal import WardText

/// Downloads the file in which a domain lists its apps.
///
/// [Supporting associated domains](https://developer.apple.com/documentation/xcode/supporting-associated-domains): at
/// `https://DOMAIN/.well-known/apple-app-site-association`, without redirects, at most 128 KiB.
package struct AssociationFetch: Sendable {
    /// The maximum size of the file: 128 KiB.
    package static let maximumSize = 131_072

    /// The file's bytes.
    package var document: @Sendable (RelyingPartyID) async throws -> [UInt8]

    /// Creates a fetch from its parts.
    package init(document: @escaping @Sendable (RelyingPartyID) async throws -> [UInt8]) {
        self.document = document
    }

    /// Downloads over HTTPS, within ten seconds.
    package static let http = AssociationFetch(
        BoundedDownload(maximumSize: maximumSize, timeout: .seconds(10)),
        at: address
    )

    /// Reads the file from another source, for tests.
    package init(_ download: BoundedDownload, at address: @escaping @Sendable (RelyingPartyID) -> String) {
        self.init { domain in try await download.document(at: address(domain)) }
    }

    /// The address of the file.
    package static func address(_ domain: RelyingPartyID) -> String {
        "https://\(domain)/.well-known/apple-app-site-association"
    }
}

/// The part of the file about sign-in: `{"webcredentials": {"apps": ["A1B2C3D4E5.com.example.shiny"]}}`.
enum AssociationFile {
    /// The identifiers of the apps that may use the domain's passkeys and passwords.
    ///
    /// Members for other purposes are ignored. A file without `webcredentials` lists no app. If `webcredentials.apps` is not a
    /// list of strings, the file is malformed.
    ///
    /// - Throws: `AgentError` with `notAssociated`; the reason begins with the file's address.
    static func apps(in bytes: [UInt8], of domain: RelyingPartyID) throws(AgentError) -> Set<String> {
        func refusal(_ reason: String) -> AgentError {
            AgentError(.notAssociated, "\(AssociationFetch.address(domain)) \(reason)")
        }
        let file: JSONValue
        do { file = try JSONValue(bytes) } catch { throw refusal("is malformed: \(error)") }
        guard case .object = file else { throw refusal("is malformed: it is not an object") }
        guard let credentials = file["webcredentials"] else { return [] }
        guard let apps = credentials["apps"]?.arrayValue else {
            throw refusal("is malformed: webcredentials has no list of apps")
        }
        let identifiers = apps.compactMap(\.stringValue)
        guard identifiers.count == apps.count else {
            throw refusal("is malformed: webcredentials.apps must contain only strings")
        }
        return Set(identifiers)
    }

    /// The reason why a file could not be downloaded, as words for a sentence.
    static func refusal(_ error: any Error, of domain: RelyingPartyID) -> AgentError {
        let reason =
            switch error {
            case BoundedDownload.Failure.status(404), BoundedDownload.Failure.status(410): "is missing"
            case BoundedDownload.Failure.status(let status): "answers with status \(status)"
            case BoundedDownload.Failure.contentType: "is not of the type application/json"
            case BoundedDownload.Failure.redirect: "redirects, which is not followed"
            case BoundedDownload.Failure.tooLarge: "is too large: at most 128 KiB are read"
            case BoundedDownload.Failure.tooSlow: "is too slow: it has ten seconds"
            default: "cannot be reached over HTTPS with a certificate that this machine trusts"
            }
        return AgentError(.notAssociated, "\(AssociationFetch.address(domain)) \(reason)")
    }
}
