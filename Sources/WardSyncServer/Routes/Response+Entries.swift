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

    /// A few short entries, in an answer that takes no place.
    static func sequence(_ entries: [SyncEntry], _ vault: SyncVault) -> Response {
        Response(
            status: .ok,
            headers: fields(vault, MediaType.sequence),
            body: ResponseBody(byteBuffer: buffer(entries))
        )
    }

    private static func buffer(_ entries: [SyncEntry]) -> ByteBuffer {
        var buffer = ByteBuffer()
        for entry in entries { buffer.writeBytes(entry.answer) }
        return buffer
    }

    /// Any number of entries, read page by page while the client takes them.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - place: The place of the answer, which ends with it.
    ///   - next: The entries after the given one, or the first ones. Without an entry the answer ends.
    /// - Returns: The answer.
    static func stream(
        _ vault: SyncVault,
        in place: SyncDesk.AnswerPlace,
        next: @escaping @Sendable (SyncEntry?) async throws -> [SyncEntry]
    ) -> Response {
        Response(
            status: .ok,
            headers: fields(vault, MediaType.sequence),
            body: ResponseBody { writer in
                defer { place.leave() }
                var last: SyncEntry?
                while true {
                    let entries = try await next(last)
                    guard !entries.isEmpty else { break }
                    last = entries.last
                    last?.blob = nil
                    try await writer.write(buffer(entries))
                }
                // This waits until the client has read nearly everything.
                try await writer.finish(nil)
            }
        )
    }

    /// How many entries without blobs are in memory at the same time: a megabyte at most.
    private static let part = 16

    /// Entries without blobs, each read when its turn comes.
    ///
    /// - Parameters:
    ///   - list: What the entries are read with.
    ///   - vault: The vault.
    ///   - place: The place of the answer, which ends with it.
    ///   - entry: Reads an entry; `nil` if it is not there any more.
    /// - Returns: The answer.
    static func stream<Element: Sendable>(
        _ list: [Element],
        _ vault: SyncVault,
        in place: SyncDesk.AnswerPlace,
        entry: @escaping @Sendable (Element) async throws -> SyncEntry?
    ) -> Response {
        let left = Countdown(list.count)
        return stream(vault, in: place) { _ in
            var entries: [SyncEntry] = []
            for element in list.suffix(left.count).prefix(part) {
                if let found = try await entry(element) { entries.append(found) }
            }
            left.take(min(part, left.count))
            return entries
        }
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

/// Entries that were read before their answer began, until they are written.
final class FirstPage: Sendable {
    private let entries: Mutex<[SyncEntry]>

    init(_ entries: [SyncEntry]) { self.entries = Mutex(entries) }

    /// The entries, once.
    func take() -> [SyncEntry] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}

/// A number that goes down while an answer is written.
final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    var count: Int { left.withLock { $0 } }

    func take(_ count: Int) { left.withLock { $0 -= count } }
}
