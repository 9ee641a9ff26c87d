/// The interface that programs call at a portal: `org.freedesktop.portal.experimental.Credential`.
///
/// Its methods answer at once with the path of a request. The result follows as a signal of that request, to the caller alone.
/// The agent serves it only under a name that `WARD_PORTAL_NAME` gives: where a portal runs, the portal has its own name.
final class PortalInterface: DesktopInterface {
    static let name = "org.freedesktop.portal.experimental.Credential"
    static let version: UInt32 = 1
    static let methods = """
        <method name="CreateCredential"><arg type="s" name="parent_window" direction="in"/>\
        <arg type="s" name="origin" direction="in"/><arg type="s" name="type" direction="in"/>\
        <arg type="a{sv}" name="options" direction="in"/><arg type="o" name="handle" direction="out"/></method>\
        <method name="GetCredential"><arg type="s" name="parent_window" direction="in"/>\
        <arg type="s" name="origin" direction="in"/><arg type="a{sv}" name="options" direction="in"/>\
        <arg type="o" name="handle" direction="out"/></method>
        """

    private static let requestInterface = "org.freedesktop.portal.Request"
    private static let registry = "org.freedesktop.host.portal.Registry"

    static let otherNames = [requestInterface, registry]

    /// A request that runs, and the connection that may close it.
    private struct Handle {
        let number: UInt64
        let owner: String
    }

    let busName: String
    private var handles: [String: Handle] = [:]
    /// The number of paths that were made without a token of the caller.
    private var made = 0

    init(busName: String) { self.busName = busName }

    func answer(_ call: BusMessage, _ serving: DesktopServing) throws(BusError) -> Bool {
        if call.path != DesktopServing.path { return try close(call, serving) }
        let (kind, signature): (DesktopRequest.Kind, String)
        switch (call.interface, call.member) {
        case (Self.registry, "Register"):
            // What a program says of itself is not used.
            call.reply()?.send()
            return true
        case (Self.registry, _): return false
        case (_, "CreateCredential"): (kind, signature) = (.create, "sssa{sv}")
        case (_, "GetCredential"): (kind, signature) = (.get, "ssa{sv}")
        default: return false
        }
        guard call.signature == signature else { throw .invalid("\(call.member) takes \(signature)") }
        let (request, token) = try Self.request(kind, call)
        guard let reply = call.reply() else { return true }
        let caller = call.sender
        let path = try path(token, of: caller)
        let number = try serving.begin(request, from: caller) { [self] answer in
            handles[path] = nil
            guard let signal = serving.signal("Response", of: Self.requestInterface, at: path, to: caller) else {
                return
            }
            Self.write(answer, to: signal)
            signal.send()
        } whenWithdrawn: { [self] in
            handles[path] = nil
        }
        handles[path] = Handle(number: number, owner: caller)
        reply.add(path, type: "o")
        reply.send()
        return true
    }

    /// Closes a request, for its own caller.
    private func close(_ call: BusMessage, _ serving: DesktopServing) throws(BusError) -> Bool {
        guard call.interface.isEmpty || call.interface == Self.requestInterface, call.member == "Close",
            let handle = handles[call.path]
        else { return false }
        guard handle.owner == call.sender else { throw .denied("another program made this request") }
        serving.withdraw(handle.number)
        call.reply()?.send()
        return true
    }

    /// The path of a request: it contains the caller's name and its token.
    private func path(_ token: String?, of caller: String) throws(BusError) -> String {
        let name = String(caller.dropFirst().map { $0 == "." ? "_" : $0 })
        let prefix = "\(DesktopServing.path)/request/\(name)/"
        guard let token else {
            made &+= 1
            return prefix + "ward\(made)"
        }
        guard (1...DesktopRequest.Limit.name).contains(token.utf8.count),
            token.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "_") })
        else { throw .invalid("handle_token must be letters, digits and underscores") }
        guard handles[prefix + token] == nil else { throw .invalid("a request with this handle_token is running") }
        return prefix + token
    }
}
