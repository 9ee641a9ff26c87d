internal import Crypto
internal import WardCTAP
internal import WardWebAuthn

extension StoredCredential.HMACSecrets {
    /// HMAC-SHA-256 of each salt, with the secret for verified users or the other secret; `nil` if there is no other
    /// secret.
    ///
    /// CTAP 2.3, section 12.5.
    func results(of salts: PRFSalts, isVerified: Bool) -> PRFSalts? {
        guard let key = isVerified ? withVerification : withoutVerification else { return nil }
        func result(_ salt: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: salt, using: key)) }
        return PRFSalts(first: result(salts.first), second: salts.second.map(result))
    }
}

extension PRFSalts {
    /// The same bytes in the client's type.
    var values: PRFInputs.Values { PRFInputs.Values(first: first, second: second) }
}
