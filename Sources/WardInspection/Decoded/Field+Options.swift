internal import WardCOSE
internal import WardWebAuthn

extension Field {
    /// Options of either kind; what is absent is said to be, since a default decides then.
    static func options(_ json: [UInt8]) throws(InspectionError) -> Field {
        let value: JSONValue
        do { value = try JSONValue(json) } catch { throw InspectionError("the options are no JSON: \(error)") }
        let inner = value["publicKey"] ?? value
        if inner["rp"] != nil || inner["pubKeyCredParams"] != nil {
            do {
                let options = try PublicKeyCredentialCreationOptions(inner)
                return Field(
                    "PublicKeyCredentialCreationOptions",
                    creationNotes(options) + [json_("JSON", options.value)]
                )
            } catch { throw InspectionError("the creation options do not read: \(error)") }
        }
        do {
            let options = try PublicKeyCredentialRequestOptions(inner)
            return Field("PublicKeyCredentialRequestOptions", requestNotes(options) + [json_("JSON", options.value)])
        } catch { throw InspectionError("the request options do not read: \(error)") }
    }

    private static func creationNotes(_ options: PublicKeyCredentialCreationOptions) -> [Field] {
        var notes: [Field] = []
        if options.challenge.bytes.count < 32 {
            notes.append(
                Field("note", "a challenge of \(options.challenge.bytes.count) bytes; 32 random ones are usual")
            )
        }
        if options.authenticatorSelection?.residentKey != .required {
            notes.append(Field("note", "residentKey is not required: what is made may be no passkey"))
        }
        if options.authenticatorSelection?.userVerification != .required {
            notes.append(Field("note", "userVerification is not required: the person may go unverified"))
        }
        if !options.pubKeyCredParams.contains(where: { $0.alg == .es256 }) {
            notes.append(Field("note", "ES256 (-7) is missing: many authenticators have nothing else"))
        }
        return notes
    }

    private static func requestNotes(_ options: PublicKeyCredentialRequestOptions) -> [Field] {
        options.allowCredentials.isEmpty
            ? [Field("note", "no allowCredentials: any discoverable credential may answer")] : []
    }

    /// JSON as a tree.
    static func json_(_ label: String, _ value: JSONValue) -> Field {
        switch value {
        case .object(let members): Field(label, members.map { json_(printable($0.name), $0.value) })
        case .array(let elements):
            Field(label, "array of \(elements.count)", elements.enumerated().map { json_("[\($0)]", $1) })
        case .string(let text): Field(label, printable(text))
        default: Field(label, value.text)
        }
    }
}
