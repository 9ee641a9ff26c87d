import Logging

/// A log handler that removes characters with a meaning for the terminal, because log lines contain names of programs.
struct CleanLogHandler: LogHandler {
    private var handler: StreamLogHandler

    init(label: String) { handler = StreamLogHandler.standardError(label: label) }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(Screen.line(event.message.description))"
        event.metadata = event.metadata?.mapValues { "\(Screen.line($0.description))" }
        handler.log(event: event)
    }
}
