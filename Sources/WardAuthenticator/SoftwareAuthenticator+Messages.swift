public import WardCTAP

extension SoftwareAuthenticator {
    /// Answers one message of a transport: a command byte with parameters.
    ///
    /// The answer is a status byte with the result.
    ///
    /// Every input gets an answer. No message can start a conditional request. Unless the configuration says that the transport
    /// encrypts messages, `prf` and `largeBlob` are neither offered nor accepted. CTAP 2.3, section 6.
    ///
    /// - Parameters:
    ///   - message: The message, assembled from its packets.
    ///   - context: The context with the transport's channel.
    /// - Returns: The answer, at least one byte.
    public func process(_ message: [UInt8], in context: CeremonyContext) async -> [UInt8] {
        var context = context
        context.isConditional = false
        context.picked = nil
        do {
            return [CTAPStatus.ok.rawValue] + (try await answer(message, in: context))
        } catch {
            // An error must never have the status of success.
            return [error == .ok ? CTAPStatus.other.rawValue : error.rawValue]
        }
    }

    private func answer(_ message: [UInt8], in context: CeremonyContext) async throws(CTAPStatus) -> [UInt8] {
        guard message.count <= configuration.maximumMessageSize else { throw .requestTooLarge }
        guard let first = message.first else { throw .invalidLength }
        let command = CTAPCommand(rawValue: first)
        let parameters = Array(message.dropFirst())
        // CTAP 2.3, section 6.3: any other command deletes the state for getNextAssertion.
        if command != .getNextAssertion { forgetConversation(context) }
        switch command {
        case .makeCredential:
            var request = try MakeCredentialRequest(parameters)
            request.extensions = heard(request.extensions)
            return try await makeCredential(request, in: context).encoded
        case .getAssertion:
            var request = try GetAssertionRequest(parameters)
            request.extensions = heard(request.extensions)
            return try await getAssertion(request, in: context).encoded
        case .clientPIN:
            return try await clientPIN(try ClientPINRequest(parameters), in: context).encoded
        case .getInfo:
            guard parameters.isEmpty else { throw .invalidLength }
            var info = try await info()
            if !configuration.takesDirectExtensionsInMessages {
                info.extensions.removeAll { [.prf, .largeBlob, .credProps].contains($0) }
            }
            return info.encoded
        case .getNextAssertion:
            guard parameters.isEmpty else { throw .invalidLength }
            return try await getNextAssertion(in: context).encoded
        case .selection:
            guard parameters.isEmpty else { throw .invalidLength }
            try await selection(in: context)
            return []
        default: throw .invalidCommand
        }
    }

    /// The extensions that a message may use.
    private func heard(_ extensions: CTAPExtensions) -> CTAPExtensions {
        guard !configuration.takesDirectExtensionsInMessages else { return extensions }
        var extensions = extensions
        extensions[.prf] = nil
        extensions[.largeBlob] = nil
        return extensions
    }
}
