import Crypto
import Synchronization
import WardCBOR
import WardCOSE
import WardCTAP
import WardWebAuthn

/// An authenticator that does as the test says and remembers what it was asked.
final class ScriptedAuthenticator: CTAPAuthenticator {
    struct Credential: Sendable {
        let id: CredentialID
        let rpID: String
        let user: CTAPUserEntity
        let key: COSEPrivateKey
        var blob: [UInt8]?
    }

    struct State: Sendable {
        var info = AuthenticatorInfo(
            versions: [AuthenticatorInfo.fido21],
            extensions: [.prf, .largeBlob, .credProtect, .hmacSecret, .minPinLength],
            aaguid: AAGUID([UInt8](repeating: 0x57, count: 16)) ?? .zero,
            options: [.platformDevice: true, .residentKey: true, .userVerification: true],
            transports: [.internal, .hybrid],
            algorithms: [.init(.es256), .init(.edDSA)]
        )
        /// What every request is refused with.
        var refusal: CTAPStatus?
        /// What the question for its information is refused with.
        var infoRefusal: CTAPStatus?
        /// Waits until its task is cancelled, as a prompt that nobody answers.
        var waits = false
        var attestsItself = false
        /// Makes a key of this kind whatever was asked for.
        var insistsOn: COSEAlgorithmIdentifier?
        var flags: AuthenticatorData.Flags = [.userPresent, .backupEligible, .backupState]
        /// Every prf result is HMAC under this.
        var credRandom = [UInt8](repeating: 7, count: 32)
        /// Changes what it answers.
        var spoilMake: (@Sendable (inout MakeCredentialResponse) -> Void)?
        var spoilGet: (@Sendable (inout GetAssertionResponse) -> Void)?
        /// Takes part in key agreements, of which it counts the requests.
        var agreement: PINUVKeyAgreement?
        var agreements = 0
        /// What `hmac-secret` answers at a sign-in, before it is encrypted.
        var secretResults: [UInt8]?
        /// Answers every passkey one after the other, as one without a screen does.
        var asksNobodyWhich = false

        var credentials: [Credential] = []
        var queue: [GetAssertionResponse] = []
        var made: [MakeCredentialRequest] = []
        var got: [GetAssertionRequest] = []
        var contexts: [CeremonyContext] = []
        var selections = 0
        var wasCancelled = false
    }

    let state: Mutex<State>

    init(_ change: (inout State) -> Void = { _ in }) {
        var state = State()
        change(&state)
        self.state = Mutex(state)
    }

    var seen: State { state.withLock { $0 } }

    func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }

    func info() async throws(CTAPStatus) -> AuthenticatorInfo {
        if let refusal = seen.infoRefusal { throw refusal }
        return seen.info
    }

    func selection(in context: CeremonyContext) async throws(CTAPStatus) {
        state.withLock { $0.selections += 1 }
        try await obey(context)
    }

    private func obey(_ context: CeremonyContext) async throws(CTAPStatus) {
        state.withLock { $0.contexts.append(context) }
        if seen.waits {
            do { try await Task.sleep(for: .seconds(3_600)) } catch {
                state.withLock { $0.wasCancelled = true }
                throw .keepaliveCancel
            }
        }
        if let refusal = seen.refusal { throw refusal }
    }

    func clientPIN(
        _ request: ClientPINRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> ClientPINResponse {
        state.withLock { $0.agreements += 1 }
        guard let agreement = seen.agreement else { throw .invalidCommand }
        return ClientPINResponse(keyAgreement: agreement.publicKey)
    }

    func makeCredential(
        _ request: MakeCredentialRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> MakeCredentialResponse {
        state.withLock { $0.made.append(request) }
        try await obey(context)
        let now = seen
        if now.credentials.contains(where: { held in request.excludeList.contains { $0.id == held.id } }) {
            throw .credentialExcluded
        }
        let offered = now.info.algorithms.map(\.alg)
        let fitting = request.pubKeyCredParams.map(\.alg).first { offered.contains($0) }
        guard let alg = now.insistsOn ?? fitting else { throw .unsupportedAlgorithm }
        guard let key = try? COSEPrivateKey.generate(alg),
            let id = CredentialID(Array(SHA256.hash(data: key.publicKey.encoded)))
        else { throw .other }
        var signed = CTAPExtensions()
        if try request.extensions.flag(.hmacSecret) == true { signed[.hmacSecret] = .bool(true) }
        if let policy = try request.extensions.credProtect() { signed.set(credProtect: policy) }
        let data = AuthenticatorData.assemble(
            rpIDHash: Array(SHA256.hash(data: Array(request.relyingParty.id.utf8))),
            flags: flags(now, request.options, context),
            signCount: 0,
            credential: (now.info.aaguid, id.bytes, key.publicKey.encoded),
            extensions: signed.bytes
        )
        var response = MakeCredentialResponse(format: "none", authenticatorData: data, attestationStatement: .map([]))
        if now.attestsItself {
            guard let signature = try? key.sign(data + request.clientDataHash) else { throw .other }
            response.format = "packed"
            response.attestationStatement = ["alg": .integer(Int64(alg.rawValue)), "sig": .bytes(signature)]
        }
        if let prf = try request.extensions.prfInput() {
            let results = prf.eval.map { evaluate($0, now) }
            response.unsignedExtensionOutputs.set(prfOutput: PRFOutputs(enabled: true, results: results))
        }
        if try request.extensions.largeBlobInput() != nil {
            response.unsignedExtensionOutputs.set(largeBlobOutput: LargeBlobOutputs(supported: true))
        }
        now.spoilMake?(&response)
        state.withLock {
            $0.credentials.append(Credential(id: id, rpID: request.relyingParty.id, user: request.user, key: key))
        }
        return response
    }

    func getAssertion(
        _ request: GetAssertionRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> GetAssertionResponse {
        state.withLock { $0.got.append(request) }
        try await obey(context)
        let now = seen
        let fitting = now.credentials.filter { held in
            held.rpID == request.rpID
                && (request.allowList.isEmpty || request.allowList.contains { $0.id == held.id })
        }
        guard !fitting.isEmpty else { throw .noCredentials }
        var responses: [GetAssertionResponse] = []
        for held in fitting.reversed() { responses.append(try answer(held, request, now, context)) }
        if now.asksNobodyWhich, responses.count > 1 {
            responses[0].numberOfCredentials = responses.count
            let rest = Array(responses.dropFirst())
            state.withLock { $0.queue = rest }
        }
        return responses[0]
    }

    func getNextAssertion(in context: CeremonyContext) async throws(CTAPStatus) -> GetAssertionResponse {
        guard let next = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) else { throw .notAllowed }
        return next
    }

    private func answer(
        _ held: Credential,
        _ request: GetAssertionRequest,
        _ now: State,
        _ context: CeremonyContext
    ) throws(CTAPStatus) -> GetAssertionResponse {
        var signed = CTAPExtensions()
        if let agreement = now.agreement, let results = now.secretResults,
            let input = try request.extensions.hmacSecretInput(.hmacSecret)
        {
            signed[.hmacSecret] = .bytes(try input.open(with: agreement).secret.encrypt(results))
        }
        let data = AuthenticatorData.assemble(
            rpIDHash: Array(SHA256.hash(data: Array(request.rpID.utf8))),
            flags: flags(now, request.options, nil),
            signCount: 0,
            extensions: signed.bytes
        )
        guard let signature = try? held.key.sign(data + request.clientDataHash) else { throw .other }
        var response = GetAssertionResponse(
            credential: PublicKeyCredentialDescriptor(id: held.id),
            authenticatorData: data,
            signature: signature,
            user: held.user
        )
        if let salts = try request.extensions.prfInput()?.salts(for: held.id) {
            response.unsignedExtensionOutputs.set(prfOutput: PRFOutputs(results: evaluate(salts, now)))
        }
        if let blob = try request.extensions.largeBlobInput() {
            if let write = blob.write {
                state.withLock { state in
                    for index in state.credentials.indices where state.credentials[index].id == held.id {
                        state.credentials[index].blob = write
                    }
                }
                response.unsignedExtensionOutputs.set(largeBlobOutput: LargeBlobOutputs(written: true))
            } else if let kept = held.blob {
                response.unsignedExtensionOutputs.set(largeBlobOutput: LargeBlobOutputs(blob: kept))
            }
        }
        now.spoilGet?(&response)
        return response
    }

    private func flags(
        _ now: State,
        _ options: CTAPRequestOptions,
        _ context: CeremonyContext?
    ) -> AuthenticatorData.Flags {
        var flags = now.flags
        if options.userVerification == true { flags.insert(.userVerified) }
        if context?.isConditional == true { flags.subtract([.userPresent, .userVerified]) }
        return flags
    }

    private func evaluate(_ salts: PRFSalts, _ now: State) -> PRFInputs.Values {
        let key = SymmetricKey(data: now.credRandom)
        func mac(_ salt: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: salt, using: key)) }
        return PRFInputs.Values(first: mac(salts.first), second: salts.second.map(mac))
    }
}
