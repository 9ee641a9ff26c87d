#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import WardText
public import WardWebAuthn

/// The FIDO Metadata Service's list of authenticators, with verified signature and certificate chain.
///
/// It is a snapshot in memory, so it can be the anchors of ``AttestationRequirements``.
///
/// FIDO Metadata Service 3, section 3.1.7 (the BLOB) and section 3.2 (its processing rules).
public struct MetadataBLOB: Sendable {
    /// The serial number; a later BLOB has a higher one.
    public let number: Int
    /// The day from which a newer BLOB can be available, `YYYY-MM-DD`.
    public let nextUpdate: String
    /// The publisher's legal notice.
    public let legalHeader: String?
    /// All entries in order.
    public let entries: [MetadataEntry]
    /// The text as received, for storage.
    public let text: [UInt8]
    private let byAAGUID: [AAGUID: Int]
    private let byKeyIdentifier: [[UInt8]: Int]
    private let now: Int64

    /// The maximum size of the text, in bytes.
    public static var maximumSize: Int { 64 << 20 }

    /// Verifies a BLOB: its signature with the first certificate, and that certificate's chain to an anchor.
    ///
    /// The payload is read only after that.
    ///
    /// - Parameters:
    ///   - text: The compact serialization; white space around it is ignored.
    ///   - anchors: The trust anchors for the signer: ``TrustAnchors/fidoMetadata`` for the public service.
    ///   - now: Seconds since 1970, for the certificates' validity and the status of models.
    /// - Throws: ``MetadataError`` with the failed step.
    public init(verifying text: [UInt8], anchors: TrustAnchors, at now: Int64) throws(MetadataError) {
        guard text.count <= Self.maximumSize else { throw MetadataError(.tooLarge, "\(text.count) bytes") }
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let trimmed = Array(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        let signed: JSONWebSignature
        do { signed = try JSONWebSignature(trimmed) } catch { throw MetadataError(.malformed, "\(error)") }
        // §3.2, step 4: the signature, under the first certificate's key.
        do { _ = try signed.checkSignature() } catch { throw MetadataError(.signatureInvalid, "\(error)") }
        // §3.2, step 3: "verify that the certificate chain leads to the trust anchor".
        do { _ = try anchors.path(for: signed.certificates, at: now) } catch {
            throw MetadataError(.notTrusted, "\(error)")
        }
        let payload: Payload
        do { payload = try JSONDecoder().decode(Payload.self, from: Data(signed.payload)) } catch {
            throw MetadataError(.malformed, "the payload is malformed")
        }
        guard MetadataDate.isDate(payload.nextUpdate) else {
            throw MetadataError(.malformed, "nextUpdate is not a date")
        }
        number = payload.no
        nextUpdate = payload.nextUpdate
        legalHeader = payload.legalHeader
        entries = payload.entries
        self.text = trimmed
        self.now = now
        var byAAGUID: [AAGUID: Int] = [:]
        var byKeyIdentifier: [[UInt8]: Int] = [:]
        for (index, entry) in payload.entries.enumerated() {
            if let aaguid = entry.aaguid { byAAGUID[aaguid] = byAAGUID[aaguid] ?? index }
            for identifier in entry.keyIdentifiers {
                byKeyIdentifier[identifier] = byKeyIdentifier[identifier] ?? index
            }
        }
        self.byAAGUID = byAAGUID
        self.byKeyIdentifier = byKeyIdentifier
    }

    /// The entry of a model, by AAGUID.
    public subscript(aaguid: AAGUID) -> MetadataEntry? { byAAGUID[aaguid].map { entries[$0] } }

    /// The entry of models without AAGUID, by the identifier of an attestation key (its SHA-1, 20 bytes).
    public subscript(keyIdentifier: [UInt8]) -> MetadataEntry? { byKeyIdentifier[keyIdentifier].map { entries[$0] } }

    /// Whether a newer BLOB can be available at that time.
    public func isOutdated(at now: Int64) -> Bool { MetadataDate.day(now) >= nextUpdate }

    private struct Payload: Decodable {
        let legalHeader: String?
        let no: Int
        let nextUpdate: String
        let entries: [MetadataEntry]
    }
}

extension MetadataBLOB: AttestationAnchorSource {
    /// Anchors and status of a model, by AAGUID, or by key identifier if it has none.
    public func entry(for authenticator: AuthenticatorIdentity) -> AuthenticatorEntry? {
        let found =
            authenticator.aaguid == .zero
            ? authenticator.keyIdentifiers.lazy.compactMap { self[$0] }.first : self[authenticator.aaguid]
        guard let found else { return nil }
        return AuthenticatorEntry(anchors: found.anchors, status: found.status(at: now))
    }
}

/// Why a BLOB is refused.
public struct MetadataError: CodedError {
    /// The rule that is broken.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// The BLOB is too large.
        public static let tooLarge = Self(name: "too_large")
        /// The text is not a signed BLOB.
        public static let malformed = Self(name: "malformed")
        /// The first certificate's key did not sign the BLOB.
        public static let signatureInvalid = Self(name: "signature_invalid")
        /// The certificates lead to no trust anchor.
        public static let notTrusted = Self(name: "not_trusted")
        /// The BLOB is older than one that was already verified.
        public static let rolledBack = Self(name: "rolled_back")
        /// The BLOB could not be downloaded.
        public static let notFetched = Self(name: "not_fetched")
        /// The BLOB could not be written to disk.
        public static let notKept = Self(name: "not_kept")
    }

    /// The rule that is broken.
    public let code: Code
    /// The expected and the found value.
    public let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

enum MetadataDate {
    /// Whether a text is `YYYY-MM-DD`, the only date form of the BLOB.
    static func isDate(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: 0x2d, omittingEmptySubsequences: false)
        return parts.map(\.count) == [4, 2, 2] && parts.allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// The day of a time as `YYYY-MM-DD`.
    ///
    /// Such texts sort like dates.
    static func day(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
    }
}
