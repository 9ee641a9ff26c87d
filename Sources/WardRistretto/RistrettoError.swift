/// Why a computation in the group failed.
package enum RistrettoError: Error, Hashable, Sendable {
    /// The bytes are no element of the group in its one form, or they are the identity.
    case notAnElement
    /// The other party sent this party's own share or associated data back.
    case reflected
    /// The system has no locked memory left.
    case unavailable
}
