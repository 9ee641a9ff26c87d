import Foundation
import NIOCore
import WardAgentClient

// The messages of Documentation/formats/provider.md that this manager answers. Bytes are text in base64url.

struct Head: Decodable {
    var id: Int
    var method: String
}

struct Parameters<Value: Decodable>: Decodable {
    var params: Value
}

struct Answer<Value: Encodable>: Encodable {
    var jsonrpc = "2.0"
    var id: Int
    var result: Value
}

struct Refusal: Encodable {
    struct Body: Encodable {
        struct Detail: Encodable { var code: String }
        var code = -32000
        var message: String
        var data: Detail
    }
    var jsonrpc = "2.0"
    var id: Int
    var error: Body

    init(_ id: Int, _ error: AgentError) {
        self.id = id
        self.error = Body(message: error.message, data: .init(code: error.code.rawValue))
    }
}

struct GreetingRequest: Decodable {
    var proof: String?
}

struct Greeting: Encodable {
    var version: Int
    var identifier: String
}

struct EntriesQuery: Decodable {
    var domains: [String]
    var kinds: [String]
}

struct Entry: Encodable {
    var reference: String
    var kind: String
    var domain: String
    var user: String
    var credentialID: String?
    var userHandle: String?
}

struct Entries: Encodable {
    var entries: [Entry]
    var isLocked: Bool
}

struct PasswordRequest: Decodable {
    var reference: String
}

struct PasswordAnswer: Encodable {
    var user: String
    var password: String
}

struct TextRequest: Decodable {
    var app: String
}

struct TextAnswer: Encodable {
    var text: String
}

struct SaveRequest: Decodable {
    var domain: String
    var user: String
    var password: String
}

struct SaveAnswer: Encodable {
    var reference: String
}

struct UpgradeQuestion: Decodable {
    var reference: String
    var domain: String
    var user: String
}

struct UpgradeAnswer: Encodable {
    var mayUpgrade: Bool
}

struct RegistrationRequest: Decodable {
    var rpID: String
    var rpName: String
    var userHandle: String
    var userName: String
    var userDisplayName: String
    var clientDataHash: String
    var algorithms: [Int]
    var excludedCredentials: [String]
    var userPresent: Bool
    var userVerified: Bool
    var wantsVerification: Bool
    var isConditional: Bool
    var wantsLargeBlob: Bool?
}

struct RegistrationAnswer: Encodable {
    var attestationObject: String
    var hasLargeBlob: Bool?
}

struct AssertionRequest: Decodable {
    var rpID: String
    var credentialID: String
    var clientDataHash: String
    var userPresent: Bool
    var userVerified: Bool
    var wantsVerification: Bool
    var readsLargeBlob: Bool?
    var writesLargeBlob: String?
}

struct AssertionAnswer: Encodable {
    var credentialID: String
    var userHandle: String?
    var authenticatorData: String
    var signature: String
    var largeBlob: String?
    var isLargeBlobWritten: Bool?
}

/// A message is a line of at most 4 MiB.
struct Lines: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let end = buffer.readableBytesView.firstIndex(of: 0x0a) else {
            guard buffer.readableBytes <= 4 << 20 else { throw AgentError(.invalidRequest, "the message is too long") }
            return .needMoreData
        }
        let line = buffer.readSlice(length: end - buffer.readableBytesView.startIndex)
        buffer.moveReaderIndex(forwardBy: 1)
        if let line { context.fireChannelRead(wrapInboundOut(line)) }
        return .continue
    }
}
