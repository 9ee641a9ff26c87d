internal import WardAttestation
internal import WardText

extension InspectedField {
    /// A certificate in DER: subject, issuer, validity, and the values that WebAuthn uses.
    static func certificate(_ label: String, _ der: [UInt8]) -> InspectedField {
        let certificate: AttestationCertificate
        do { certificate = try AttestationCertificate(der) } catch {
            return .bytes(label, der, note: "no certificate: \(error)")
        }
        var children = [
            InspectedField("subject", printable("\(certificate.subject)")),
            InspectedField(
                "issuer",
                printable("\(certificate.issuer)"),
                note: certificate.isSelfIssued ? "itself" : nil
            ),
            InspectedField(
                "validity",
                "\(Timestamp.text(certificate.notBefore)) to \(Timestamp.text(certificate.notAfter))"
            ),
            InspectedField("version", "\(certificate.version)"),
            InspectedField("serialNumber", Hex.encode(certificate.serialNumber)),
            InspectedField("publicKey", printable(certificate.keyDescription)),
            InspectedField("signature", "\(certificate.signatureAlgorithm)"),
            InspectedField(
                "keyIdentifier",
                Hex.encode(certificate.keyIdentifier),
                note: "how metadata names the authenticator"
            ),
            InspectedField("fingerprint", Hex.encode(certificate.fingerprint), note: "SHA-256"),
        ]
        if let isAuthority = certificate.isAuthority {
            let limit = certificate.pathLength.map { ", path length \($0)" } ?? ""
            children.append(InspectedField("basicConstraints", isAuthority ? "an authority\(limit)" : "no authority"))
        }
        if let usage = certificate.keyUsage { children.append(InspectedField("keyUsage", "\(usage)")) }
        if let aaguid = certificate.aaguid {
            children.append(InspectedField("aaguid", "\(aaguid)", note: "FIDO extension"))
        }
        let extensions = certificate.extensions.map { entry in
            InspectedField.bytes(
                "\(entry.identifier)",
                entry.value,
                limit: 24,
                note: entry.isCritical ? "critical" : nil
            )
        }
        if !extensions.isEmpty { children.append(InspectedField("extensions", extensions)) }
        if !certificate.deviations.isEmpty {
            children.append(
                InspectedField(
                    "deviations",
                    "\(certificate.deviations)",
                    note: "not as RFC 5280 writes it, taken all the same"
                )
            )
        }
        return InspectedField(label, "\(der.count) bytes", children)
    }
}
