internal import WardText
internal import WardVault

/// The name of a request or of a reply: the request's ID, such as `000102030405060708090a0b0c0d0e0f.request`.
struct PairingFileName: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case request = ".request"
        case reply = ".reply"
    }

    /// The ID of the request, 16 bytes.
    let id: [UInt8]
    let kind: Kind

    init(_ request: PairingRequest, _ kind: Kind) {
        id = request.id
        self.kind = kind
    }

    /// Reads a name, or returns `nil` if it does not have exactly this form.
    init?(_ name: FileName) {
        guard let kind = Kind.allCases.first(where: { name.hasSuffix($0.rawValue) }) else { return nil }
        let digits = String(decoding: name.bytes.dropLast(kind.rawValue.utf8.count), as: UTF8.self)
        guard let id = Hex.decode(digits), id.count == PairingRequest.idLength, Hex.encode(id) == digits else {
            return nil
        }
        self.id = id
        self.kind = kind
    }

    var file: FileName { FileName(Hex.encode(id) + kind.rawValue) }
}
