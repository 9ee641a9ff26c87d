internal import Crypto
internal import WardText
internal import WardWebAuthn

extension InspectedField {
    /// Client data, member by member, with the hash that is signed.
    static func clientData(_ bytes: [UInt8]) -> InspectedField {
        let data: CollectedClientData
        do { data = try CollectedClientData(parsing: bytes) } catch {
            return .bytes("clientDataJSON", bytes, note: "\(error)")
        }
        var children = [
            InspectedField("type", printable(data.type)),
            InspectedField("challenge", printable(data.challenge), note: note(challenge: data.challenge)),
            InspectedField(
                "origin",
                printable(data.origin),
                note: (try? Origin(data.origin)) == nil ? "no origin as browsers write it" : nil
            ),
        ]
        if let crossOrigin = data.crossOrigin { children.append(InspectedField("crossOrigin", "\(crossOrigin)")) }
        if let topOrigin = data.topOrigin { children.append(InspectedField("topOrigin", printable(topOrigin))) }
        children.append(.bytes("SHA-256", Array(SHA256.hash(data: bytes)), note: "what is signed"))
        return InspectedField("clientDataJSON", note: "\(bytes.count) bytes", children)
    }

    private static func note(challenge text: String) -> String? {
        guard let bytes = Base64URL.decode(text) else { return "not base64url" }
        return bytes.count < 16 ? "too short: \(bytes.count) bytes, and at least 16 are needed" : nil
    }
}
