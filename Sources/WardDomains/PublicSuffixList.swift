internal import CPSL
public import WardWebAuthn

/// The list of domains under which anybody can register names, such as `co.uk` and `github.io`.
///
/// It is read through libpsl; on Debian the package `publicsuffix` keeps it up to date.
/// [publicsuffix.org](https://publicsuffix.org)
///
/// libpsl is loaded when the first list is needed, so a program that only uses RP IDs of exactly one host does not need it. Without
/// the library there is no list, and every domain counts as a public suffix: an RP ID is then for one host only, and
/// ``RelyingPartyID/init(_:suffixes:)`` refuses it with an error that says why.
public final class PublicSuffixList: Sendable {
    private let list: LoadedList?

    /// The system's list.
    ///
    /// If the system has none, it is libpsl's built-in list. If libpsl is not installed, ``isAvailable`` is `false`.
    public static let system = PublicSuffixList(library: .system)

    /// Loads a list from a file in the format of publicsuffix.org, or returns `nil` if that fails or libpsl is not installed.
    public convenience init?(path: String) {
        guard let library = LoadedLibrary.system, let loaded = unsafe library.functions.load_file(path) else {
            return nil
        }
        unsafe self.init(list: LoadedList(loaded, library))
    }

    /// The system's list, read by the library of this file name, if there is one.
    package convenience init(library name: String) {
        self.init(library: LoadedLibrary(name))
    }

    private convenience init(library: LoadedLibrary?) {
        self.init(
            list: library.flatMap { library in
                guard let loaded = unsafe library.functions.latest(nil) else { return nil }
                return unsafe LoadedList(loaded, library)
            }
        )
    }

    private init(list: LoadedList?) {
        self.list = list
    }

    /// Whether there is a list.
    public var isAvailable: Bool { list != nil }

    /// Whether anybody can register names under this domain.
    ///
    /// Unknown domains with one label count as public, so `localhost` does too; callers that allow it must check for
    /// it. Without a list all domains count as public.
    public func isPublicSuffix(_ domain: DomainName) -> Bool {
        guard let list else { return true }
        return unsafe list.library.functions.is_public_suffix(list.pointer, domain.description) == 1
    }

    /// The public suffix and one label before it, or `nil` if the domain is itself a public suffix or there is no list.
    public func registrableDomain(of domain: DomainName) -> DomainName? {
        guard let list else { return nil }
        let name = domain.description
        // The result points into the argument, so it is copied while the argument is alive.
        let found: String? = unsafe name.withCString { text in
            guard let start = unsafe list.library.functions.registrable_domain(list.pointer, text) else { return nil }
            return unsafe String(cString: start)
        }
        return found.flatMap { try? DomainName($0) }
    }

    /// Why the hosts below a domain may not share its credentials, or `nil` if they may.
    package func refusal(of domain: DomainName) -> OriginError? {
        guard !domain.isLocalhost, isPublicSuffix(domain) else { return nil }
        // A name without a dot is public with or without a list.
        guard isAvailable || !domain.description.contains(".") else {
            return OriginError(
                .noPublicSuffixList,
                "it is not known whether \(domain) is a public suffix: libpsl is not installed (on Debian: apt install libpsl5)"
            )
        }
        return OriginError(.publicSuffix, "\(domain) is a public suffix")
    }
}

/// The functions of libpsl.
///
/// `@unchecked Sendable` is safe because the functions do not change, and the library stays loaded.
@safe private final class LoadedLibrary: @unchecked Sendable {
    private let pointer: UnsafePointer<ward_psl>
    var functions: ward_psl { unsafe pointer.pointee }

    #if canImport(Darwin)
    static let system = LoadedLibrary("libpsl.5.dylib")
    #else
    static let system = LoadedLibrary("libpsl.so.5")
    #endif

    init?(_ name: String) {
        guard let loaded = unsafe ward_psl_load(name) else { return nil }
        unsafe pointer = loaded
    }
}

/// A libpsl context.
///
/// It is loaded once, then only read, and freed with its last owner.
///
/// `@unchecked Sendable` is safe because every libpsl function that is used takes the context as a constant and does
/// not write.
@safe private final class LoadedList: @unchecked Sendable {
    let pointer: OpaquePointer
    let library: LoadedLibrary

    init(_ pointer: OpaquePointer, _ library: LoadedLibrary) {
        unsafe self.pointer = pointer
        self.library = library
    }

    deinit {
        unsafe library.functions.free(pointer)
    }
}
