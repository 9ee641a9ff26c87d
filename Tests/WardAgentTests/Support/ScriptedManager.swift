import Crypto
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import WardAgentClient
import WardCOSE
import WardText
import WardWebAuthn

/// Another credential manager at a socket, honest until it is told otherwise, and what it was asked.
final class ScriptedManager: Sendable {
    static let identifier = "org.example.Scripted"

    /// What happens instead of an answer.
    enum Trick: Sendable {
        /// Never answers.
        case hang
        /// Closes the connection.
        case die
        /// Answers with these bytes.
        case babble([UInt8])
        /// Refuses with a code.
        case refuse(String)
        /// Answers with something else in place of a member.
        case change(String, JSONValue?)
    }

    /// Whether it is locked, and what it says then.
    enum Locking: Sendable {
        case open
        /// It names what it has.
        case named
        /// It names nothing.
        case secret
    }

    /// What it signs otherwise than it should.
    struct Lies: Sendable {
        /// Bits of the flags that are turned over.
        var flags: UInt8 = 0
        /// The RP ID that is signed for.
        var rpID: String?
        /// Signs with a key nobody knows.
        var usesAnotherKey = false
        /// Makes a credential of this name.
        var credentialID: [UInt8]?
        /// Makes a key of this kind.
        var algorithm = COSEAlgorithmIdentifier.es256
        /// Makes a credential with this public key, in COSE.
        var publicKey: [UInt8]?
        /// Tells of one passkey for every account there is, at this domain too.
        var addsEntry: JSONValue?
    }

    private struct Passkey: Sendable {
        var id: [UInt8]
        var rpID: String
        var user: [UInt8]
        var name: String
        var key: COSEPrivateKey
    }

    private struct State: Sendable {
        var passwords: [(domain: String, user: String, password: String)] = []
        var passkeys: [Passkey] = []
        var tricks: [String: Trick] = [:]
        var lies = Lies()
        var lock = Locking.open
        var isSlow = false
        var seen: [String] = []
        var texts: [String] = []
    }

    private let state = Mutex(State())
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    /// The methods it was asked, without greetings.
    var seen: [String] { state.withLock { $0.seen } }
    /// All that it was told, as text.
    var texts: String { state.withLock { $0.texts.joined(separator: "\n") } }

    func has(_ user: String, _ password: String, at domain: String = SignInFixture.domain) {
        state.withLock { $0.passwords.append((domain, user, password)) }
    }
    func will(_ trick: Trick?, at method: String) { state.withLock { $0.tricks[method] = trick } }
    /// Whether its answers wait until it is told otherwise.
    var isSlow: Bool {
        get { state.withLock { $0.isSlow } }
        set { state.withLock { $0.isSlow = newValue } }
    }
    func locks(_ lock: Locking) { state.withLock { $0.lock = lock } }
    func lies(_ change: @Sendable (inout Lies) -> Void) { state.withLock { change(&$0.lies) } }

    /// Declares a manager and listens; the capabilities are all there are unless others are named.
    static func start(
        in fixture: AgentFixture,
        identifier: String = identifier,
        capabilities: [String] = ProviderCapabilitiesNames.all,
        _ more: [String: JSONValue] = [:]
    ) async throws -> ScriptedManager {
        let socket = fixture.folder + "/\(identifier.suffix(12)).sock"
        try declare(in: fixture, identifier, more.merging(["socket": .string(socket)]) { $1 }, capabilities)
        let manager = ScriptedManager()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineFrames()))
                    try channel.pipeline.syncOperations.addHandler(Handler(manager, identifier))
                }
            }
            .bind(unixDomainSocketPath: socket).get()
        manager.channel.withLock { $0 = listener }
        return manager
    }

    /// Writes a declaration.
    static func declare(
        in fixture: AgentFixture,
        _ identifier: String,
        _ more: [String: JSONValue],
        _ capabilities: [String] = ProviderCapabilitiesNames.all
    ) throws {
        var members: [String: JSONValue] = [
            "version": 1, "identifier": .string(identifier), "name": "Scripted",
            "ASCredentialProviderExtensionCapabilities": .object(capabilities.map { .init($0, true) }),
        ]
        members.merge(more) { $1 }
        let json = JSONValue.object(members.map { .init($0.key, $0.value) }).serialized
        let folder = fixture.folder + "/data/providers"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(json).write(to: URL(fileURLWithPath: folder + "/\(identifier).json"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder + "/\(identifier).json")
    }

    /// Stops listening.
    func end() async throws {
        let listener = channel.withLock { channel in
            defer { channel = nil }
            return channel
        }
        try await listener?.close()
    }

    // MARK: Answers

    /// The answer to a line; `nil` to close the connection, nothing to keep quiet.
    fileprivate func answer(_ line: [UInt8], _ identifier: String) -> [UInt8]? {
        guard let request = try? JSONValue(line), let method = request["method"]?.stringValue,
            let id = request["id"]?.integerValue
        else { return nil }
        let params = request["params"] ?? .null
        let trick = state.withLock { state in
            if method != "hello" { state.seen.append(method) }
            state.texts.append(String(decoding: line, as: UTF8.self))
            return state.tricks[method]
        }
        var result = method == "hello" ? ["version": 2, "identifier": .string(identifier)] : result(method, params)
        switch trick {
        case .hang?: return []
        case .die?: return nil
        case .babble(let bytes)?: return bytes
        case .refuse(let code)?:
            let error: JSONValue = ["code": -32000, "message": "evil words", "data": ["code": .string(code)]]
            return (["jsonrpc": "2.0", "id": .integer(id), "error": error] as JSONValue).serialized + [0x0a]
        case .change(let name, let value)?:
            var members = (result.objectValue ?? []).filter { $0.name != name }
            if let value { members.append(.init(name, value)) }
            result = .object(members)
        case nil: break
        }
        return (["jsonrpc": "2.0", "id": .integer(id), "result": result] as JSONValue).serialized + [0x0a]
    }

    private func result(_ method: String, _ params: JSONValue) -> JSONValue {
        state.withLock { state in
            switch method {
            case "provider.entries":
                let entries = Self.entries(state, params)
                return switch state.lock {
                case .open: ["entries": entries]
                case .named: ["entries": entries, "isLocked": true]
                case .secret: ["entries": [], "isLocked": true]
                }
            case "provider.unlock":
                state.lock = .open
                return [:]
            case "provider.password":
                let index = Int(params["reference"]?.stringValue ?? "") ?? 0
                let found = state.passwords[index]
                return ["user": .string(found.user), "password": .string(found.password)]
            case "provider.save":
                guard let user = params["user"]?.stringValue, let domain = params["domain"]?.stringValue,
                    let password = params["password"]?.stringValue
                else { return [:] }
                state.passwords.removeAll { $0.domain == domain && $0.user == user }
                state.passwords.append((domain, user, password))
                return ["reference": .string("\(state.passwords.count - 1)")]
            case "provider.mayUpgrade": return ["mayUpgrade": true]
            case "provider.textToInsert": return ["text": "snippet"]
            case "provider.code": return ["code": "123456"]
            case "provider.registration": return Self.register(&state, params)
            case "provider.assertion": return Self.sign(state, params)
            default: return [:]
            }
        }
    }

    private static func entries(_ state: State, _ params: JSONValue) -> JSONValue {
        let domains = (params["domains"]?.arrayValue ?? []).compactMap(\.stringValue)
        let kinds = (params["kinds"]?.arrayValue ?? []).compactMap(\.stringValue)
        var entries: [JSONValue] = []
        if kinds.contains("passkey") {
            for passkey in state.passkeys where domains.contains(passkey.rpID) {
                let name = JSONValue.string(Base64URL.encode(passkey.id))
                entries.append([
                    "reference": name, "kind": "passkey", "domain": .string(passkey.rpID),
                    "user": .string(passkey.name), "credentialID": name,
                    "userHandle": .string(Base64URL.encode(passkey.user)),
                ])
            }
        }
        for (index, password) in state.passwords.enumerated()
        where kinds.contains("password") && domains.contains(password.domain) {
            entries.append([
                "reference": .string("\(index)"), "kind": "password", "domain": .string(password.domain),
                "user": .string(password.user),
            ])
        }
        if let more = state.lies.addsEntry { entries.append(more) }
        return .array(entries)
    }

    private static func flags(_ state: State, _ params: JSONValue) -> AuthenticatorData.Flags {
        var flags: AuthenticatorData.Flags = []
        if params["userPresent"]?.boolValue == true { flags.insert(.userPresent) }
        let isVerified = params["userVerified"]?.boolValue == true || params["wantsVerification"]?.boolValue == true
        if isVerified { flags.insert(.userVerified) }
        return AuthenticatorData.Flags(rawValue: flags.rawValue ^ state.lies.flags)
    }

    private static func register(_ state: inout State, _ params: JSONValue) -> JSONValue {
        guard let rpID = params["rpID"]?.stringValue, let user = params["userHandle"]?.base64URLValue,
            let key = try? COSEPrivateKey.generate(state.lies.algorithm)
        else { return [:] }
        let id = state.lies.credentialID ?? (0..<16).map { _ in UInt8.random(in: 0...255) }
        let data = AuthenticatorData.assemble(
            rpIDHash: Array(SHA256.hash(data: Array((state.lies.rpID ?? rpID).utf8))),
            flags: flags(state, params),
            signCount: 0,
            credential: (.zero, id, state.lies.publicKey ?? key.publicKey.encoded)
        )
        let name = params["userName"]?.stringValue ?? ""
        state.passkeys.append(Passkey(id: id, rpID: rpID, user: user, name: name, key: key))
        let object = AttestationObject.assemble(format: "none", statement: [0xa0], authenticatorData: data)
        var members: [JSONValue.Member] = [.init("attestationObject", .string(Base64URL.encode(object)))]
        if params["wantsPRF"]?.boolValue == true { members.append(.init("hasPRF", true)) }
        if params["wantsLargeBlob"]?.boolValue == true { members.append(.init("hasLargeBlob", true)) }
        if let results = function(params["prf"]) { members.append(.init("prf", results)) }
        return .object(members)
    }

    private static func sign(_ state: State, _ params: JSONValue) -> JSONValue {
        guard let id = params["credentialID"]?.base64URLValue, let hash = params["clientDataHash"]?.base64URLValue,
            let passkey = state.passkeys.first(where: { $0.id == id })
        else { return [:] }
        let data = AuthenticatorData.assemble(
            rpIDHash: Array(SHA256.hash(data: Array((state.lies.rpID ?? passkey.rpID).utf8))),
            flags: flags(state, params),
            signCount: 0
        )
        let key = state.lies.usesAnotherKey ? try? COSEPrivateKey.generate() : passkey.key
        let signature = (try? key?.sign(data + hash)) ?? []
        var members: [JSONValue.Member] = [
            .init("credentialID", .string(Base64URL.encode(id))),
            .init("userHandle", .string(Base64URL.encode(passkey.user))),
            .init("authenticatorData", .string(Base64URL.encode(data))),
            .init("signature", .string(Base64URL.encode(signature))),
        ]
        if let results = function(params["prf"]) { members.append(.init("prf", results)) }
        if params["readsLargeBlob"]?.boolValue == true { members.append(.init("largeBlob", "YmxvYg")) }
        if params["writesLargeBlob"] != nil { members.append(.init("isLargeBlobWritten", true)) }
        return .object(members)
    }

    /// A function of salts; `nil` without salts.
    private static func function(_ salts: JSONValue?) -> JSONValue? {
        guard let salts = salts?.objectValue else { return nil }
        return .object(
            salts.map { salt in
                let bytes = Array(SHA256.hash(data: salt.value.base64URLValue ?? []))
                return .init(salt.name, .string(Base64URL.encode(bytes)))
            }
        )
    }
}

/// The five keys of a declaration.
enum ProviderCapabilitiesNames {
    static let all = [
        "ProvidesPasswords", "ProvidesPasskeys", "ProvidesOneTimeCodes", "ProvidesTextToInsert",
        "SupportsConditionalPasskeyRegistration",
    ]
}

/// Lines in, lines out.
private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let manager: ScriptedManager
    private let identifier: String

    init(_ manager: ScriptedManager, _ identifier: String) {
        self.manager = manager
        self.identifier = identifier
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        respond(to: Array(unwrapInboundIn(data).readableBytesView), context)
    }

    private func respond(to line: [UInt8], _ context: ChannelHandlerContext) {
        guard !manager.isSlow else {
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            _ = context.eventLoop.scheduleTask(in: .milliseconds(5)) { bound.value.0.respond(to: line, bound.value.1) }
            return
        }
        guard let answer = manager.answer(line, identifier) else { return context.close(promise: nil) }
        guard !answer.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
    }
}
