internal import WardClient

/// One of the interfaces by which programs of the desktop ask for passkeys.
///
/// The interfaces are drafts that change. Each has a file of its own, which turns a message into a ``DesktopRequest`` and a
/// ``DesktopAnswer`` into a message. No other file knows its shape.
protocol DesktopInterface {
    /// The name of the interface.
    static var name: String { get }
    /// The other interfaces that belong to it.
    static var otherNames: [String] { get }
    /// The bus name at which the interface is found.
    var busName: String { get }
    /// The methods, as introspection describes them.
    static var methods: String { get }
    /// The version, a property of the interface.
    static var version: UInt32 { get }

    /// Answers a call of the interface.
    ///
    /// - Returns: Whether the interface has this method.
    /// - Throws: ``BusError``, which becomes the reply.
    func answer(_ call: BusMessage, _ serving: DesktopServing) throws(BusError) -> Bool
}

extension DesktopInterface {
    static var otherNames: [String] { [] }

    /// Reads the dictionary with the options of a request.
    ///
    /// Options that are not known are ignored.
    ///
    /// - Returns: The texts of the known options.
    /// - Throws: ``BusError`` if a known option has another type, is too long, or is there twice.
    static func options(_ call: BusMessage) throws(BusError) -> [String: String] {
        let limits = [
            "handle_token": DesktopRequest.Limit.token, "activation_token": DesktopRequest.Limit.token,
            "top_origin": DesktopRequest.Limit.origin, "public_key": DesktopRequest.Limit.options,
            "mediation": DesktopRequest.Limit.word,
        ]
        var options: [String: String] = [:]
        try call.dictionary(limit: DesktopRequest.Limit.entries) { (key, type) throws(BusError) in
            guard let limit = limits[key] else { return false }
            guard type == "s" else { throw .invalid("\(key) must be a text") }
            guard options[key] == nil else { throw .invalid("\(key) is there twice") }
            options[key] = try call.text(key, limit: limit)
            return true
        }
        return options
    }

    /// The values of an answer: a number, and a dictionary.
    ///
    /// 0 is success, 1 a request that was withdrawn, 2 an error.
    static func write(_ answer: DesktopAnswer, to output: BusOutput) {
        func credential(_ name: String, _ json: String) {
            output.add(UInt32(0))
            output.dictionary {
                output.entry("type", "s") { output.add(DesktopRequest.publicKey) }
                output.entry("public_key", "a{sv}") {
                    output.dictionary { output.entry(name, "s") { output.add(json) } }
                }
            }
        }
        func error(_ status: UInt32, _ name: String) {
            output.add(status)
            output.dictionary {
                output.entry("error", "s") { output.add("xyz.iinuwa.credentialsd." + name) }
            }
        }
        switch answer {
        case .created(let json): credential("registration_response_json", json)
        case .used(let json): credential("authentication_response_json", json)
        case .cancelled: error(1, "AbortError")
        case .failed(let code): error(2, name(of: code))
        }
    }

    /// The exceptions of the interface.
    ///
    /// It has fewer than WebAuthn: malformed values are a `TypeError`, and every other one is a `NotAllowedError`.
    private static func name(of code: ClientError.Code) -> String {
        switch code {
        case .abort, .constraint, .invalidState, .notSupported, .security, .notAllowed, .type: code.name
        case .encoding, .syntax: ClientError.Code.type.name
        default: ClientError.Code.notAllowed.name
        }
    }

    /// Reads the arguments that both methods share.
    static func request(
        _ kind: DesktopRequest.Kind,
        _ call: BusMessage
    ) throws(BusError) -> (request: DesktopRequest, token: String?) {
        let window = try call.text("parent_window", limit: DesktopRequest.Limit.window)
        let origin = try call.text("origin", limit: DesktopRequest.Limit.origin)
        let credential =
            kind == .create ? try call.text("type", limit: DesktopRequest.Limit.word) : DesktopRequest.publicKey
        let options = try options(call)
        guard let json = options["public_key"] else { throw .invalid("public_key is missing") }
        let request = DesktopRequest(
            kind: kind,
            credential: credential,
            origin: origin,
            topOrigin: options["top_origin"],
            options: json,
            mediation: options["mediation"],
            parentWindow: window
        )
        return (request, options["handle_token"])
    }
}
