internal import WardCTAP

extension SoftwareAuthenticator {
    /// Step 1 of both ceremonies: clients of old let a person pick an authenticator by sending an empty pinUvAuthParam.
    ///
    /// The touch is waited for; then it is said that there is no PIN.
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

    /// The uv option of both ceremonies: whether the person shall be verified, and whether that can be had.
    ///
    /// With a pinUvAuthParam it counts as absent, whatever it says: some clients send both.
    func readVerificationOption(
        _ options: CTAPRequestOptions,
        _ parameter: [UInt8]?
    ) async throws(CTAPStatus) -> Bool {
        guard parameter == nil, options.userVerification == true else { return false }
        guard await consent.verificationCapability() == .ready else { throw .invalidOption }
        return true
    }
}
