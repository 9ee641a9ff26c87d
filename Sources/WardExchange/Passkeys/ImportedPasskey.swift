internal import WardVault
internal import WardWebAuthn

/// A passkey in a file, before it is checked.
struct ImportedPasskey {
    /// Why a passkey cannot be imported.
    struct Refusal: Error {
        /// The reason, for a person.
        let text: String
    }

    var credentialID: [UInt8]
    var rpID: String
    var rpName = ""
    var userHandle: [UInt8]
    var userName = ""
    var userDisplayName = ""
    /// The private key in PKCS#8.
    var privateKey: [UInt8]
    /// The number of signatures, where a manager counts.
    var counter: Int64 = 0
    var createdAt: Int64?
    /// The secrets for `prf`, if any.
    var prf: StoredPasskey.PRFSecrets?
    /// The content of the extension `largeBlob`, if any.
    var largeBlob: SecretBytes?

    /// The maximum size of that content, in bytes.
    static let maximumLargeBlob = 1 << 16

    /// The backup flags, which are part of what a site knows (WebAuthn Level 3, §6.1.3).
    var isBackupEligible = true
    var isBackedUp = true

    /// The passkey for the vault.
    func stored(now: Int64) -> Result<StoredPasskey, Refusal> {
        // A counter that goes back to 0 looks like a copied key to the site.
        guard counter == 0 else {
            return .failure(Refusal(text: "it counts its signatures, so only its manager can use it; make a new one"))
        }
        guard let credentialID = CredentialID(credentialID) else {
            return .failure(Refusal(text: "its credential ID is malformed"))
        }
        guard !rpID.isEmpty, rpID.utf8.count <= 255 else { return .failure(Refusal(text: "its RP ID is malformed")) }
        guard let userHandle = UserHandle(userHandle) else {
            return .failure(Refusal(text: "it has no user handle, so it works only as a second factor"))
        }
        let unusable = Refusal(text: "its private key is malformed or of a kind that Ward does not have")
        guard let algorithm = PasskeyAlgorithm.of(privateKey: privateKey) else { return .failure(unusable) }
        let passkey = StoredPasskey(
            credentialID: credentialID,
            rpID: rpID,
            rpName: rpName,
            userHandle: userHandle,
            userName: userName,
            userDisplayName: userDisplayName,
            algorithm: algorithm,
            privateKey: SecretBytes(privateKey),
            prf: prf,
            isBackupEligible: isBackupEligible,
            isBackedUp: isBackedUp,
            createdAt: createdAt ?? now,
            createdBy: .imported,
            largeBlob: largeBlob
        )
        guard (try? passkey.signingKey()) != nil else { return .failure(unusable) }
        return .success(passkey)
    }
}
