#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import WardText
public import WardWebAuthn

/// The FIDO Metadata Service's entry of one authenticator model.
///
/// FIDO Metadata Service 3, section 3.1.1, and FIDO Metadata Statements 3, section 4.
public struct MetadataEntry: Sendable, Decodable {
    /// The model, for authenticators of FIDO2.
    public let aaguid: AAGUID?
    /// The model, for authenticators of UAF.
    public let aaid: String?
    /// Identifiers of attestation keys, for authenticators of U2F.
    public let keyIdentifiers: [[UInt8]]
    /// The model's name.
    public let name: String?
    /// A picture as a `data:` URL.
    public let icon: String?
    /// The trust anchors for its certificates.
    public let anchors: TrustAnchors
    /// The model's attestation types, such as `basic_full`.
    public let attestationTypes: [String]
    /// The protection of its keys, such as `hardware`.
    public let keyProtection: [String]
    /// The status reports, as listed.
    public let statusReports: [MetadataStatusReport]
    /// The day of the latest report, `YYYY-MM-DD`.
    public let timeOfLastStatusChange: String?

    private enum Names: String, CodingKey {
        case aaguid, aaid, attestationCertificateKeyIdentifiers, metadataStatement, statusReports,
            timeOfLastStatusChange
    }
    private enum StatementNames: String, CodingKey {
        case description, icon, attestationRootCertificates, attestationTypes, keyProtection
    }

    /// Reads an entry of a verified BLOB.
    ///
    /// A root certificate that cannot be read is left out, because nothing can be verified with it.
    ///
    /// - Parameter decoder: A JSON decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Names.self)
        aaguid = try values.decodeIfPresent(String.self, forKey: .aaguid).flatMap { AAGUID($0) }
        aaid = try values.decodeIfPresent(String.self, forKey: .aaid)
        let identifiers = try values.decodeIfPresent([String].self, forKey: .attestationCertificateKeyIdentifiers) ?? []
        keyIdentifiers = identifiers.compactMap { $0.utf8.count == 40 ? Hex.decode($0) : nil }
        statusReports = try values.decodeIfPresent([MetadataStatusReport].self, forKey: .statusReports) ?? []
        timeOfLastStatusChange = try values.decodeIfPresent(String.self, forKey: .timeOfLastStatusChange)
        guard values.contains(.metadataStatement) else {
            (name, icon, anchors, attestationTypes, keyProtection) = (nil, nil, .none, [], [])
            return
        }
        let statement = try values.nestedContainer(keyedBy: StatementNames.self, forKey: .metadataStatement)
        name = try statement.decodeIfPresent(String.self, forKey: .description)
        icon = try statement.decodeIfPresent(String.self, forKey: .icon)
        attestationTypes = try statement.decodeIfPresent([String].self, forKey: .attestationTypes) ?? []
        keyProtection = try statement.decodeIfPresent([String].self, forKey: .keyProtection) ?? []
        let roots = try statement.decodeIfPresent([String].self, forKey: .attestationRootCertificates) ?? []
        let certificates = roots.compactMap { text -> AttestationCertificate? in
            // Published statements contain line breaks, and their base64 has no padding.
            Base64.decode(lenient: text).flatMap { try? AttestationCertificate($0) }
        }
        anchors = TrustAnchors(certificates)
    }

    /// The status of the model at a time, from its reports in the order in which they took effect.
    ///
    /// A certification is valid until the next certification, `NOT_FIDO_CERTIFIED` or `REVOKED`. A new certification cancels a
    /// revocation. A known problem stays, even after an update, because the firmware of a person's authenticator is unknown
    /// here.
    ///
    /// - Parameter now: Seconds since 1970; later reports do not count yet.
    /// - Returns: The certification and the known problems.
    public func status(at now: Int64) -> AuthenticatorStatus {
        let today = MetadataDate.day(now)
        // For reports of the same day, the order of the list counts. A report without a date counts as always in
        // effect.
        let reports = statusReports.enumerated()
            .filter { ($0.element.effectiveDate ?? "") <= today }
            .sorted { ($0.element.effectiveDate ?? "", $0.offset) < ($1.element.effectiveDate ?? "", $1.offset) }
        var status = AuthenticatorStatus()
        for report in reports.map(\.element) {
            if let level = report.certification {
                status.certification = level
                if level > .notCertified { status.concerns.remove(.revoked) }
            } else {
                let concern = AuthenticatorConcern(rawValue: report.status)
                if concern == .revoked { status.certification = .notCertified }
                if report.isConcern { status.concerns.insert(concern) }
            }
        }
        return status
    }
}

/// One status report of an authenticator model.
///
/// FIDO Metadata Service 3, section 3.1.3.
public struct MetadataStatusReport: Hashable, Sendable, Decodable {
    /// The status, such as `FIDO_CERTIFIED_L1` or `REVOKED`.
    public let status: String
    /// The date of effect, `YYYY-MM-DD`.
    public let effectiveDate: String?
    /// The firmware version that the report is about.
    public let authenticatorVersion: Int?
    /// A URL with details.
    public let url: String?

    /// The certification level of the report, if it is a certification.
    public var certification: CertificationLevel? {
        switch status {
        case "NOT_FIDO_CERTIFIED", "SELF_ASSERTION_SUBMITTED": .notCertified
        case "FIDO_CERTIFIED": .certified
        case "FIDO_CERTIFIED_L1": .level1
        case "FIDO_CERTIFIED_L1plus": .level1Plus
        case "FIDO_CERTIFIED_L2": .level2
        case "FIDO_CERTIFIED_L2plus": .level2Plus
        case "FIDO_CERTIFIED_L3": .level3
        case "FIDO_CERTIFIED_L3plus": .level3Plus
        default: nil
        }
    }

    /// Whether the report is a known problem.
    ///
    /// Unknown values of later versions count as problems, for safety.
    var isConcern: Bool { certification == nil && status != "RETIRED" }
}
