internal import WardCOSE
internal import WardText
internal import WardWebAuthn

extension InspectedField {
    /// Authenticator data, field by field.
    static func authenticatorData(_ bytes: [UInt8]) -> InspectedField {
        let data: AuthenticatorData
        do { data = try AuthenticatorData(bytes) } catch {
            return .bytes("authenticatorData", bytes, note: "\(error)")
        }
        var children = [
            InspectedField.bytes("rpIdHash", data.rpIDHash, note: "SHA-256 of the RP ID"),
            flags(data.flags),
            InspectedField("signCount", "\(data.signCount)", note: data.signCount == 0 ? "does not count" : nil),
        ]
        if let credential = data.attestedCredential {
            children.append(
                InspectedField(
                    "attestedCredentialData",
                    [
                        InspectedField(
                            "aaguid",
                            "\(credential.aaguid)",
                            note: credential.aaguid == .zero ? "does not say" : nil
                        ),
                        InspectedField(
                            "credentialId",
                            Base64URL.encode(credential.credentialID),
                            note: "\(credential.credentialID.count) bytes"
                        ),
                        publicKey("credentialPublicKey", credential.publicKey),
                    ]
                )
            )
        }
        if let extensions = data.extensions { children.append(.cbor("extensions", extensions)) }
        return InspectedField("authenticatorData", note: "\(bytes.count) bytes", children)
    }

    private static func flags(_ flags: AuthenticatorData.Flags) -> InspectedField {
        let names: [(AuthenticatorData.Flags, String, String)] = [
            (.userPresent, "UP", "user present"), (.userVerified, "UV", "user verified"),
            (.backupEligible, "BE", "backup eligible"), (.backupState, "BS", "backed up"),
            (.attestedCredentialData, "AT", "attested credential data follows"),
            (.extensionData, "ED", "extension data follows"),
        ]
        return InspectedField(
            "flags",
            "0x" + Hex.encode([flags.rawValue]),
            names.map { flag, name, meaning in InspectedField(name, flags.contains(flag) ? "1" : "0", note: meaning) }
        )
    }

    /// A COSE key with its algorithm's name.
    static func publicKey(_ label: String, _ key: COSEKey) -> InspectedField {
        var note: String?
        do { _ = try key.verificationKey() } catch { note = "not sound: \(error)" }
        return InspectedField(
            label,
            "\(key.algorithm.name) (\(key.algorithm.rawValue))",
            note: note,
            [
                .cbor("COSE", key.encoded)
            ]
        )
    }
}
