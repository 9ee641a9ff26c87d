import HTTPTypes
import Hummingbird
import NIOCore
import WardSyncRecords
import WardText

extension SyncError {
    /// The media type of ``document``.
    static let mediaType = "application/problem+json"

    /// The error as a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)).
    package var document: [UInt8] {
        let members: [JSONValue.Member] = [
            .init("type", "about:blank"), .init("title", .string(code.status.reasonPhrase)),
            .init("status", .integer(Int64(code.status.code))), .init("detail", .string(message)),
            .init("code", .string(code.name)),
        ]
        return JSONValue.object(members + details).serialized
    }

    /// The response of the server.
    var response: Response {
        var headers = fields
        headers[.contentType] = Self.mediaType
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        // RFC 9110, section 11.6.1, and RFC 6750, section 3: sessions and invitations are bearer tokens.
        if code.status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        return Response(
            status: code.status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: document))
        )
    }

    /// The error that a client gets for an error of the store: the one place where they are mapped.
    init(_ error: SyncStoreError) {
        switch error.code {
        case .vaultNotFound, .keyNotAllowed: self = .sessionRequired
        case .vaultExists: self.init(.vaultExists, "The vault is here already.")
        case .invitationNotValid:
            self.init(.invitationNotValid, "The invitation was used, has expired, or never existed.")
        case .tooManyVaults: self.init(.tooManyVaults, "The account has the maximum number of vaults.")
        case .accountFull:
            self = Self(.quotaExceeded, "The account has no room left.").with("of", "account")
        case .headMoved, .busy:
            self.init(.busy, "The service has too much to do. Try again in a moment.", retryAfter: 2)
        default: self.init(.unavailable, "The service cannot answer now.")
        }
    }

    /// The call needs a session.
    static var sessionRequired: Self { .init(.sessionRequired, "The call needs a session of this vault.") }
}
