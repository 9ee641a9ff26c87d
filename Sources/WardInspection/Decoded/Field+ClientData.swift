internal import Crypto
internal import WardWebAuthn

extension Field {
    /// Client data, member by member, with the hash that is signed.
    static func clientData(_ bytes: [UInt8]) -> Field {
        let data: CollectedClientData
        do { data = try CollectedClientData(parsing: bytes) } catch {
            return .bytes("clientDataJSON", bytes, note: "\(error)")
        }
        var children = [
            Field("type", printable(data.type)), Field("challenge", printable(data.challenge)),
            Field(
                "origin",
                printable(data.origin),
                note: (try? Origin(data.origin)) == nil ? "no origin as browsers write it" : nil
            ),
        ]
        if let crossOrigin = data.crossOrigin { children.append(Field("crossOrigin", "\(crossOrigin)")) }
        if let topOrigin = data.topOrigin { children.append(Field("topOrigin", printable(topOrigin))) }
        children.append(.bytes("SHA-256", Array(SHA256.hash(data: bytes)), note: "what is signed"))
        return Field("clientDataJSON", note: "\(bytes.count) bytes", children)
    }
}
