package import WardAccounts
package import WardCOSE
import WardWebAuthn

/// The change-over from a passkey to one with a better signature algorithm, without a prompt.
///
/// The new passkey is created while the old one works, and the old one is retired after the new one has signed in.
package struct Succession: Sendable {
    /// The passkey that gets a successor: the one that opened the session.
    package let predecessor: Passkey
    /// The algorithms that the successor may have, best first; never empty.
    package let algorithms: [COSEAlgorithmIdentifier]

    /// Decides whether a session may create a successor of its passkey; `nil` if not.
    ///
    /// It may if the passkey opened the session within the last five minutes and verified the person, belongs to the session's
    /// account, and has an algorithm for which the list has a better one.
    ///
    /// - Parameters:
    ///   - session: A valid session.
    ///   - passkey: The passkey with the credential ID of the session's proof, if it is still stored.
    ///   - list: The service's algorithms, best first.
    ///   - now: Seconds since 1970.
    package init?(
        in session: Session,
        of passkey: Passkey?,
        choosingFrom list: [COSEAlgorithmIdentifier],
        at now: Int64
    ) {
        guard session.method == .passkey, let proof = session.passkeyProof, proof.userVerified,
            SessionLimits.isRecent(proof.provenAt, at: now)
        else { return nil }
        guard let passkey, passkey.record.id == proof.credentialID, passkey.accountID == session.accountID else {
            return nil
        }
        let better = Self.better(than: passkey.record.algorithm, in: list)
        guard !better.isEmpty else { return nil }
        (predecessor, algorithms) = (passkey, better)
    }

    /// The algorithms of a list that are better than another one, best first.
    ///
    /// All of them are, if the other one is not in the list. The exception is ML-DSA: only ML-DSA is better, so a wrong order
    /// moves nobody back.
    package static func better(
        than algorithm: COSEAlgorithmIdentifier?,
        in list: [COSEAlgorithmIdentifier]
    ) -> [COSEAlgorithmIdentifier] {
        guard let algorithm else { return [] }
        return list.prefix { $0 != algorithm }.filter { $0.isPostQuantum || !algorithm.isPostQuantum }
    }

    /// Whether a passkey that has just signed in, with user verification, retires the one that it succeeds.
    ///
    /// The two must be of one model that is known, and both synced or both bound to a device. Otherwise the old passkey may be on
    /// a device where the new one is not, and somebody may have only that device. And a passkey whose model is proven stays, if
    /// the new one proves none: a rule may count it, and the new one not.
    ///
    /// - Parameters:
    ///   - successor: The passkey that signed in, as it was stored before.
    ///   - predecessor: The passkey that it says it succeeds.
    /// - Returns: Whether the predecessor is to be deleted.
    package static func retires(_ successor: Passkey, _ predecessor: Passkey) -> Bool {
        guard predecessor.verifiedModel == nil || successor.verifiedModel != nil else { return false }
        return successor.succeeds == predecessor.record.id && successor.record.id != predecessor.record.id
            && successor.accountID == predecessor.accountID
            && successor.record.aaguid == predecessor.record.aaguid && successor.record.aaguid != .zero
            && successor.record.backupEligible == predecessor.record.backupEligible
            && successor.canVerify
    }

    /// The name for a successor whose predecessor is retired, if its own name was only the predecessor's with a number.
    package static func name(of successor: Passkey, after predecessor: Passkey) -> String? {
        guard successor.name.hasPrefix(predecessor.name + " ") else { return nil }
        let rest = successor.name.dropFirst(predecessor.name.count + 1)
        guard (1...3).contains(rest.count), rest.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return predecessor.name
    }
}

extension CredentialRecord {
    /// The algorithm of the public key; `nil` if the stored key is damaged.
    var algorithm: COSEAlgorithmIdentifier? { (try? COSEKey(stored: publicKey))?.algorithm }
}
