internal import WardAgentClient

/// The entries of several providers for a query.
struct ProviderListing: Sendable {
    /// A provider: its identifier, and the name that people see.
    struct Provider: Hashable, Sendable {
        var identifier: String
        var name: String
        var verifiesUser = false
    }

    /// The entries, in the order of the providers.
    var entries: [ProviderEntry] = []
    /// Why a provider is missing.
    ///
    /// If several are missing, this is the reason of the first.
    var failure: AgentError?
    /// The identifiers of the providers that were asked.
    var providers: [String: Provider] = [:]
    /// The locked providers.
    ///
    /// They may have more entries.
    var locked: [Provider] = []
    /// The number of providers that have not answered yet.
    var pending = 0
}

extension ProviderListing.Provider {
    init(_ provider: any CredentialProvider) {
        self.init(identifier: provider.identifier, name: provider.name, verifiesUser: provider.verifiesUser)
    }
}
