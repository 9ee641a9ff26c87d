internal import WardAgentClient
internal import WardCTAP
internal import WardText
internal import WardWebAuthn

// The extensions prf and largeBlob. A manager that declares them gets the inputs, and the agent checks the outputs. The outputs
// go only to the client, and no signature covers them.
extension SocketAuthenticator {
    /// The maximum size of a large blob, in bytes.
    static let maximumLargeBlob = 4_096

    /// The extensions that this manager's passkeys support.
    var extensions: [CTAPExtensions.Identifier] {
        var found: [CTAPExtensions.Identifier] = []
        if provider.declaration.extensions.contains(.prf) { found.append(.prf) }
        if provider.declaration.extensions.contains(.largeBlob) { found.append(.largeBlob) }
        return found
    }

    // MARK: Using

    /// Adds the inputs of the extensions that the manager declared.
    func add(
        _ request: GetAssertionRequest,
        to message: inout ProviderMessages.Assertion,
        for id: CredentialID
    ) throws(CTAPStatus) {
        if extensions.contains(.prf), let input = try request.extensions.prfInput() {
            message.prf = values(request.allowList.isEmpty ? input.eval : input.salts(for: id))
        }
        guard extensions.contains(.largeBlob), let input = try request.extensions.largeBlobInput() else { return }
        if input.read == true { message.readsLargeBlob = true }
        if let blob = input.write, blob.count <= Self.maximumLargeBlob {
            message.writesLargeBlob = Base64URL.encode(blob)
        }
    }

    /// The extension outputs of a sign-in.
    ///
    /// Without user verification there are no prf results.
    func outputs(
        of answer: ProviderMessages.Assertion.Result,
        to message: ProviderMessages.Assertion,
        isVerified: Bool
    ) throws(AgentError) -> CTAPExtensions {
        var outputs = CTAPExtensions()
        if let results = try results(answer.prf, of: message.prf), isVerified {
            outputs.set(prfOutput: PRFOutputs(results: results))
        }
        if message.readsLargeBlob == true {
            let blob = try answer.largeBlob.map { text throws(AgentError) -> [UInt8] in
                guard let blob = Base64URL.decode(text), blob.count <= Self.maximumLargeBlob else {
                    throw provider.failed("the manager answers with a large blob that is too long, or not base64url")
                }
                return blob
            }
            outputs.set(largeBlobOutput: LargeBlobOutputs(blob: blob))
        } else {
            guard answer.largeBlob == nil else {
                throw provider.failed("the manager answers with a large blob that was not requested")
            }
        }
        if message.writesLargeBlob != nil {
            outputs.set(largeBlobOutput: LargeBlobOutputs(written: answer.isLargeBlobWritten ?? false))
        }
        return outputs
    }

    // MARK: Making

    /// Adds the inputs of the extensions that the manager declared.
    func add(
        _ request: MakeCredentialRequest,
        to message: inout ProviderMessages.Registration
    ) throws(CTAPStatus) {
        if extensions.contains(.prf), let input = try request.extensions.prfInput() {
            message.wantsPRF = true
            message.prf = values(input.eval)
        }
        if extensions.contains(.largeBlob), try request.extensions.largeBlobInput()?.support != nil {
            message.wantsLargeBlob = true
        }
    }

    /// The extension outputs of a new passkey.
    func outputs(
        of answer: ProviderMessages.Registration.Result,
        to message: ProviderMessages.Registration,
        isVerified: Bool
    ) throws(AgentError) -> CTAPExtensions {
        var outputs = CTAPExtensions()
        let results = try results(answer.prf, of: message.prf)
        if message.wantsPRF == true {
            let isEnabled = answer.hasPRF ?? false
            outputs.set(
                prfOutput: PRFOutputs(enabled: isEnabled, results: isEnabled && isVerified ? results : nil)
            )
        }
        if message.wantsLargeBlob == true {
            outputs.set(largeBlobOutput: LargeBlobOutputs(supported: answer.hasLargeBlob ?? false))
        }
        return outputs
    }

    // MARK: The function

    private func values(_ salts: PRFSalts?) -> ProviderMessages.PRFValues? {
        salts.map {
            ProviderMessages.PRFValues(
                first: Base64URL.encode($0.first),
                second: $0.second.map { Base64URL.encode($0) }
            )
        }
    }

    /// The results for the requested salts.
    ///
    /// Other results are an error.
    private func results(
        _ answer: ProviderMessages.PRFValues?,
        of asked: ProviderMessages.PRFValues?
    ) throws(AgentError) -> PRFInputs.Values? {
        guard let answer else { return nil }
        let second = answer.second.map { Base64URL.decode($0) ?? [] }
        guard let asked, (asked.second == nil) == (second == nil),
            let results = PRFSalts(first: Base64URL.decode(answer.first) ?? [], second: second)
        else {
            throw provider.failed(
                "the manager's prf results do not match the request (one or two results of 32 bytes)"
            )
        }
        return PRFInputs.Values(first: results.first, second: results.second)
    }
}
