internal import CLinux

extension MessageBus {
    /// A method that failed.
    struct CallError: Error {
        /// The error's name on the bus.
        var name: String
    }

    /// The answer of a method.
    struct Reply {
        /// The connection that answered: a unique name.
        var sender: String
        /// The first value, if it is the path of an object.
        var path: String?
    }

    /// The result of waiting.
    enum Next {
        case signal(Signal)
        case stopped
        case closed
    }

    /// Calls a method with strings as parameters.
    ///
    /// - Parameters:
    ///   - service: The bus name.
    ///   - path: The object.
    ///   - interface: The interface.
    ///   - member: The method.
    ///   - words: The arguments.
    ///   - patience: How long it may take, in microseconds.
    /// - Returns: The answer.
    /// - Throws: The error's name on the bus.
    func call(
        _ service: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ words: [String],
        _ patience: UInt64
    ) throws(CallError) -> Reply {
        var call: OpaquePointer?
        defer { _ = unsafe sd_bus_message_unref(call) }
        guard unsafe sd_bus_message_new_method_call(bus, &call, service, path, interface, member) >= 0,
            words.allSatisfy({ unsafe sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), $0) >= 0 })
        else { throw CallError(name: "org.freedesktop.DBus.Error.InvalidArgs") }
        var reply: OpaquePointer?
        defer { _ = unsafe sd_bus_message_unref(reply) }
        var error = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&error) }
        guard unsafe sd_bus_call(bus, call, patience, &error, &reply) >= 0 else {
            throw CallError(name: unsafe error.name.map { unsafe String(cString: $0) } ?? "")
        }
        var value: UnsafePointer<CChar>?
        let hasPath = unsafe sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "o")), &value) > 0
        return unsafe Reply(
            sender: sd_bus_message_get_sender(reply).map { unsafe String(cString: $0) } ?? "",
            path: hasPath ? value.map { unsafe String(cString: $0) } : nil
        )
    }

    /// Waits for the next signal.
    ///
    /// Several times a second it checks whether the result is still needed.
    func next(unless isOver: () -> Bool) -> Next {
        while heard.signals.isEmpty {
            if isOver() { return .stopped }
            let count = unsafe sd_bus_process(bus, nil)
            guard count >= 0 else { return .closed }
            if count == 0, heard.signals.isEmpty, unsafe sd_bus_wait(bus, 100_000) < 0 { return .closed }
        }
        return .signal(heard.signals.removeFirst())
    }
}
