internal import WardAgentClient

/// What several providers have for a query.
struct ProviderListing: Sendable {
    /// A provider, by its identifier and the name that people see.
    struct Provider: Hashable, Sendable {
        var identifier: String
        var name: String
    }

    /// The entries, in the order of the providers.
    var entries: [ProviderEntry] = []
    /// Why a provider is missing; of several the first.
    var failure: AgentError?
    /// The names of the providers that were asked.
    var names: [String: String] = [:]
    /// The providers that are locked, so that there may be more.
    var locked: [Provider] = []
}
