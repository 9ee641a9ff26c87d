internal import CPSL

/// The list of domains under which strangers register names, such as `co.uk` and `github.io`.
///
/// Read through libpsl; on Debian the package `publicsuffix` keeps the list fresh. [publicsuffix.org](https://publicsuffix.org)
public final class PublicSuffixList: Sendable {
    private let list: LoadedList

    /// The system's list, or the one built into libpsl where the system has none.
    public static let system = PublicSuffixList(list: unsafe LoadedList(psl_latest(nil)))

    /// Loads a list from a file in the format of publicsuffix.org, or answers `nil` when that fails.
    public convenience init?(path: String) {
        guard let loaded = unsafe psl_load_file(path) else { return nil }
        unsafe self.init(list: LoadedList(loaded))
    }

    private init(list: LoadedList) {
        self.list = list
    }

    /// Whether strangers may register names under this domain.
    ///
    /// Domains that the list does not know count as public when they have one label, so `localhost` does too: callers
    /// who allow it say so.
    public func isPublicSuffix(_ domain: DomainName) -> Bool {
        unsafe psl_is_public_suffix(list.pointer, domain.description) == 1
    }

    /// The public suffix and one label before it, or `nil` when the domain is itself a public suffix.
    public func registrableDomain(of domain: DomainName) -> DomainName? {
        let name = domain.description
        // The answer points into the argument, so it is copied while the argument lives.
        let found: String? = unsafe name.withCString { text in
            guard let start = unsafe psl_registrable_domain(list.pointer, text) else { return nil }
            return unsafe String(cString: start)
        }
        return found.flatMap { try? DomainName($0) }
    }
}

/// A libpsl context: loaded once, only read afterwards, freed with its last owner.
///
/// `@unchecked Sendable` holds because every libpsl function called on it takes it as a constant and none of them writes.
@safe private final class LoadedList: @unchecked Sendable {
    let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe psl_free(pointer)
    }
}
