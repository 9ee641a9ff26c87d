/// The interface that the portal of the next version calls: `xyz.iinuwa.credentialsd.Manager`.
///
/// A request is a session, which starts with `Start` and ends with a signal. It is a draft of which Ward answers the part that needs
/// no security key, no phone and no window of the portal's: the person answers in the agent's prompt.
final class ManagerInterface: DesktopInterface {
    static let name = "xyz.iinuwa.credentialsd.Manager"
    static let version: UInt32 = 1
    static let path = "/xyz/iinuwa/credentialsd/Manager"
    static let methods = """
        <method name="CreatePublicKeyCredential"><arg type="s" name="request_json" direction="in"/>\
        <arg type="s" name="origin" direction="in"/><arg type="s" name="top_origin" direction="in"/>\
        <arg type="o" name="session" direction="out"/></method>\
        <method name="GetCredential"><arg type="s" name="origin" direction="in"/>\
        <arg type="s" name="top_origin" direction="in"/><arg type="a{sv}" name="options" direction="in"/>\
        <arg type="o" name="session" direction="out"/></method>
        """

    private static let session = "xyz.iinuwa.credentialsd.Session"
    static let otherNames = [session]

    /// What the portal calls if there are security keys and phones.
    private static let absent: Set = ["EnterClientPin", "SelectCredential", "GetHybridInvocationData"]
    /// The maximum number of sessions of one program, and of all.
    private static let limits = (perCaller: DesktopServing.perCaller, total: DesktopServing.total)

    private struct Session {
        let owner: String
        let request: DesktopRequest
        /// The number of the request, once it started.
        var number: UInt64?
    }

    let busName = HandlerInterface().busName
    private var sessions: [String: Session] = [:]
    private var made = 0

    func properties(of interface: String, at path: String, _ flags: [DesktopProperty]) -> [DesktopProperty]? {
        if interface == Self.name, path == Self.path {
            return flags + [DesktopProperty("version", .number(Self.version))]
        }
        guard interface == Self.session, let session = sessions[path] else { return nil }
        return [
            DesktopProperty("RpId", .text(session.request.rpID ?? "")),
            // This machine, as its only authenticator.
            DesktopProperty("Devices", .texts(["platform"])),
        ]
    }

    func answer(_ call: BusMessage, _ serving: DesktopServing) throws(BusError) -> Bool {
        if call.path != Self.path { return try answerSession(call, serving) }
        guard call.interface != Self.session else { return false }
        var request: DesktopRequest
        switch (call.member, call.signature) {
        case ("CreatePublicKeyCredential", "sss"):
            request = DesktopRequest(kind: .create)
            request.options = try call.text("request_json", limit: DesktopRequest.Limit.options)
            request.origin = try call.text("origin", limit: DesktopRequest.Limit.origin)
            request.topOrigin = try call.text("top_origin", limit: DesktopRequest.Limit.origin)
        case ("GetCredential", "ssa{sv}"):
            request = DesktopRequest(kind: .get)
            request.origin = try call.text("origin", limit: DesktopRequest.Limit.origin)
            request.topOrigin = try call.text("top_origin", limit: DesktopRequest.Limit.origin)
            let options = try Self.options(call)
            guard let json = options["public_key"] else { throw .invalid("public_key is missing") }
            request.options = json
            request.mediation = options["mediation"]
        case ("CreatePublicKeyCredential", _), ("GetCredential", _): throw .invalid("\(call.member) takes other values")
        default: return false
        }
        guard call.wantsReply, let reply = call.reply() else { return true }
        guard sessions.count < Self.limits.total,
            sessions.values.count(where: { $0.owner == call.sender }) < Self.limits.perCaller
        else { throw .limits("too many sessions are open: try again when one is over") }
        // A program that leaves takes its sessions with it.
        try serving.know(call.sender)
        made &+= 1
        let path = "\(Self.path)/session/\(made)"
        sessions[path] = Session(owner: call.sender, request: request)
        reply.add(path, type: "o")
        reply.send()
        return true
    }

    private func answerSession(_ call: BusMessage, _ serving: DesktopServing) throws(BusError) -> Bool {
        guard call.interface.isEmpty || call.interface == Self.session, let session = sessions[call.path] else {
            return false
        }
        guard session.owner == call.sender else { throw .denied("another program made this session") }
        switch call.member {
        case "Start":
            guard session.number == nil else { throw .invalid("the session has started") }
            try start(session, call.path, serving)
        case "Close":
            sessions[call.path] = nil
            if let number = session.number { serving.withdraw(number) }
        case _ where Self.absent.contains(call.member):
            throw BusError(
                name: "org.freedesktop.DBus.Error.NotSupported",
                message: "the person answers in a prompt of the agent"
            )
        default: return false
        }
        call.reply()?.send()
        return true
    }

    private func start(_ session: Session, _ path: String, _ serving: DesktopServing) throws(BusError) {
        let number = try serving.begin(session.request, from: session.owner) { [self] answer in
            sessions[path] = nil
            let isError: UInt32?
            let json: String
            switch answer {
            case .created(let text), .used(let text): (isError, json) = (nil, text)
            default: (isError, json) = (Self.number(of: answer), "")
            }
            let signal = serving.signal(
                isError == nil ? "CeremonyCompleted" : "ErrorOccurred",
                of: Self.session,
                at: path,
                to: session.owner
            )
            if let isError { signal?.add(isError) } else { signal?.add(json) }
            signal?.send()
        } whenWithdrawn: { [self] in
            sessions[path] = nil
        }
        sessions[path]?.number = number
    }

    func forget(_ name: String) { sessions = sessions.filter { $0.value.owner != name } }

    /// The number of an error: its place in the list of exceptions of the other interfaces, from 1 on.
    private static func number(of answer: DesktopAnswer) -> UInt32 {
        guard case .failed(let code) = answer else { return 1 }
        let names = [
            "AbortError", "ConstraintError", "InvalidStateError", "NotSupportedError", "SecurityError",
            "NotAllowedError",
            "TypeError",
        ]
        return UInt32((names.firstIndex(of: name(of: code)) ?? 5) + 1)
    }
}
