import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import WardCBOR
import WardSyncRecords
import WardLog
import WardText

extension Response {
    /// The header fields that every answer about a vault has.
    private static func fields(_ vault: SyncVault, _ type: String) -> HTTPFields {
        [.contentType: type, .eTag: "\"\(vault.head)\"", .wardOrder: Hex.encode(vault.order)]
    }

    /// A few entries.
    static func sequence(_ entries: [SyncEntry], _ vault: SyncVault) -> Response {
        var buffer = ByteBuffer()
        for entry in entries { buffer.writeBytes(entry.answer) }
        return Response(
            status: .ok,
            headers: fields(vault, MediaType.sequence),
            body: ResponseBody(byteBuffer: buffer)
        )
    }

    /// Any number of entries, read page by page while the client takes them.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - next: The entries after the given one, or the first ones. Without an entry the answer ends.
    /// - Returns: The answer.
    static func stream(
        _ vault: SyncVault,
        next: @escaping @Sendable (SyncEntry?) async throws -> [SyncEntry]
    ) -> Response {
        Response(
            status: .ok,
            headers: fields(vault, MediaType.sequence),
            body: ResponseBody { writer in
                var last: SyncEntry?
                while true {
                    let entries = try await next(last)
                    guard !entries.isEmpty else { break }
                    var buffer = ByteBuffer()
                    for entry in entries { buffer.writeBytes(entry.answer) }
                    try await writer.write(buffer)
                    last = entries.last
                }
                try await writer.finish(nil)
            }
        )
    }

    /// The answer to an upload that was stored.
    ///
    /// An upload with entries that contradict others of their device is stored too, and answered with an error, so that a device
    /// cannot overlook it.
    static func stored(_ stored: SyncDesk.Stored, status: HTTPResponse.Status = .ok) -> Response {
        guard stored.evidence.isEmpty else {
            let found = stored.evidence.map { evidence -> JSONValue in
                [
                    "device": .string(Hex.encode(evidence.device.bytes)), "sequence": .integer(evidence.sequence),
                    "entries": [.string(Hex.encode(evidence.first)), .string(Hex.encode(evidence.second))],
                ]
            }
            var error = SyncError(
                .equivocation,
                "The entries are stored. A device signed different entries with the same number."
            ).with("head", .integer(stored.vault.head)).with("evidence", .array(found))
            error.fields = fields(stored.vault, MediaType.cbor)
            return error.response
        }
        var response = Response.cbor(
            [1: .integer(stored.vault.head), 2: .integer(Int64(stored.count))],
            status: status
        )
        for field in fields(stored.vault, MediaType.cbor) { response.headers[field.name] = field.value }
        return response
    }
}

extension SyncEntry {
    /// [number, entry, blob or null].
    fileprivate var answer: [UInt8] {
        var writer = CBORWriter()
        writer.writeArray(count: 3)
        writer.write(integer: number)
        writer.write(bytes: encoded)
        if let blob { writer.write(bytes: blob) } else { writer.writeNull() }
        return writer.bytes
    }
}

/// A number that goes down while an answer is written.
final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    var count: Int { left.withLock { $0 } }

    func take(_ count: Int) { left.withLock { $0 -= count } }
}
