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
    /// The object that has the interface; objects below it belong to the interface too.
    static var path: String { get }
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

    /// The properties of one of its interfaces at an object.
    ///
    /// - Parameters:
    ///   - interface: The name of the interface.
    ///   - path: The object.
    ///   - flags: What the agent can do now.
    /// - Returns: `nil` if the object does not have the interface.
    func properties(of interface: String, at path: String, _ flags: [DesktopProperty]) -> [DesktopProperty]?

    /// Forgets a program that left the bus, after its requests were withdrawn.
    func forget(_ name: String)
}

/// A property of an interface.
struct DesktopProperty {
    /// The value of a property.
    enum Value: Equatable {
        case flag(Bool)
        case number(UInt32)
        case text(String)
        case texts([String])

        /// Its type on the bus.
        var type: String {
            switch self {
            case .flag: "b"
            case .number: "u"
            case .text: "s"
            case .texts: "as"
            }
        }

        /// Adds the value to a message.
        func write(to output: BusOutput) {
            switch self {
            case .flag(let flag): output.add(flag)
            case .number(let number): output.add(number)
            case .text(let text): output.add(text)
            case .texts(let texts): output.array("s") { for text in texts { output.add(text) } }
            }
        }
    }

    let name: String
    let value: Value

    init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension DesktopInterface {
    static var otherNames: [String] { [] }
    static var path: String { DesktopServing.path }

    func properties(of interface: String, at path: String, _ flags: [DesktopProperty]) -> [DesktopProperty]? {
        guard interface == Self.name, path == Self.path else { return nil }
        return flags + [DesktopProperty("version", .number(Self.version))]
    }

    func forget(_ name: String) {}

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
            "mediation": DesktopRequest.Limit.word, "reference": DesktopRequest.Limit.token,
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
        case .listed(let candidates, let isLocked):
            output.add(UInt32(0))
            output.dictionary {
                output.entry("is_locked", "b") { output.add(isLocked) }
                output.entry("candidates", "aa{sv}") {
                    output.array("a{sv}") { for candidate in candidates { write(candidate, to: output) } }
                }
            }
        case .done:
            output.add(UInt32(0))
            output.dictionary {}
        case .cancelled: error(1, "AbortError")
        case .failed(let code): error(2, name(of: code))
        }
    }

    private static func write(_ candidate: DesktopCandidate, to output: BusOutput) {
        let texts = [
            "type": DesktopRequest.publicKey, "reference": candidate.reference, "credential_id": candidate.credentialID,
            "user_handle": candidate.userHandle, "user_name": candidate.user,
        ]
        output.dictionary {
            for (name, text) in texts { output.entry(name, "s") { output.add(text) } }
            if let time = candidate.lastUsedAt { output.entry("last_used", "t") { output.add(time) } }
        }
    }

    /// The exceptions of the interface.
    ///
    /// It has fewer than WebAuthn: malformed values are a `TypeError`, and every other one is a `NotAllowedError`.
    static func name(of code: ClientError.Code) -> String {
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
            parentWindow: window,
            picked: options["reference"]
        )
        return (request, options["handle_token"])
    }
}
