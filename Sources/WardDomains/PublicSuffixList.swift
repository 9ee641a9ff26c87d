internal import CPSL
public import WardWebAuthn

/// The list of domains under which anybody can register names, such as `co.uk` and `github.io`.
///
/// It is read through libpsl; on Debian the package `publicsuffix` keeps it up to date.
/// [publicsuffix.org](https://publicsuffix.org)
public final class PublicSuffixList: Sendable {
    private let list: LoadedList

    /// The system's list.
    ///
    /// If the system has none, it is libpsl's built-in list.
    public static let system = PublicSuffixList(list: unsafe LoadedList(psl_latest(nil)))

    /// Loads a list from a file in the format of publicsuffix.org, or returns `nil` if that fails.
    public convenience init?(path: String) {
        guard let loaded = unsafe psl_load_file(path) else { return nil }
        unsafe self.init(list: LoadedList(loaded))
    }

    private init(list: LoadedList) {
        self.list = list
    }

    /// Whether anybody can register names under this domain.
    ///
    /// Unknown domains with one label count as public, so `localhost` does too; callers that allow it must check for
    /// it.
    public func isPublicSuffix(_ domain: DomainName) -> Bool {
        unsafe psl_is_public_suffix(list.pointer, domain.description) == 1
    }

    /// The public suffix and one label before it, or `nil` if the domain is itself a public suffix.
    public func registrableDomain(of domain: DomainName) -> DomainName? {
        let name = domain.description
        // The result points into the argument, so it is copied while the argument is alive.
        let found: String? = unsafe name.withCString { text in
            guard let start = unsafe psl_registrable_domain(list.pointer, text) else { return nil }
            return unsafe String(cString: start)
        }
        return found.flatMap { try? DomainName($0) }
    }
}

/// A libpsl context.
///
/// It is loaded once, then only read, and freed with its last owner.
///
/// `@unchecked Sendable` is safe because every libpsl function that is used takes the context as a constant and does
/// not write.
@safe private final class LoadedList: @unchecked Sendable {
    let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe psl_free(pointer)
    }
}
