import AuthenticationServices
import Crypto
import Foundation

// What a service asks of a passkey besides a signature. Inputs of prf are salts of 32 bytes.

extension Keychain.Passkey {
    /// The results for a new passkey.
    func newOutput(for input: ASPasskeyCredentialExtensionInput?) -> ASPasskeyRegistrationCredentialExtensionOutput? {
        guard case .registration(let input)? = input else { return nil }
        var prf: ASAuthorizationPublicKeyCredentialPRFRegistrationOutput?
        if let wanted = input.prf {
            let results = wanted.inputValues.map { ($0.saltInput1, $0.saltInput2) }
            prf = results.map { .init(first: key($0), second: $1.map(key)) } ?? .supported
        }
        return .init(largeBlob: input.largeBlob.map { _ in .init(isSupported: true) }, prf: prf)
    }

    /// The results at sign-in; a blob that is to be written is in the passkey afterwards.
    mutating func output(
        for input: ASPasskeyCredentialExtensionInput?
    ) -> ASPasskeyAssertionCredentialExtensionOutput? {
        guard case .assertion(let input)? = input else { return nil }
        let prf = input.prf?.inputValues.map { values in
            ASAuthorizationPublicKeyCredentialPRFAssertionOutput(
                first: key(values.saltInput1),
                second: values.saltInput2.map(key)
            )
        }
        switch input.largeBlob?.operation {
        case .read?: return .init(largeBlob: .read(data: largeBlob), prf: prf)
        case .write(let blob)?:
            largeBlob = blob
            return .init(largeBlob: .write(success: true), prf: prf)
        case nil: return .init(prf: prf)
        }
    }

    /// What the passkey's secret makes of a salt.
    private func key(_ salt: Data) -> SymmetricKey {
        SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: salt, using: SymmetricKey(data: prfKey ?? Data())))
    }
}
