internal import CLinux
internal import Foundation
internal import Logging

/// Serves the desktop's interfaces on one connection to the bus.
///
/// It belongs to the thread of its connection. Requests run in tasks, whose answers come back through the ``DesktopMailbox``.
@safe final class DesktopServing {
    /// The object with the interfaces.
    static let path = "/org/freedesktop/portal/desktop"
    /// The maximum number of requests of one program that run at the same time.
    static let perCaller = 8
    /// The maximum number of requests that run at the same time.
    static let total = 32
    /// The maximum number of programs that are remembered.
    private static let callers = 256

    /// A program that sent a request, as long as it is on the bus.
    @safe private final class Caller {
        let peer: Peer
        var requests: Set<UInt64> = []
        /// The signal that tells when the program leaves the bus.
        private let slot: OpaquePointer?

        init(_ peer: Peer, _ slot: OpaquePointer?) {
            self.peer = peer
            unsafe self.slot = unsafe slot
        }

        deinit { _ = unsafe sd_bus_slot_unref(slot) }
    }

    private struct Running {
        let caller: String
        let task: Task<Void, Never>
        let finish: (DesktopAnswer) -> Void
        let whenWithdrawn: () -> Void
    }

    private let connection: BusConnection
    private let interfaces: [any DesktopInterface]
    private let door: DesktopDoor
    private let mailbox: DesktopMailbox
    private let logger: Logger
    private var callers: [String: Caller] = [:]
    private var running: [UInt64: Running] = [:]
    private var number: UInt64 = 0
    /// The programs that left the bus.
    private var gone: [String] = []

    init(
        _ connection: BusConnection,
        _ interfaces: [any DesktopInterface],
        _ door: DesktopDoor,
        _ mailbox: DesktopMailbox,
        _ logger: Logger
    ) {
        self.connection = connection
        self.interfaces = interfaces
        self.door = door
        self.mailbox = mailbox
        self.logger = logger
    }

    /// Adds the objects to the bus.
    ///
    /// This value must live as long as the connection.
    func addObject() -> Bool {
        Set(interfaces.map { type(of: $0).path }).allSatisfy { addObject($0) }
    }

    private func addObject(_ path: String) -> Bool {
        let own = unsafe Unmanaged.passUnretained(self).toOpaque()
        return unsafe sd_bus_add_fallback(
            connection.bus,
            nil,
            path,
            { message, own, reply in
                guard let own = unsafe own, let message = unsafe message else { return 0 }
                let serving = unsafe Unmanaged<DesktopServing>.fromOpaque(own).takeUnretainedValue()
                do throws(BusError) {
                    return try serving.receive(unsafe BusMessage(message)) ? 1 : 0
                } catch {
                    return unsafe sd_bus_error_set(reply, error.name, error.message)
                }
            },
            own
        ) >= 0
    }

    /// Serves until the mailbox says so, or the bus is gone.
    func run() {
        serving: while true {
            // After some messages of the bus, the answers of requests have their turn.
            for _ in 0..<64 {
                let count = unsafe sd_bus_process(connection.bus, nil)
                guard count >= 0 else { break serving }
                forgetGone()
                guard count > 0 else {
                    guard mailbox.isEmpty, !connection.wait(for: mailbox.descriptor) else { break }
                    break serving
                }
            }
            for letter in mailbox.take() {
                switch letter {
                case .answer(let number, let answer): finish(number, answer)
                case .end: break serving
                }
            }
        }
        for number in running.keys { finish(number, .cancelled) }
        callers = [:]
    }

    // MARK: Messages

    private func receive(_ message: BusMessage) throws(BusError) -> Bool {
        switch message.interface {
        case "org.freedesktop.DBus.Properties": return try properties(message)
        case "org.freedesktop.DBus.Introspectable": return introspect(message)
        default: break
        }
        for interface in interfaces where message.path.starts(with: type(of: interface).path) {
            let names = [type(of: interface).name] + type(of: interface).otherNames
            // A call may leave the interface out.
            guard message.interface.isEmpty || names.contains(message.interface) else { continue }
            if try interface.answer(message, self) { return true }
        }
        return false
    }

    /// Starts a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - name: The unique name of the caller.
    ///   - finish: Called once with the answer, unless the request is withdrawn.
    ///   - whenWithdrawn: Called if the caller withdraws the request, or leaves the bus.
    /// - Returns: The number of the request.
    /// - Throws: ``BusError`` if too many requests run, or the caller cannot be identified.
    func begin(
        _ request: DesktopRequest,
        from name: String,
        _ finish: @escaping (DesktopAnswer) -> Void,
        whenWithdrawn: @escaping () -> Void = {}
    ) throws(BusError) -> UInt64 {
        guard running.count < Self.total, callers[name]?.requests.count ?? 0 < Self.perCaller else {
            throw .limits("too many requests are running: try again when one is answered")
        }
        let caller = try caller(name)
        number &+= 1
        let (number, peer, door, mailbox) = (number, caller.peer, door, mailbox)
        caller.requests.insert(number)
        let task = Task { mailbox.put(.answer(number, await door.answer(request, from: peer))) }
        running[number] = Running(caller: name, task: task, finish: finish, whenWithdrawn: whenWithdrawn)
        return number
    }

    /// Withdraws a request: its prompt disappears, and no answer follows.
    func withdraw(_ number: UInt64) {
        guard let request = running.removeValue(forKey: number) else { return }
        callers[request.caller]?.requests.remove(number)
        request.task.cancel()
        request.whenWithdrawn()
    }

    private func finish(_ number: UInt64, _ answer: DesktopAnswer) {
        // The answer of a withdrawn request is dropped.
        guard let request = running.removeValue(forKey: number) else { return }
        callers[request.caller]?.requests.remove(number)
        request.task.cancel()
        request.finish(answer)
    }

    /// Starts a signal for one program.
    func signal(_ member: String, of interface: String, at path: String, to name: String) -> BusOutput? {
        unsafe BusOutput(connection.bus, signal: member, of: interface, at: path, to: name)
    }

    // MARK: Callers

    /// Identifies a program, so that interfaces are told when it leaves.
    func know(_ name: String) throws(BusError) { _ = try caller(name) }

    /// The program with a name, identified at its first request.
    private func caller(_ name: String) throws(BusError) -> Caller {
        if let known = callers[name] { return known }
        // First the signal, then the question: a program that leaves in between is noticed.
        let slot = unsafe watch(name)
        guard unsafe slot != nil, let peer = Peer(name, on: connection) else {
            _ = unsafe sd_bus_slot_unref(slot)
            throw .denied("the bus does not say which process of this user asks")
        }
        if callers.count >= Self.callers, let idle = callers.first(where: { $0.value.requests.isEmpty })?.key {
            callers[idle] = nil
            for interface in interfaces { interface.forget(idle) }
        }
        let caller = unsafe Caller(peer, slot)
        callers[name] = caller
        return caller
    }

    /// Listens for the signal of the bus that a program has left.
    private func watch(_ name: String) -> OpaquePointer? {
        let own = unsafe Unmanaged.passUnretained(self).toOpaque()
        var slot: OpaquePointer?
        // The bus writes the sender of each signal, so another program cannot send this one.
        let rule =
            "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
            + "member='NameOwnerChanged',arg0='\(name)'"
        let added = unsafe sd_bus_add_match(
            connection.bus,
            &slot,
            rule,
            { message, own, _ in
                guard let own = unsafe own, let message = unsafe message else { return 0 }
                let serving = unsafe Unmanaged<DesktopServing>.fromOpaque(own).takeUnretainedValue()
                serving.heard(unsafe BusMessage(message))
                return 0
            },
            own
        )
        return unsafe added >= 0 ? slot : nil
    }

    private func heard(_ signal: BusMessage) {
        guard signal.sender == "org.freedesktop.DBus",
            let name = try? signal.text("the name", limit: DesktopRequest.Limit.name)
        else { return }
        // The slot of this very signal is released after sd-bus has left it.
        gone.append(name)
    }

    /// Forgets the programs that left the bus, and withdraws their requests.
    private func forgetGone() {
        for name in gone {
            for number in callers[name]?.requests ?? [] { withdraw(number) }
            callers[name] = nil
            for interface in interfaces { interface.forget(name) }
        }
        gone = []
    }

    // MARK: What the object says of itself

    private func properties(_ call: BusMessage) throws(BusError) -> Bool {
        let name = try call.text("the interface", limit: DesktopRequest.Limit.name)
        let flags = door.capabilities.properties
        guard let properties = interfaces.compactMap({ $0.properties(of: name, at: call.path, flags) }).first else {
            throw BusError(name: "org.freedesktop.DBus.Error.UnknownInterface", message: "there is no such interface")
        }
        switch (call.member, call.signature) {
        case ("GetAll", "s"):
            guard let reply = call.reply() else { return true }
            reply.dictionary {
                for property in properties {
                    reply.entry(property.name, property.value.type) { property.value.write(to: reply) }
                }
            }
            reply.send()
        case ("Get", "ss"):
            let wanted = try call.text("the property", limit: DesktopRequest.Limit.name)
            guard let property = properties.first(where: { $0.name == wanted }) else {
                throw BusError(name: "org.freedesktop.DBus.Error.UnknownProperty", message: "there is no such property")
            }
            guard let reply = call.reply() else { return true }
            reply.variant(property.value.type) { property.value.write(to: reply) }
            reply.send()
        case ("Set", "ssv"):
            throw BusError(name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: "no property can be set")
        default: throw .invalid("\(call.member) takes other values")
        }
        return true
    }

    private func introspect(_ call: BusMessage) -> Bool {
        guard call.member == "Introspect", let reply = call.reply() else { return false }
        let flags = door.capabilities.properties
        let described = interfaces.compactMap { interface in
            let kind = type(of: interface)
            return interface.properties(of: kind.name, at: call.path, flags).map { properties in
                let listed = properties.map { property in
                    "<property name=\"\(property.name)\" type=\"\(property.value.type)\" access=\"read\"/>"
                }
                return "<interface name=\"\(kind.name)\">\(kind.methods)\(listed.joined())</interface>"
            }
        }
        reply.add("<node>\(described.joined())</node>")
        reply.send()
        return true
    }
}
