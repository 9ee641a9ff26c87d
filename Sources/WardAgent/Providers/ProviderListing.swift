internal import WardAgentClient

/// What several providers have for a query.
struct ProviderListing: Sendable {
    /// A provider, by its identifier and what people see of it.
    struct Provider: Hashable, Sendable {
        var identifier: String
        var name: String
        var verifiesUser = false
    }

    /// The entries, in the order of the providers.
    var entries: [ProviderEntry] = []
    /// Why a provider is missing; of several the first.
    var failure: AgentError?
    /// The providers that were asked, by their identifiers.
    var providers: [String: Provider] = [:]
    /// The providers that are locked, so that there may be more.
    var locked: [Provider] = []
    /// How many providers did not answer yet.
    var pending = 0
}

extension ProviderListing.Provider {
    init(_ provider: any CredentialProvider) {
        self.init(identifier: provider.identifier, name: provider.name, verifiesUser: provider.verifiesUser)
    }
}
