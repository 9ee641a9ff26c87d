import Foundation
import Logging
import Synchronization
import WardTerminal
import WardText

/// The format of log lines.
enum LogFormat: String, Sendable {
    /// The format `2026-11-22T16:00:00+0000 info ward: status=200 … [WardServer] request`.
    case text
    /// One JSON object per line.
    case json
}

/// A log level that can change while the service runs.
final class SharedLogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    init(_ level: Logger.Level) { self.level = Mutex(level) }

    var current: Logger.Level { level.withLock { $0 } }

    func set(_ new: Logger.Level) { level.withLock { $0 = new } }
}

/// Writes lines to standard error, in the format and from the level of the settings.
struct ServiceLogHandler: LogHandler {
    private let shared: SharedLogLevel
    private let format: LogFormat
    private var own: Logger.Level?
    private let text: StreamLogHandler
    var metadataProvider: Logger.MetadataProvider?
    /// Kept here: the library's handler would write it as text at each change, and a request changes it several times.
    var metadata: Logger.Metadata = [:]

    init(label: String, format: LogFormat, level: SharedLogLevel) {
        shared = level
        self.format = format
        text = StreamLogHandler.standardError(label: label)
    }

    var logLevel: Logger.Level {
        get { own ?? shared.current }
        set { own = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.metadata = everything(of: event)
        switch format {
        case .text: text.log(event: event)
        case .json: DescriptorOutput.write(line(event).serialized + [0x0a], to: STDERR_FILENO)
        }
    }

    /// The metadata of the logger, of its provider and of the event; the later one wins.
    private func everything(of event: LogEvent) -> Logger.Metadata {
        var values = metadata
        if let provided = metadataProvider?.get() { values.merge(provided) { $1 } }
        if let given = event.metadata { values.merge(given) { $1 } }
        return values
    }

    /// The members time, level and message come first.
    ///
    /// A value with the same name as one of these members is left out.
    private func line(_ event: LogEvent) -> JSONValue {
        var members = [
            JSONValue.Member(
                "time",
                .string(Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ),
            .init("level", .string(event.level.rawValue)), .init("message", .string(event.message.description)),
        ]
        let taken = Set(members.map(\.name))
        members += (event.metadata ?? [:]).sorted { $0.key < $1.key }.filter { !taken.contains($0.key) }.map {
            .init($0.key, json($0.value))
        }
        return .object(members)
    }

    private func json(_ value: Logger.Metadata.Value) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let number as Int): .integer(Int64(number))
        case .stringConvertible(let number as Double): .number(number)
        case .stringConvertible(let other): .string(other.description)
        case .array(let values): .array(values.map(json))
        case .dictionary(let values): .object(values.sorted { $0.key < $1.key }.map { .init($0.key, json($0.value)) })
        @unknown default: .string("\(value)")
        }
    }
}
