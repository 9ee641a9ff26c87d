internal import WardAttestation
internal import WardCBOR
internal import WardWebAuthn

extension Field {
    /// An attestation object with its statement and the certificates in it.
    static func attestationObject(_ bytes: [UInt8]) -> Field {
        let object: AttestationObject
        do { object = try AttestationObject(bytes) } catch {
            return Field("attestationObject", note: "\(error)", [.cbor("CBOR", bytes)])
        }
        return Field(
            "attestationObject",
            note: "\(bytes.count) bytes",
            [
                Field("fmt", printable(object.format)), statement(object.statement),
                authenticatorData(object.authenticatorData.bytes),
            ]
        )
    }

    private static func statement(_ bytes: [UInt8]) -> Field {
        guard case .map(let pairs)? = try? CBORValue.decode(bytes, rules: .webAuthn) else {
            return cbor("attStmt", bytes)
        }
        let children = pairs.map { pair -> Field in
            guard pair.key == .text("x5c"), case .array(let elements) = pair.value else {
                guard case .text(let name) = pair.key else { return cbor("\(pair.key)", pair.value) }
                return cbor(printable(name), pair.value)
            }
            let certificates = elements.enumerated().map { index, element -> Field in
                guard case .bytes(let der) = element else { return cbor("[\(index)]", element) }
                return certificate("[\(index)]", der)
            }
            return Field("x5c", "array of \(elements.count)", certificates)
        }
        return Field("attStmt", pairs.isEmpty ? "empty" : "", children)
    }
}
