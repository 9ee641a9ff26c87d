internal import WardAttestation

extension Field {
    /// A certificate in DER: who says what of whom, since when, and what WebAuthn reads out of it.
    static func certificate(_ label: String, _ der: [UInt8]) -> Field {
        let certificate: AttestationCertificate
        do { certificate = try AttestationCertificate(der) } catch {
            return .bytes(label, der, note: "no certificate: \(error)")
        }
        var children = [
            Field("subject", printable("\(certificate.subject)")),
            Field("issuer", printable("\(certificate.issuer)"), note: certificate.isSelfIssued ? "itself" : nil),
            Field("validity", "\(Timestamp.text(certificate.notBefore)) to \(Timestamp.text(certificate.notAfter))"),
            Field("version", "\(certificate.version)"),
            Field("serialNumber", hexadecimal(certificate.serialNumber)),
            Field("publicKey", printable(certificate.keyDescription)),
            Field("signature", "\(certificate.signatureAlgorithm)"),
            Field(
                "keyIdentifier",
                hexadecimal(certificate.keyIdentifier),
                note: "how metadata names the authenticator"
            ),
            Field("fingerprint", hexadecimal(certificate.fingerprint), note: "SHA-256"),
        ]
        if let isAuthority = certificate.isAuthority {
            let limit = certificate.pathLength.map { ", path length \($0)" } ?? ""
            children.append(Field("basicConstraints", isAuthority ? "an authority\(limit)" : "no authority"))
        }
        if let usage = certificate.keyUsage { children.append(Field("keyUsage", "\(usage)")) }
        if let aaguid = certificate.aaguid { children.append(Field("aaguid", "\(aaguid)", note: "FIDO extension")) }
        let extensions = certificate.extensions.map { entry in
            Field.bytes("\(entry.identifier)", entry.value, limit: 24, note: entry.isCritical ? "critical" : nil)
        }
        if !extensions.isEmpty { children.append(Field("extensions", extensions)) }
        if !certificate.deviations.isEmpty {
            children.append(
                Field("deviations", "\(certificate.deviations)", note: "not as RFC 5280 writes it, taken all the same")
            )
        }
        return Field(label, "\(der.count) bytes", children)
    }
}
