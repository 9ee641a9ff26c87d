/// A PIN that is typed for the first time.
enum NewPIN {
    /// Reads it from a descriptor, or asks for it twice.
    ///
    /// - Throws: ``Failure``.
    static func read(_ descriptor: Int32?) throws -> String {
        if let descriptor { return try AgentOptions.readLine(descriptor, "--pin-fd \(descriptor)") }
        while true {
            let typed = try Question.secret("New PIN: ")
            if try Question.secret("Again:   ") == typed { return String(decoding: typed, as: UTF8.self) }
            Terminal.note("  The two are not the same. Once more:")
        }
    }
}
