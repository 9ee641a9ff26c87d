internal import Crypto
internal import Foundation
internal import WardAgentClient
internal import WardText

// The extensions prf and largeBlob between the agent's messages and Apple's types. Inputs of prf are the salts that the client
// derived, 32 bytes each.

extension ASPasskeyAssertionCredentialExtensionInput {
    /// The inputs of a request; `nil` if there are none.
    init?(_ method: ProviderMessages.Assertion) {
        let prf = method.prf?.inputValues.map {
            ASAuthorizationPublicKeyCredentialPRFAssertionInput.inputValues($0)
        }
        var blob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput?
        if method.readsLargeBlob == true { blob = .read }
        if let bytes = method.writesLargeBlob.flatMap({ Base64URL.decode($0) }) { blob = .write(Data(bytes)) }
        guard prf != nil || blob != nil else { return nil }
        self.init(largeBlob: blob, prf: prf)
    }
}

extension ASPasskeyRegistrationCredentialExtensionInput {
    /// The inputs of a request; `nil` if there are none.
    init?(_ method: ProviderMessages.Registration) {
        guard method.wantsPRF == true || method.wantsLargeBlob == true else { return nil }
        let prf: ASAuthorizationPublicKeyCredentialPRFRegistrationInput? =
            method.wantsPRF == true
            ? method.prf?.inputValues.map { .inputValues($0) } ?? .checkForSupport : nil
        self.init(largeBlob: method.wantsLargeBlob == true ? .supportPreferred : nil, prf: prf)
    }
}

extension ProviderMessages.Assertion.Result {
    mutating func add(_ output: ASPasskeyAssertionCredentialExtensionOutput?) {
        prf = output?.prf.map { ProviderMessages.PRFValues($0.first, $0.second) }
        switch output?.largeBlob?.result {
        case .read(let data)?: largeBlob = data.map { Base64URL.encode(Array($0)) }
        case .write(let success)?: isLargeBlobWritten = success
        case nil: break
        }
    }
}

extension ProviderMessages.Registration.Result {
    mutating func add(_ output: ASPasskeyRegistrationCredentialExtensionOutput?) {
        hasPRF = output?.prf?.isSupported
        prf = output?.prf.flatMap { output in output.first.map { ProviderMessages.PRFValues($0, output.second) } }
        hasLargeBlob = output?.largeBlob?.isSupported
    }
}

extension ProviderMessages.PRFValues {
    fileprivate init(_ first: SymmetricKey, _ second: SymmetricKey?) {
        func text(_ key: SymmetricKey) -> String { Base64URL.encode(unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }) }
        self.init(first: text(first), second: second.map { text($0) })
    }

    fileprivate var inputValues: ASAuthorizationPublicKeyCredentialPRFAssertionInput.InputValues? {
        guard let first = Base64URL.decode(first) else { return nil }
        return .saltInput1(Data(first), saltInput2: second.flatMap { Base64URL.decode($0) }.map { Data($0) })
    }
}
