internal import Logging

/// The values that connections to other credential managers need.
struct ProviderConnections: Sendable {
    /// The time limit for another credential manager to list its entries.
    let listing: Duration
    /// The time limit for another credential manager to return a credential.
    ///
    /// In this time it may ask its person.
    let use: Duration
    /// Returns when a prompt must appear without the managers that have not answered.
    let joining: @Sendable () async throws -> Void
    /// How time passes.
    let sleep: @Sendable (Duration) async throws -> Void
    let keys: ProviderKeys
    let proofs: ProviderProofs
    let starts: ProviderStarts
    let index: ProviderIndex
    let logger: Logger
}
