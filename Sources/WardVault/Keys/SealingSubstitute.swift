/// What seals in place of HPKE in the simulation in Tests, and protects nothing.
///
/// `Scripts/lint` refuses a use of ``inForce`` in Sources that sets it.
package struct SealingSubstitute: Sendable {
    /// The public key of a seed, with a length.
    package let publicKey: @Sendable (_ seed: [UInt8], _ length: Int) -> [UInt8]
    /// A sealed message and its encapsulation, which has a length.
    package let seal:
        @Sendable (_ plaintext: [UInt8], _ publicKey: [UInt8], _ info: [UInt8], _ length: Int) -> (
            encapsulation: [UInt8], ciphertext: [UInt8]
        )
    /// The message; `nil` if it is for another key, or was changed.
    package let open:
        @Sendable (_ ciphertext: [UInt8], _ encapsulation: [UInt8], _ publicKey: [UInt8], _ info: [UInt8]) -> [UInt8]?

    package init(
        publicKey: @escaping @Sendable (_ seed: [UInt8], _ length: Int) -> [UInt8],
        seal:
            @escaping @Sendable (_ plaintext: [UInt8], _ publicKey: [UInt8], _ info: [UInt8], _ length: Int) -> (
                encapsulation: [UInt8], ciphertext: [UInt8]
            ),
        open:
            @escaping @Sendable (_ ciphertext: [UInt8], _ encapsulation: [UInt8], _ publicKey: [UInt8], _ info: [UInt8])
            -> [UInt8]?
    ) {
        self.publicKey = publicKey
        self.seal = seal
        self.open = open
    }

    /// The substitute in force; `nil` for HPKE.
    @TaskLocal package static var inForce: SealingSubstitute?
}
