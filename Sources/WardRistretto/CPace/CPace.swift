internal import Crypto

/// One party of CPace, from its own share to the key that both parties have.
///
/// CPace turns a short code that both parties know into a strong key. Somebody in between learns nothing that would let them try codes
/// by themselves: each run is one guess. The suite is CPACE-RISTR255-SHA512 of
/// [draft-irtf-cfrg-cpace-21](https://datatracker.ietf.org/doc/draft-irtf-cfrg-cpace/21/), with roles.
///
/// ```swift
/// let party = try CPace(.initiator, inputs, associatedData: ad)
/// // Send party.share and ad, and receive those of the other party.
/// let key = try party.finish(share: theirs, associatedData: theirAD)
/// // Send key.tag, and receive that of the other party.
/// guard key.isConfirmed(by: theirTag) else { return }
/// ```
///
/// The secret scalar is drawn once and wiped with the last copy of the value. Use each value for one run.
package struct CPace: Sendable, CustomStringConvertible, CustomReflectable {
    /// Who begins.
    package enum Role: Hashable, Sendable {
        /// A of the draft.
        case initiator
        /// B of the draft.
        case responder
    }

    /// What both parties know before they begin.
    package struct Inputs: Sendable, CustomStringConvertible, CustomReflectable {
        /// The short code, `PRS`.
        let code: [UInt8]
        /// What both parties say of their channel and their roles, `CI`; it is not sent.
        let channel: [UInt8]
        /// The name of the run, `sid`, to which both parties contributed random bytes.
        let session: [UInt8]

        /// Takes the inputs.
        package init(code: [UInt8], channel: [UInt8], session: [UInt8]) {
            self.code = code
            self.channel = channel
            self.session = session
        }

        /// The text that is shown instead of the code.
        package var description: String { "CPace.Inputs" }
        /// A mirror without the code.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The share that this party sends, 32 bytes.
    package let share: [UInt8]
    private let role: Role
    private let session: [UInt8]
    private let associatedData: [UInt8]
    private let scalar: SecretBytes

    /// `G.DSI`.
    static let domain = Array("CPaceRistretto255".utf8)
    /// `H.s_in_bytes`: the length of a block of SHA-512.
    static let block = 128

    /// Begins a run with a new scalar.
    ///
    /// - Parameters:
    ///   - role: The role of this party.
    ///   - inputs: What both parties know.
    ///   - associatedData: What this party sends in the clear beside its share; both keys differ if it is changed on the way.
    /// - Throws: ``RistrettoError/unavailable`` if there is no memory.
    package init(_ role: Role, _ inputs: Inputs, associatedData: [UInt8]) throws(RistrettoError) {
        try self.init(role, inputs, associatedData: associatedData, scalar: Ristretto255.randomScalar())
    }

    /// The same with a given scalar, for test vectors.
    package init(
        _ role: Role,
        _ inputs: Inputs,
        associatedData: [UInt8],
        scalar: SecretBytes
    ) throws(RistrettoError) {
        let generator = try Self.generator(inputs)
        share = unsafe try Ristretto255.multiply(generator, by: scalar).withBytes { unsafe Array($0) }
        self.role = role
        session = inputs.session
        self.associatedData = associatedData
        self.scalar = scalar
    }

    /// Computes the key from the message of the other party.
    ///
    /// The key is the same only if both parties had the same inputs and saw the same shares and associated data. It says nothing
    /// about the other party before ``CPaceKey/isConfirmed(by:)``.
    ///
    /// - Throws: ``RistrettoError/notAnElement`` for a share that is no element of the group, is not in its one form, or is
    ///   the identity; ``RistrettoError/reflected`` if the share or the associated data is this party's own.
    package func finish(share other: [UInt8], associatedData theirs: [UInt8]) throws(RistrettoError) -> CPaceKey {
        // With equal messages of both parties the tag of one is the tag of the other, so an echo would be confirmed.
        guard other != share, theirs != associatedData else { throw .reflected }
        let product = try Ristretto255.multiply(other.span, by: scalar)
        let mine = LengthValue.concatenate(share, associatedData)
        let yours = LengthValue.concatenate(other, theirs)
        let transcript = role == .initiator ? mine + yours : yours + mine
        var secret = product.copy
        defer { secret.overwrite() }
        var head = LengthValue.concatenate(Self.domain + Array("_ISK".utf8), session, secret)
        defer { head.overwrite() }
        var hash = SHA512()
        hash.update(data: head)
        hash.update(data: transcript)
        return try CPaceKey(hash.finalize(), session: session, mine: mine, yours: yours)
    }

    /// The generator of the group that only those who know the code can compute; it stays secret.
    static func generator(_ inputs: Inputs) throws(RistrettoError) -> SecretBytes {
        var string = LengthValue.generator(
            domain: domain,
            password: inputs.code,
            channel: inputs.channel,
            session: inputs.session,
            block: block
        )
        defer { string.overwrite() }
        return try Ristretto255.element(from: SecretBytes(SHA512.hash(data: string)))
    }

    /// The text that is shown instead of the secrets.
    package var description: String { "CPace" }
    /// A mirror without the secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
