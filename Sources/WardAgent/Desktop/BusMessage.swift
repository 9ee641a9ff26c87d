internal import CLinux
internal import Foundation

/// A message that came over the bus, which is read value by value.
///
/// sd-bus has checked the form of the message. This type adds the limits. It belongs to the thread of its bus.
@safe final class BusMessage {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) {
        unsafe self.message = unsafe sd_bus_message_ref(message)
    }

    deinit { _ = unsafe sd_bus_message_unref(message) }

    /// The unique name of the connection that sent the message.
    ///
    /// The bus writes it.
    var sender: String { unsafe Self.text(sd_bus_message_get_sender(message)) }
    var path: String { unsafe Self.text(sd_bus_message_get_path(message)) }
    /// The interface; empty if the message names none.
    var interface: String { unsafe Self.text(sd_bus_message_get_interface(message)) }
    var member: String { unsafe Self.text(sd_bus_message_get_member(message)) }
    /// The types of all values.
    var signature: String { unsafe Self.text(sd_bus_message_get_signature(message, 1)) }
    /// Whether the sender waits for a reply.
    var wantsReply: Bool { unsafe sd_bus_message_get_expect_reply(message) > 0 }

    private static func text(_ value: UnsafePointer<CChar>?) -> String {
        unsafe value.map { unsafe String(cString: $0) } ?? ""
    }

    /// Reads a text.
    ///
    /// - Throws: ``BusError`` if the value is no text, or is longer than the limit.
    func text(_ name: String, limit: Int, type: String = "s") throws(BusError) -> String {
        var value: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(message, Self.code(type), &value) > 0, let value = unsafe value else {
            throw .invalid("\(name) must be a text")
        }
        guard unsafe strlen(value) <= limit else { throw .invalid("\(name) is longer than \(limit) bytes") }
        return unsafe String(cString: value)
    }

    /// Reads a number; `nil` if the next value is not one.
    func number() -> UInt32? {
        var value: UInt32 = 0
        return unsafe sd_bus_message_read_basic(message, Self.code("u"), &value) > 0 ? value : nil
    }

    /// Reads a descriptor, which the caller owns; `nil` if the next value is not one.
    func descriptor() -> Descriptor? {
        var value: CInt = -1
        guard unsafe sd_bus_message_read_basic(message, Self.code("h"), &value) > 0 else { return nil }
        // The message closes its own copy.
        return Descriptor(taking: fcntl(value, F_DUPFD_CLOEXEC, 3))
    }

    /// Reads a dictionary from texts to variants.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of entries.
    ///   - read: Reads the value of one entry, which has the given type. It returns whether it did; otherwise the value is
    ///     skipped.
    /// - Throws: ``BusError`` for another type, or for too many entries.
    func dictionary(
        limit: Int,
        _ read: (_ key: String, _ type: String) throws(BusError) -> Bool
    ) throws(BusError) {
        guard unsafe sd_bus_message_enter_container(message, Self.code("a"), "{sv}") > 0 else {
            throw .invalid("a dictionary of options is missing")
        }
        var count = 0
        while unsafe sd_bus_message_enter_container(message, Self.code("e"), "sv") > 0 {
            count += 1
            guard count <= limit else { throw .invalid("there are more than \(limit) options") }
            let key = try text("the name of an option", limit: DesktopRequest.Limit.name)
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            guard unsafe sd_bus_message_peek_type(message, &type, &contents) > 0, type == Self.code("v"),
                let contents = unsafe contents
            else { throw .invalid("the option \(key) has no value") }
            // Entering the variant changes the text of its type.
            let kept = unsafe String(cString: contents)
            guard unsafe sd_bus_message_enter_container(message, Self.code("v"), kept) > 0 else {
                throw .invalid("the option \(key) has no value")
            }
            if try !read(key, kept) { _ = unsafe sd_bus_message_skip(message, kept) }
            guard unsafe sd_bus_message_exit_container(message) >= 0,
                unsafe sd_bus_message_exit_container(message) >= 0
            else { throw .invalid("the option \(key) has a malformed value") }
        }
        guard unsafe sd_bus_message_exit_container(message) >= 0 else { throw .invalid("the options are malformed") }
    }

    /// Starts the reply to this call.
    ///
    /// The reply does not keep the call in memory.
    func reply() -> BusOutput? {
        var reply: OpaquePointer?
        guard unsafe sd_bus_message_new_method_return(message, &reply) >= 0, let reply = unsafe reply else {
            return nil
        }
        return unsafe BusOutput(taking: reply)
    }

    /// The code of a type.
    static func code(_ type: String) -> CChar { CChar(bitPattern: type.utf8.first ?? 0) }
}

/// A message for the bus, which is written value by value.
///
/// A value that cannot be written, or a bus that is gone, makes the message vanish: the receiver then waits until its own time
/// limit.
@safe final class BusOutput {
    private let message: OpaquePointer

    init(taking message: OpaquePointer) { unsafe self.message = unsafe message }

    deinit { _ = unsafe sd_bus_message_unref(message) }

    /// Starts a signal for one connection.
    init?(_ bus: OpaquePointer, signal member: String, of interface: String, at path: String, to name: String) {
        var message: OpaquePointer?
        guard unsafe sd_bus_message_new_signal(bus, &message, path, interface, member) >= 0,
            let message = unsafe message
        else { return nil }
        unsafe self.message = unsafe message
        guard unsafe sd_bus_message_set_destination(message, name) >= 0 else { return nil }
    }

    /// Starts a call.
    init?(_ bus: OpaquePointer, call member: String, of interface: String, at path: String, to name: String) {
        var message: OpaquePointer?
        guard unsafe sd_bus_message_new_method_call(bus, &message, name, path, interface, member) >= 0,
            let message = unsafe message
        else { return nil }
        unsafe self.message = unsafe message
    }

    /// Sends the call and waits for its reply; `nil` for an error, or if none comes.
    func call(on bus: OpaquePointer, microseconds: UInt64) -> BusMessage? {
        var reply: OpaquePointer?
        defer { _ = unsafe sd_bus_message_unref(reply) }
        guard unsafe sd_bus_call(bus, message, microseconds, nil, &reply) >= 0, let reply = unsafe reply else {
            return nil
        }
        return unsafe BusMessage(reply)
    }

    func add(_ text: String, type: String = "s") {
        _ = unsafe sd_bus_message_append_basic(message, BusMessage.code(type), text)
    }

    func add(_ number: UInt32) {
        var number = number
        _ = unsafe sd_bus_message_append_basic(message, BusMessage.code("u"), &number)
    }

    func add(_ number: UInt64) {
        var number = number
        _ = unsafe sd_bus_message_append_basic(message, BusMessage.code("t"), &number)
    }

    func add(_ flag: Bool) {
        var flag: CInt = flag ? 1 : 0
        _ = unsafe sd_bus_message_append_basic(message, BusMessage.code("b"), &flag)
    }

    /// Adds a value of any type, with its type.
    func variant(_ type: String, _ write: () -> Void) { container("v", type, write) }

    /// Adds an array, whose values have a type.
    func array(_ type: String, _ write: () -> Void) { container("a", type, write) }

    /// Adds a dictionary from texts to variants.
    func dictionary(_ write: () -> Void) { container("a", "{sv}", write) }

    /// Adds an entry of a dictionary.
    func entry(_ key: String, _ type: String, _ write: () -> Void) {
        container("e", "sv") {
            add(key)
            variant(type, write)
        }
    }

    private func container(_ type: String, _ contents: String, _ write: () -> Void) {
        guard unsafe sd_bus_message_open_container(message, BusMessage.code(type), contents) >= 0 else { return }
        write()
        _ = unsafe sd_bus_message_close_container(message)
    }

    /// Sends the message.
    func send() { _ = unsafe sd_bus_send(nil, message, nil) }
}
