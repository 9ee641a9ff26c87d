/// The interface that portals call: `org.freedesktop.handler.portal.experimental.Credential`.
///
/// Its methods answer when the request is over. It is the one of credentialsd 0.3, which WebKit also calls without a portal.
struct HandlerInterface: DesktopInterface {
    static let name = "org.freedesktop.handler.portal.experimental.Credential"
    static let version: UInt32 = 1
    static let methods = """
        <method name="CreateCredential"><arg type="s" name="parent_window" direction="in"/>\
        <arg type="s" name="origin" direction="in"/><arg type="s" name="type" direction="in"/>\
        <arg type="a{sv}" name="options" direction="in"/><arg type="s" name="claimed_app_id" direction="in"/>\
        <arg type="u" name="response" direction="out"/><arg type="a{sv}" name="results" direction="out"/></method>\
        <method name="GetCredential"><arg type="s" name="parent_window" direction="in"/>\
        <arg type="s" name="origin" direction="in"/><arg type="a{sv}" name="options" direction="in"/>\
        <arg type="s" name="claimed_app_id" direction="in"/>\
        <arg type="u" name="response" direction="out"/><arg type="a{sv}" name="results" direction="out"/></method>
        """

    let busName = "xyz.iinuwa.credentialsd.Credentials"

    func answer(_ call: BusMessage, _ serving: DesktopServing) throws(BusError) -> Bool {
        guard call.path == DesktopServing.path else { return false }
        let (kind, signature): (DesktopRequest.Kind, String)
        switch call.member {
        case "CreateCredential": (kind, signature) = (.create, "sssa{sv}s")
        case "GetCredential": (kind, signature) = (.get, "ssa{sv}s")
        default: return false
        }
        guard call.signature == signature else { throw .invalid("\(call.member) takes \(signature)") }
        var (request, _) = try Self.request(kind, call)
        request.claimedApp = try call.text("claimed_app_id", limit: DesktopRequest.Limit.name)
        // Without a reply, a request would only disturb the person.
        guard call.wantsReply, let reply = call.reply() else { return true }
        _ = try serving.begin(request, from: call.sender) { answer in
            Self.write(answer, to: reply)
            reply.send()
        }
        return true
    }
}
