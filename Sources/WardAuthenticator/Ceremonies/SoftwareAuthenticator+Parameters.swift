internal import WardCTAP

extension SoftwareAuthenticator {
    /// Step 1 of both ceremonies: old clients let a person select an authenticator by sending an empty pinUvAuthParam.
    ///
    /// The authenticator waits for the touch and then answers that no PIN is set.
    func answerTouchProbe(in context: CeremonyContext) async throws(CTAPStatus) {
        try await selection(in: context)
        throw .pinNotSet
    }

    /// Step 2 of both ceremonies.
    func checkTokenProtocol(_ parameter: [UInt8]?, _ pinUVAuthProtocol: PINUVAuthProtocol?) throws(CTAPStatus) {
        guard parameter != nil else { return }
        guard let pinUVAuthProtocol else { throw .missingParameter }
        guard pinUVAuthProtocol == .one || pinUVAuthProtocol == .two else { throw .invalidParameter }
    }

    /// The uv option of both ceremonies: whether verification is wanted and possible.
    ///
    /// With a pinUvAuthParam the option is ignored, because some clients send both.
    func readVerificationOption(
        _ options: CTAPRequestOptions,
        _ parameter: [UInt8]?
    ) async throws(CTAPStatus) -> Bool {
        guard parameter == nil, options.userVerification == true else { return false }
        guard await consent.verificationCapability() == .ready else { throw .invalidOption }
        return true
    }
}
