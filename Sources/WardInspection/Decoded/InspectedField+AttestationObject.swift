internal import WardCBOR
internal import WardWebAuthn

extension InspectedField {
    /// An attestation object with its statement and the certificates in it.
    static func attestationObject(_ bytes: [UInt8]) -> InspectedField {
        let object: AttestationObject
        do { object = try AttestationObject(bytes) } catch {
            return InspectedField("attestationObject", note: "\(error)", [.cbor("CBOR", bytes)])
        }
        return InspectedField(
            "attestationObject",
            note: "\(bytes.count) bytes",
            [
                InspectedField("fmt", printable(object.format)), statement(object.statement),
                authenticatorData(object.authenticatorData.bytes),
            ]
        )
    }

    private static func statement(_ bytes: [UInt8]) -> InspectedField {
        guard case .map(let pairs)? = try? CBORValue.decode(bytes, rules: .webAuthn) else {
            return cbor("attStmt", bytes)
        }
        let children = pairs.map { pair -> InspectedField in
            guard pair.key == .text("x5c"), case .array(let elements) = pair.value else {
                guard case .text(let name) = pair.key else { return cbor("\(pair.key)", pair.value) }
                return cbor(printable(name), pair.value)
            }
            let certificates = elements.enumerated().map { index, element -> InspectedField in
                guard case .bytes(let der) = element else { return cbor("[\(index)]", element) }
                return certificate("[\(index)]", der)
            }
            return InspectedField("x5c", "array of \(elements.count)", certificates)
        }
        return InspectedField("attStmt", pairs.isEmpty ? "empty" : "", children)
    }
}
