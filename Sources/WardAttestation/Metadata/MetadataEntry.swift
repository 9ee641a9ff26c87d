#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import WardWebAuthn

/// What the FIDO Metadata Service says of one model of authenticator.
///
/// FIDO Metadata Service 3, section 3.1.1, and FIDO Metadata Statements 3, section 4.
public struct MetadataEntry: Sendable, Decodable {
    /// The model, for authenticators of FIDO2.
    public let aaguid: AAGUID?
    /// The model, for authenticators of UAF.
    public let aaid: String?
    /// Identifiers of attestation keys, for authenticators of U2F.
    public let keyIdentifiers: [[UInt8]]
    /// What it is called.
    public let name: String?
    /// A picture as a `data:` URL.
    public let icon: String?
    /// Whom its certificates lead to.
    public let anchors: TrustAnchors
    /// How it attests, such as `basic_full`.
    public let attestationTypes: [String]
    /// How its keys are guarded, such as `hardware`.
    public let keyProtection: [String]
    /// What happened to it, as listed.
    public let statusReports: [MetadataStatusReport]
    /// The day of the last of them, `YYYY-MM-DD`.
    public let timeOfLastStatusChange: String?

    private enum Names: String, CodingKey {
        case aaguid, aaid, attestationCertificateKeyIdentifiers, metadataStatement, statusReports,
            timeOfLastStatusChange
    }
    private enum StatementNames: String, CodingKey {
        case description, icon, attestationRootCertificates, attestationTypes, keyProtection
    }

    /// Reads an entry of a verified BLOB; a root that does not read is left out, as it can vouch for nobody.
    ///
    /// - Parameter decoder: A JSON decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Names.self)
        aaguid = try values.decodeIfPresent(String.self, forKey: .aaguid).flatMap { AAGUID($0) }
        aaid = try values.decodeIfPresent(String.self, forKey: .aaid)
        let identifiers = try values.decodeIfPresent([String].self, forKey: .attestationCertificateKeyIdentifiers) ?? []
        keyIdentifiers = identifiers.compactMap(Self.hexadecimal)
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
            // Published statements have line breaks and missing padding in them.
            let bare = text.filter { !$0.isWhitespace && $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
            return Base64URL.decode(String(bare)).flatMap { try? AttestationCertificate($0) }
        }
        anchors = TrustAnchors(certificates)
    }

    /// What to think of the model at a time: its reports judged in the order in which they took effect.
    ///
    /// A certification holds until the next one, `NOT_FIDO_CERTIFIED` or `REVOKED`; a new certification lifts a revocation. What
    /// is known against a model stays known, also after an update: which firmware somebody holds is not known here.
    ///
    /// - Parameter now: Seconds since 1970; reports of later days do not count yet.
    /// - Returns: Its certification, and what is known against it.
    public func status(at now: Int64) -> AuthenticatorStatus {
        let today = MetadataDate.day(now)
        // The list's own order decides between reports of one day; a report without a day was always in effect.
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

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 40, text.allSatisfy(\.isHexDigit) else { return nil }
        var bytes: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(index, offsetBy: 2)
            guard let byte = UInt8(text[index..<next], radix: 16) else { return nil }
            bytes.append(byte)
            index = next
        }
        return bytes
    }
}

/// Something that happened to a model of authenticator.
///
/// FIDO Metadata Service 3, section 3.1.3.
public struct MetadataStatusReport: Hashable, Sendable, Decodable {
    /// What, such as `FIDO_CERTIFIED_L1` or `REVOKED`.
    public let status: String
    /// Since when, `YYYY-MM-DD`.
    public let effectiveDate: String?
    /// The version of the authenticator it is about.
    public let authenticatorVersion: Int?
    /// Where more is said.
    public let url: String?

    /// The level of certification it brings, if it is about that.
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

    /// Whether it is known against the model; words of later versions of the service are, to be on the safe side.
    var isConcern: Bool { certification == nil && status != "RETIRED" }
}
