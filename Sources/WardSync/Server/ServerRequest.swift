package import WardDownload

/// A request to a sync server.
package struct ServerRequest: Sendable {
    /// The type of a body.
    package enum MediaType: String, Sendable {
        /// One item of CBOR.
        case item = "application/cbor"
        /// Items of CBOR, one after the other.
        case sequence = "application/cbor-seq"
    }

    package var method: BoundedExchange.Method
    /// The path below `/sync/v1`, with the query if there is one.
    package var path: String
    package var body: [UInt8]?
    package var bodyType = MediaType.item
    /// Header fields, by name.
    package var fields: [String: String] = [:]
    /// The type of the answer; `nil` if the answer has no body.
    package var answerType: MediaType? = .item
    /// The maximum length of the answer, in bytes.
    package var answerLimit = 64 * 1024
    /// Whether a longer answer is cut after ``answerLimit`` bytes, and is no error.
    package var isAnswerCut = false
    /// Whether the server may get the request a second time, because its answer was lost.
    package var isRepeatable = true
    /// The time limit for all of it.
    package var timeout = Duration.seconds(30)

    package init(_ method: BoundedExchange.Method, _ path: String, body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.body = body
    }
}

/// An answer of a sync server that is no error.
package struct ServerAnswer: Sendable {
    package let status: UInt
    package let body: [UInt8]
    /// Whether the body goes on after the limit of the request.
    package let isCut: Bool
    /// The number of the vault's last entry, if the answer is about a vault.
    package let head: UInt64?
    /// The name of the server's order, 16 bytes, if the answer is about a vault.
    package let order: [UInt8]?
}
