internal import CLinux
internal import Foundation

/// Asks the desktop for a picture of the screen.
///
/// The [Screenshot portal](https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Screenshot.html) asks the
/// person, who can choose a part of the screen.
package enum ScreenPicture {
    /// Why there is no picture.
    package enum Problem: Error {
        /// The session has no message bus, or no program on it takes pictures.
        case unavailable
        /// The person said no.
        case cancelled
        /// The answer has another form than it should, or none came.
        case failed
    }

    private static let portal = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let second: UInt64 = 1_000_000

    /// Takes a picture.
    ///
    /// - Parameter seconds: The time for the person to answer.
    /// - Returns: The path of the file, which stays until somebody removes it.
    /// - Throws: ``Problem``.
    package static func take(seconds: UInt64 = 120) throws(Problem) -> String {
        guard let connection = MessageBus.session() else { throw .unavailable }
        let bus = unsafe connection.bus
        defer { withExtendedLifetime(connection) {} }
        var name: UnsafePointer<CChar>?
        guard unsafe sd_bus_get_unique_name(bus, &name) >= 0, let name = unsafe name else { throw .unavailable }
        let token = "ward\(UInt64.random(in: .min ... .max))"
        let sender = unsafe String(cString: name).dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
        // The answer can come before the reply to the call, so its place is known before.
        let expected = "\(path)/request/\(sender)/\(token)"
        try unsafe listen(at: expected, bus)

        guard
            let call = unsafe BusOutput(
                bus,
                call: "Screenshot",
                of: "org.freedesktop.portal.Screenshot",
                at: path,
                to: portal
            )
        else { throw .failed }
        call.add("")
        call.dictionary {
            call.entry("handle_token", "s") { call.add(token) }
            call.entry("interactive", "b") { call.add(true) }
            call.entry("modal", "b") { call.add(true) }
        }
        guard let reply = unsafe call.call(on: bus, microseconds: 25 * second) else { throw .unavailable }
        let handle: String
        do { handle = try reply.text("the request", limit: 512, type: "o") } catch { throw .failed }
        // Old portals choose another place.
        if handle != expected { try unsafe listen(at: handle, bus) }
        return try unsafe answer(at: handle, from: reply.sender, seconds: seconds, bus)
    }

    private static func listen(at path: String, _ bus: OpaquePointer) throws(Problem) {
        let service = "org.freedesktop.DBus"
        guard let call = unsafe BusOutput(bus, call: "AddMatch", of: service, at: "/org/freedesktop/DBus", to: service)
        else { throw .failed }
        call.add("type='signal',interface='org.freedesktop.portal.Request',member='Response',path='\(path)'")
        guard unsafe call.call(on: bus, microseconds: 25 * second) != nil else { throw .failed }
    }

    /// Waits for the signal with the result, which only the portal's own connection may send.
    private static func answer(
        at path: String,
        from sender: String,
        seconds: UInt64,
        _ bus: OpaquePointer
    ) throws(Problem) -> String {
        let end = DispatchTime.now().uptimeNanoseconds + seconds * 1_000_000_000
        while true {
            var received: OpaquePointer?
            defer { _ = unsafe sd_bus_message_unref(received) }
            guard unsafe sd_bus_process(bus, &received) >= 0 else { throw .failed }
            if let received = unsafe received {
                let message = unsafe BusMessage(received)
                guard message.member == "Response", message.path == path, message.sender == sender else { continue }
                return try picture(in: message)
            }
            let now = DispatchTime.now().uptimeNanoseconds
            guard now < end, unsafe sd_bus_wait(bus, (end - now) / 1000) >= 0 else { throw .failed }
        }
    }

    private static func picture(in message: BusMessage) throws(Problem) -> String {
        guard let result = message.number() else { throw .failed }
        guard result == 0 else { throw result == 1 ? .cancelled : .failed }
        var address: String?
        do throws(BusError) {
            try message.dictionary(limit: 32) { (key, type) throws(BusError) in
                guard key == "uri", type == "s" else { return false }
                address = try message.text("the address of the picture", limit: 4096)
                return true
            }
        } catch {
            throw .failed
        }
        guard let url = address.flatMap(URL.init(string:)), url.isFileURL, !url.path.isEmpty else { throw .failed }
        return url.path
    }
}
