internal import WardCOSE
internal import WardText
internal import WardWebAuthn

extension InspectedField {
    /// Options of either kind.
    ///
    /// Absent members are shown as absent, because a default then applies.
    static func options(_ json: [UInt8]) throws(InspectionError) -> InspectedField {
        let value: JSONValue
        do { value = try JSONValue(json) } catch { throw InspectionError("the options are not JSON: \(error)") }
        let inner = value["publicKey"] ?? value
        if inner["rp"] != nil || inner["pubKeyCredParams"] != nil {
            do {
                let options = try PublicKeyCredentialCreationOptions(inner)
                return InspectedField(
                    "PublicKeyCredentialCreationOptions",
                    creationNotes(options) + [json_("JSON", options.value)]
                )
            } catch {
                throw InspectionError(
                    "the options for a registration (PublicKeyCredentialCreationOptions) are malformed: \(error)"
                )
            }
        }
        do {
            let options = try PublicKeyCredentialRequestOptions(inner)
            return InspectedField(
                "PublicKeyCredentialRequestOptions",
                requestNotes(options) + [json_("JSON", options.value)]
            )
        } catch {
            throw InspectionError(
                "the options for a sign-in (PublicKeyCredentialRequestOptions) are malformed: \(error)"
            )
        }
    }

    private static func creationNotes(_ options: PublicKeyCredentialCreationOptions) -> [InspectedField] {
        var notes: [InspectedField] = []
        if options.challenge.bytes.count < 32 {
            notes.append(
                InspectedField(
                    "note",
                    "a challenge of \(options.challenge.bytes.count) bytes; 32 random ones are usual"
                )
            )
        }
        if options.authenticatorSelection?.residentKey != .required {
            notes.append(InspectedField("note", "residentKey is not required: what is made may be no passkey"))
        }
        if options.authenticatorSelection?.userVerification != .required {
            notes.append(InspectedField("note", "userVerification is not required: the person may go unverified"))
        }
        if !options.pubKeyCredParams.contains(where: { $0.alg == .es256 }) {
            notes.append(InspectedField("note", "ES256 (-7) is missing: many authenticators have nothing else"))
        }
        return notes
    }

    private static func requestNotes(_ options: PublicKeyCredentialRequestOptions) -> [InspectedField] {
        options.allowCredentials.isEmpty
            ? [InspectedField("note", "no allowCredentials: any discoverable credential may answer")] : []
    }

    /// JSON as a tree.
    static func json_(_ label: String, _ value: JSONValue) -> InspectedField {
        switch value {
        case .object(let members): InspectedField(label, members.map { json_(printable($0.name), $0.value) })
        case .array(let elements):
            InspectedField(label, "array of \(elements.count)", elements.enumerated().map { json_("[\($0)]", $1) })
        case .string(let text): InspectedField(label, printable(text))
        default: InspectedField(label, value.text)
        }
    }
}
