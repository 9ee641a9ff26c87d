internal import Logging

/// What connections to other credential managers need.
struct ProviderConnections: Sendable {
    /// How long another manager has to say what it has.
    let listing: Duration
    /// How long another manager has to hand something out, for which it may ask its person.
    let use: Duration
    /// Returns when a sheet is drawn without those that have not answered.
    let joining: @Sendable () async throws -> Void
    /// How time passes.
    let sleep: @Sendable (Duration) async throws -> Void
    let keys: ProviderKeys
    let proofs: ProviderProofs
    let starts: ProviderStarts
    let index: ProviderIndex
    let logger: Logger
}
