/// The interface of a credential manager behind a portal: `Documentation/formats/provider-dbus.md`.
///
/// A portal lists what the vault has for a site, shows that in its own window, and has the picked passkey used. Its methods answer
/// when the request is over, unless the portal takes the request back.
final class ProviderInterface: DesktopInterface {
    static let name = "org.freedesktop.impl.portal.experimental.CredentialProvider"
    static let version: UInt32 = 1
    static let path = "/org/freedesktop/portal/credential_provider"
    static let methods = """
        <method name="ListCandidates"><arg type="s" name="rp_id" direction="in"/>\
        <arg type="a{sv}" name="options" direction="in"/>\(results)</method>\
        <method name="Unlock"><arg type="s" name="parent_window" direction="in"/>\
        <arg type="a{sv}" name="options" direction="in"/>\(results)</method>\
        <method name="CreateCredential"><arg type="s" name="parent_window" direction="in"/>\
        <arg type="s" name="origin" direction="in"/><arg type="s" name="type" direction="in"/>\
        <arg type="a{sv}" name="options" direction="in"/><arg type="s" name="app_id" direction="in"/>\(results)</method>\
        <method name="GetCredential"><arg type="s" name="parent_window" direction="in"/>\
        <arg type="s" name="origin" direction="in"/><arg type="a{sv}" name="options" direction="in"/>\
        <arg type="s" name="app_id" direction="in"/>\(results)</method>\
        <method name="Signal"><arg type="s" name="origin" direction="in"/><arg type="s" name="kind" direction="in"/>\
        <arg type="s" name="json" direction="in"/><arg type="a{sv}" name="options" direction="in"/>\(results)</method>\
        <method name="Cancel"><arg type="s" name="token" direction="in"/></method>
        """

    private static let results =
        "<arg type=\"u\" name=\"response\" direction=\"out\"/><arg type=\"a{sv}\" name=\"results\" direction=\"out\"/>"

    /// A request that its caller can take back.
    private struct Handle: Hashable {
        let caller: String
        let token: String
    }

    /// A provider is found by the beginning of its bus name.
    let busName = name + ".ward"
    private var running: [Handle: UInt64] = [:]

    func properties(of interface: String, at path: String, _ flags: [DesktopProperty]) -> [DesktopProperty]? {
        guard interface == Self.name, path == Self.path else { return nil }
        let isReady = flags.contains { $0.name == "PasskeyPlatformAuthenticator" && $0.value == .flag(true) }
        return [
            DesktopProperty("Name", .text("Ward")), DesktopProperty("VerifiesUser", .flag(true)),
            DesktopProperty("Types", .texts(isReady ? [DesktopRequest.publicKey] : [])),
            DesktopProperty("version", .number(Self.version)),
        ]
    }

    func answer(_ call: BusMessage, _ serving: DesktopServing) throws(BusError) -> Bool {
        guard call.path == Self.path else { return false }
        let signatures = [
            "ListCandidates": "sa{sv}", "Unlock": "sa{sv}", "CreateCredential": "sssa{sv}s",
            "GetCredential": "ssa{sv}s",
            "Signal": "sssa{sv}", "Cancel": "s",
        ]
        guard let signature = signatures[call.member] else { return false }
        guard call.signature == signature else { throw .invalid("\(call.member) takes \(signature)") }
        if call.member == "Cancel" { return try cancel(call, serving) }
        var (request, token) = try request(call)
        request.isForPortals = true
        guard call.wantsReply, let reply = call.reply() else { return true }
        let handle = token.map { Handle(caller: call.sender, token: $0) }
        if let handle, running[handle] != nil { throw .invalid("a request with this handle_token is running") }
        let number = try serving.begin(request, from: call.sender) { [self] answer in
            if let handle { running[handle] = nil }
            Self.write(answer, to: reply)
            reply.send()
        } whenWithdrawn: { [self] in
            if let handle { running[handle] = nil }
            Self.write(.cancelled, to: reply)
            reply.send()
        }
        if let handle { running[handle] = number }
        return true
    }

    private func request(_ call: BusMessage) throws(BusError) -> (request: DesktopRequest, token: String?) {
        switch call.member {
        case "CreateCredential", "GetCredential":
            var (request, token) = try Self.request(call.member == "GetCredential" ? .get : .create, call)
            request.claimedApp = try call.text("app_id", limit: DesktopRequest.Limit.name)
            return (request, token)
        case "Signal":
            var request = DesktopRequest(kind: .signal)
            request.origin = try call.text("origin", limit: DesktopRequest.Limit.origin)
            request.signal = try call.text("kind", limit: DesktopRequest.Limit.word)
            request.options = try call.text("json", limit: DesktopRequest.Limit.options)
            return (request, try Self.options(call)["handle_token"])
        case "Unlock":
            var request = DesktopRequest(kind: .unlock)
            request.parentWindow = try call.text("parent_window", limit: DesktopRequest.Limit.window)
            return (request, try Self.options(call)["handle_token"])
        default:
            var request = DesktopRequest(kind: .list)
            request.domain = try call.text("rp_id", limit: DesktopRequest.Limit.name)
            return (request, try Self.options(call)["handle_token"])
        }
    }

    /// Takes a request back, for its own caller.
    private func cancel(_ call: BusMessage, _ serving: DesktopServing) throws(BusError) -> Bool {
        let token = try call.text("token", limit: DesktopRequest.Limit.token)
        guard let number = running[Handle(caller: call.sender, token: token)] else {
            throw .invalid("no request with this handle_token is running")
        }
        serving.withdraw(number)
        call.reply()?.send()
        return true
    }
}
