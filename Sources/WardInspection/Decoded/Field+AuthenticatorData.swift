internal import WardCOSE
internal import WardWebAuthn

extension Field {
    /// Authenticator data, field by field.
    static func authenticatorData(_ bytes: [UInt8]) -> Field {
        let data: AuthenticatorData
        do { data = try AuthenticatorData(bytes) } catch {
            return .bytes("authenticatorData", bytes, note: "\(error)")
        }
        var children = [
            Field.bytes("rpIdHash", data.rpIDHash, note: "SHA-256 of the RP ID"),
            flags(data.flags),
            Field("signCount", "\(data.signCount)", note: data.signCount == 0 ? "does not count" : nil),
        ]
        if let credential = data.attestedCredential {
            children.append(
                Field(
                    "attestedCredentialData",
                    [
                        Field(
                            "aaguid",
                            "\(credential.aaguid)",
                            note: credential.aaguid == .zero ? "does not say" : nil
                        ),
                        Field(
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
        return Field("authenticatorData", note: "\(bytes.count) bytes", children)
    }

    private static func flags(_ flags: AuthenticatorData.Flags) -> Field {
        let names: [(AuthenticatorData.Flags, String, String)] = [
            (.userPresent, "UP", "user present"), (.userVerified, "UV", "user verified"),
            (.backupEligible, "BE", "backup eligible"), (.backupState, "BS", "backed up"),
            (.attestedCredentialData, "AT", "attested credential data follows"),
            (.extensionData, "ED", "extension data follows"),
        ]
        return Field(
            "flags",
            "0x" + hexadecimal([flags.rawValue]),
            names.map { flag, name, meaning in Field(name, flags.contains(flag) ? "1" : "0", note: meaning) }
        )
    }

    /// A COSE key with its algorithm's name.
    static func publicKey(_ label: String, _ key: COSEKey) -> Field {
        var note: String?
        do { _ = try key.verificationKey() } catch { note = "not sound: \(error)" }
        return Field(
            label,
            "\(key.algorithm.name) (\(key.algorithm.rawValue))",
            note: note,
            [
                .cbor("COSE", key.encoded)
            ]
        )
    }
}
