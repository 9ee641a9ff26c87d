package import WardDomains

/// The keys for finding items by site: registrable domains and apps.
enum SiteKeys {
    /// The keys of an item, without duplicates.
    static func keys(_ summary: ItemSummary, _ suffixes: PublicSuffixList) -> Set<String> {
        var keys: Set<String> = []
        for site in summary.sites {
            if let key = key(site, suffixes) { keys.insert(key) }
        }
        for passkey in summary.passkeys {
            if let address = SiteAddress(passkey.rpID) { keys.insert(address.registrableDomain(suffixes)) }
        }
        return keys
    }

    /// The key of one site.
    ///
    /// It is `nil` if no search needs it.
    static func key(_ site: Site, _ suffixes: PublicSuffixList) -> String? {
        switch site.target {
        case .web(let address): SiteAddress(address)?.registrableDomain(suffixes)
        case .androidApp(let name): "android:" + name
        case .iosApp(let name): "ios:" + name
        case .other: nil
        }
    }

    /// The hash of a key in the index.
    ///
    /// Different keys can have the same hash, so the keys of matches are compared too.
    static func hash(_ key: some Sequence<UInt8>) -> UInt64 {
        // FNV-1a, 64 bits.
        key.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

extension Item {
    /// The registrable domains and apps of the item's sites and passkeys.
    package func siteKeys(_ suffixes: PublicSuffixList) -> Set<String> { SiteKeys.keys(ItemSummary(self), suffixes) }
}
