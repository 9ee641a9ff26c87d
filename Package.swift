// swift-tools-version: 6.2
import PackageDescription

/// Every module is held to the same: nothing unsafe unmarked, nothing existential unmarked, no warning left.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// A dependency of the service alone: users of the libraries who write `traits: []` never fetch it.
func server(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Server"]))
}

/// A dependency of the sync server alone, in the same way.
func sync(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Sync"]))
}

/// A dependency of the credential manager alone, in the same way.
func manager(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Manager"]))
}

/// A dependency of what downloads over HTTPS.
func metadata(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Metadata"]))
}

// Apple's platforms have the framework: there the module of its name is one empty file, and its tests are left out.
#if canImport(Darwin)
let authenticationServicesSources: [String]? = ["Elsewhere.swift"]
#else
let authenticationServicesSources: [String]? = nil
#endif

let package = Package(
    name: "Ward",
    products: [
        .library(name: "WardText", targets: ["WardText"]),
        .library(name: "WardCBOR", targets: ["WardCBOR"]),
        .library(name: "WardCOSE", targets: ["WardCOSE"]),
        .library(name: "WardWebAuthn", targets: ["WardWebAuthn"]),
        .library(name: "WardDomains", targets: ["WardDomains"]),
        .library(name: "WardRelyingParty", targets: ["WardRelyingParty"]),
        .library(name: "WardAttestation", targets: ["WardAttestation"]),
        .library(name: "WardMetadata", targets: ["WardMetadata"]),
        .library(name: "WardInspection", targets: ["WardInspection"]),
        .library(name: "WardCTAP", targets: ["WardCTAP"]),
        .library(name: "WardAuthenticator", targets: ["WardAuthenticator"]),
        .library(name: "WardClient", targets: ["WardClient"]),
        .library(name: "WardLog", targets: ["WardLog"]),
        .library(name: "WardVault", targets: ["WardVault"]),
        .library(name: "WardSync", targets: ["WardSync"]),
        .library(name: "WardSyncRecords", targets: ["WardSyncRecords"]),
        .library(name: "WardAgentClient", targets: ["WardAgentClient"]),
        .library(name: "WardAgent", targets: ["WardAgent"]),
        .library(name: "AuthenticationServices", targets: ["AuthenticationServices"]),
        .library(name: "WardAccounts", targets: ["WardAccounts"]),
        .library(name: "WardStoreSQLite", targets: ["WardStoreSQLite"]),
        .library(name: "WardServer", targets: ["WardServer"]),
        .library(name: "WardTesting", targets: ["WardTesting"]),
        .executable(name: "ward", targets: ["ward"]),
        .executable(name: "ward-reader", targets: ["ward-reader"]),
        .executable(name: "ward-browser", targets: ["ward-browser"]),
        .executable(name: "ward-server", targets: ["ward-server"]),
    ],
    traits: [
        // What needs Server or Manager downloads as well. The program of the service is a sync server too.
        .trait(name: "Server", description: "The sign-in service and its stores", enabledTraits: ["Metadata", "Sync"]),
        .trait(name: "Sync", description: "The sync server and its store"),
        .trait(name: "Manager", description: "The credential manager and its vault", enabledTraits: ["Metadata"]),
        .trait(name: "Metadata", description: "Downloading from the FIDO Metadata Service"),
        .default(enabledTraits: ["Server", "Sync", "Manager", "Metadata"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(
            url: "https://github.com/apple/swift-configuration",
            from: "1.4.0",
            traits: ["JSON", "CommandLineArguments"]
        ),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // Nothing but a sentence for a build without the trait: Scripts/traits
        .target(name: "WardServerTrait", swiftSettings: settings),
        .target(name: "WardSyncTrait", swiftSettings: settings),
        .target(name: "WardManagerTrait", swiftSettings: settings),
        .target(name: "WardMetadataTrait", swiftSettings: settings),
        // Formats
        .target(name: "WardText", swiftSettings: settings),
        .target(name: "WardCBOR", dependencies: ["WardText"], swiftSettings: settings),
        .target(
            name: "WardCOSE",
            dependencies: ["WardText", "WardCBOR", crypto, cryptoExtras],
            swiftSettings: settings
        ),
        // Tools
        .target(name: "WardFolders", swiftSettings: settings),
        .target(name: "WardActivation", swiftSettings: settings),
        .systemLibrary(name: "CZxcvbn", providers: [.apt(["libzxcvbn-dev"])]),
        .target(name: "WardPasswords", dependencies: ["WardText", "CZxcvbn", crypto], swiftSettings: settings),
        .target(
            name: "WardDownload",
            dependencies: [
                "WardMetadataTrait", metadata("AsyncHTTPClient", "async-http-client"), metadata("NIOCore", "swift-nio"),
                metadata("NIOHTTP1", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // The standard
        .target(
            name: "WardWebAuthn",
            dependencies: ["WardText", "WardCBOR", "WardCOSE", crypto],
            swiftSettings: settings
        ),
        // The list of public suffixes. The library is loaded when it is needed, so a build needs no package of it.
        .systemLibrary(name: "CPSL"),
        .target(
            name: "WardDomains",
            dependencies: ["WardText", "WardWebAuthn", "CPSL", crypto],
            swiftSettings: settings
        ),
        // The log
        .target(name: "WardLog", dependencies: ["WardText", "WardCBOR", crypto], swiftSettings: settings),
        // Actors
        .target(
            name: "WardRelyingParty",
            dependencies: ["WardText", "WardDomains", "WardWebAuthn", "WardCOSE", "WardCBOR", crypto],
            swiftSettings: settings
        ),
        .target(
            name: "WardAttestation",
            dependencies: [
                "WardText", "WardRelyingParty", "WardWebAuthn", "WardCOSE", "WardCBOR", crypto, cryptoExtras,
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WardMetadata",
            dependencies: ["WardDownload", "WardAttestation", "WardWebAuthn"],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .target(name: "WardRistretto", dependencies: ["WardText", "CSodium", crypto], swiftSettings: settings),
        .target(
            name: "WardVault",
            dependencies: [
                "WardText", "WardLog", "WardRistretto", "WardManagerTrait", "WardFolders", "WardDomains",
                "WardWebAuthn", "WardCOSE", "WardCBOR",
                "CSodium", crypto,
                manager("GRDB", "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WardSync",
            dependencies: [
                "WardText", "WardDownload", "WardVault", "WardLog", "WardDomains", "WardWebAuthn", "WardCBOR",
            ],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        // What decrypts the logins of Firefox. The library is loaded when it is needed, so a build needs no package of it.
        .systemLibrary(name: "CNSS"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "WardExchange",
            dependencies: [
                "WardText", "WardManagerTrait", "WardVault", "WardWebAuthn", "WardCOSE", "CArgon2",
                "CExpat", "CNSS", "CSodium", "CZlib", crypto, cryptoExtras,
                manager("GRDB", "GRDB.swift"), manager("GRDBSQLite", "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WardAudit",
            dependencies: ["WardText", "WardWebAuthn", "WardDomains", "WardVault", "WardPasswords", crypto],
            swiftSettings: settings
        ),
        .target(
            name: "WardCTAP",
            dependencies: ["WardText", "WardWebAuthn", "WardCOSE", "WardCBOR", crypto, cryptoExtras],
            swiftSettings: settings
        ),
        .target(
            name: "WardAuthenticator",
            dependencies: ["WardText", "WardCTAP", "WardWebAuthn", "WardCOSE", "WardCBOR", crypto],
            swiftSettings: settings
        ),
        .target(
            name: "WardClient",
            dependencies: [
                "WardText", "WardCTAP", "WardDomains", "WardWebAuthn", "WardCOSE", "WardCBOR", crypto,
            ],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CZBar", pkgConfig: "zbar", providers: [.apt(["libzbar-dev"])]),
        .systemLibrary(name: "CGD", providers: [.apt(["libgd-dev"])]),
        .systemLibrary(name: "CSandbox"),
        .systemLibrary(name: "CLibXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .target(
            name: "WardReader",
            dependencies: ["WardText", "CZBar", "CGD", "CLibXML", "CSandbox"],
            swiftSettings: settings
        ),
        // Stores
        .target(
            name: "WardAccounts",
            dependencies: ["WardCBOR", "WardText", "WardWebAuthn", crypto],
            swiftSettings: settings
        ),
        // What both stores in SQLite need. A build for one of them has the trait Sync, which Server turns on.
        .target(
            name: "WardSQLite",
            dependencies: ["WardSyncTrait", "WardText", sync("GRDB", "GRDB.swift")],
            swiftSettings: settings
        ),
        .target(
            name: "WardStoreSQLite",
            dependencies: [
                "WardServerTrait", "WardSQLite", "WardAccounts", "WardWebAuthn", server("GRDB", "GRDB.swift"),
                server("GRDBSQLite", "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WardSyncRecords",
            dependencies: ["WardText", "WardLog", crypto],
            swiftSettings: settings
        ),
        .target(
            name: "WardSyncStoreSQLite",
            dependencies: [
                "WardSyncTrait", "WardSQLite", "WardSyncRecords", "WardLog", sync("GRDB", "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        // Debian's libcurl4-openssl-dev, behind one function.
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "WardMail", dependencies: ["WardAccounts", "WardText", "CCurl"], swiftSettings: settings),
        // Services
        // Debian's libicu-dev, behind one function.
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
        .target(
            name: "WardServer",
            dependencies: [
                "WardText", "WardServerTrait", "WardActivation", "WardDownload", "WardRelyingParty", "WardAttestation",
                "WardDomains", "WardWebAuthn", "WardCOSE", "WardAccounts", "WardMail", "WardPasswords", "CArgon2",
                "CCrypt", "WardQRCode",
                "CICU", "CSodium",
                crypto, cryptoExtras,
                log,
                server("Hummingbird", "hummingbird"), server("HummingbirdCore", "hummingbird"),
                server("Mustache", "swift-mustache"), server("ServiceLifecycle", "swift-service-lifecycle"),
                server("NIOCore", "swift-nio"), server("NIOPosix", "swift-nio"), server("NIOHTTP1", "swift-nio"),
                server("HTTPTypes", "swift-http-types"), server("JWTKit", "jwt-kit"),
            ],
            resources: [
                .copy("Pages"), .copy("OpenAPI/openapi.json"), .copy("OpenAPI/openapi-admin.json"),
                .copy("OpenAPI/openapi-admin-page.json"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WardSyncServer",
            dependencies: [
                "WardText", "WardSyncTrait", "WardSyncRecords", "WardLog", "WardWebAuthn", "WardCBOR", crypto, log,
                sync("Hummingbird", "hummingbird"), sync("ServiceLifecycle", "swift-service-lifecycle"),
                sync("NIOCore", "swift-nio"), sync("HTTPTypes", "swift-http-types"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WardInspection",
            dependencies: [
                "WardText", "WardAttestation", "WardRelyingParty", "WardDomains", "WardWebAuthn", "WardCOSE",
                "WardCBOR", crypto,
            ],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLinux", providers: [.apt(["libsystemd-dev"])]),
        .target(
            name: "WardAgentClient",
            dependencies: [
                "WardText", "WardManagerTrait", "WardFolders", "WardWebAuthn", "CLinux",
                manager("NIOCore", "swift-nio"),
                manager("NIOPosix", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WardAgent",
            dependencies: [
                "WardText", "WardManagerTrait", "CLinux", "CTSS2", "WardAgentClient", "WardSync", "WardVault",
                "WardAudit",
                "WardPasswords", "WardClient",
                "WardDownload", "WardFolders", "WardAuthenticator",
                "WardCTAP", "WardDomains", "WardWebAuthn",
                "WardCOSE",
                "WardCBOR", crypto, log,
                manager("NIOCore", "swift-nio"), manager("NIOPosix", "swift-nio"),
                manager("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AuthenticationServices",
            dependencies: [
                "WardText", "WardManagerTrait", "WardAgentClient", "WardDownload", "WardFolders", "WardTerminal",
                "WardWebAuthn", "WardCOSE", crypto, manager("JWTKit", "jwt-kit"),
                manager("NIOCore", "swift-nio"), manager("NIOPosix", "swift-nio"), manager("NIOHTTP1", "swift-nio"),
            ],
            sources: authenticationServicesSources,
            swiftSettings: settings
        ),
        .target(name: "WardTerminal", swiftSettings: settings),
        .target(name: "WardQRCode", dependencies: ["CQREncode"], swiftSettings: settings),
        // Only what the compiler has to know: the library is loaded when it is needed.
        .systemLibrary(name: "CXCB", providers: [.apt(["libxcb1-dev"])]),
        // The same for the TPM.
        .systemLibrary(name: "CTSS2", providers: [.apt(["libtss2-dev"])]),
        // Products
        .executableTarget(
            name: "ward",
            dependencies: [
                "WardText", "WardManagerTrait", "WardInspection", "WardAgent", "WardAgentClient", "WardVault",
                "WardExchange", "WardAudit", "WardDomains", "WardWebAuthn",
                "WardDownload", "WardFolders", "WardTerminal", "WardQRCode",
                "WardPasswords", "CXCB", "CLinux", crypto, log,
                manager("ArgumentParser", "swift-argument-parser"),
                manager("ServiceLifecycle", "swift-service-lifecycle"),
                manager("UnixSignals", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        // Beside ward: decodes pictures, and never holds a key.
        .executableTarget(name: "ward-reader", dependencies: ["WardReader"], swiftSettings: settings),
        // Beside ward: between a browser's extension and the agent. It holds no key and links no vault.
        .executableTarget(
            name: "ward-browser",
            dependencies: ["WardAgentClient", "WardFolders"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ward-server",
            dependencies: [
                "WardServerTrait", "WardServer", "WardSQLite", "WardStoreSQLite", "WardAccounts", "WardTerminal",
                "WardText", "WardWebAuthn", "WardSyncServer", "WardSyncStoreSQLite", "WardSyncRecords",
                log, .target(name: "CSandbox", condition: .when(platforms: [.linux])),
                server("ArgumentParser", "swift-argument-parser"), server("Configuration", "swift-configuration"),
                server("ServiceLifecycle", "swift-service-lifecycle"), server("UnixSignals", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        // The programs of the package in Examples, from the same sources, so that the tests need no second build of all libraries.
        // They see what any other package sees.
        .executableTarget(
            name: "HummingbirdPasskeys",
            dependencies: [
                "WardText", "WardRelyingParty", "WardWebAuthn", "WardTesting", crypto,
                server("Hummingbird", "hummingbird"),
            ],
            path: "Examples/HummingbirdPasskeys",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .executableTarget(
            name: "HummingbirdNotes",
            dependencies: [
                "WardServer", "WardStoreSQLite", "WardAccounts", log, server("Hummingbird", "hummingbird"),
                server("NIOCore", "swift-nio"),
            ],
            path: "Examples/HummingbirdNotes",
            exclude: ["README.md"],
            packageAccess: false
        ),
        .executableTarget(
            name: "SmallManager",
            dependencies: [
                "WardText", "WardAgentClient", "WardAuthenticator", "WardCTAP", "WardCOSE", "WardWebAuthn",
                manager("NIOCore", "swift-nio"), manager("NIOPosix", "swift-nio"),
            ],
            path: "Examples/SmallManager",
            exclude: ["SmallManager.json"],
            packageAccess: false
        ),
        .executableTarget(
            name: "ExtensionManager",
            dependencies: ["AuthenticationServices", crypto],
            path: "Examples/ExtensionManager",
            exclude: ["ExtensionManager.json"],
            packageAccess: false
        ),
        .executableTarget(
            name: "OtherAccount",
            dependencies: ["AuthenticationServices"],
            path: "Examples/OtherAccount",
            packageAccess: false
        ),
        .executableTarget(
            name: "Shiny",
            dependencies: [
                "AuthenticationServices", manager("AsyncHTTPClient", "async-http-client"),
                manager("NIOCore", "swift-nio"),
            ],
            path: "Examples/Shiny",
            exclude: ["README.md"],
            packageAccess: false
        ),
        // Beside
        .target(
            name: "WardTesting",
            dependencies: [
                "WardText", "WardDomains", "WardWebAuthn", "WardRelyingParty", "WardAttestation", "WardAccounts",
                "WardSyncRecords", "WardLog",
                "WardAuthenticator",
                "WardCTAP",
                "WardCBOR", "WardCOSE", crypto,
            ],
            swiftSettings: settings
        ),
        // Tests
        .target(
            name: "LocalServing",
            dependencies: [
                manager("NIOCore", "swift-nio"), manager("NIOPosix", "swift-nio"), manager("NIOHTTP1", "swift-nio"),
            ],
            path: "Tests/LocalServing",
            swiftSettings: settings
        ),
        .testTarget(name: "WardTextTests", dependencies: ["WardText"], swiftSettings: settings),
        .testTarget(
            name: "WardCBORTests",
            dependencies: ["WardCBOR", "WardTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardCOSETests",
            dependencies: ["WardCOSE", "WardCBOR", "WardText", "WardTesting", crypto],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardWebAuthnTests",
            dependencies: [
                "WardText", "WardDomains", "WardWebAuthn", "WardTesting", "WardCBOR", "WardCOSE", crypto, cryptoExtras,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardRelyingPartyTests",
            dependencies: [
                "WardText", "WardRelyingParty", "WardDomains", "WardWebAuthn", "WardTesting", "WardCBOR", "WardCOSE",
                crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardAttestationTests",
            dependencies: [
                "WardText", "WardAttestation", "WardRelyingParty", "WardWebAuthn", "WardTesting", "WardCBOR",
                "WardCOSE", crypto,
                cryptoExtras, .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardMetadataTests",
            dependencies: [
                "WardMetadata", "WardDownload", "WardAttestation", "WardTesting", "LocalServing",
                metadata("NIOHTTP1", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardRistrettoTests",
            dependencies: ["WardRistretto", "WardText"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardLogTests",
            dependencies: ["WardLog", "WardCBOR", "WardTesting", crypto],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardVaultTests",
            dependencies: [
                "WardText",
                "WardVault", "WardSync", "WardLog", "WardRistretto", "WardDomains", "WardWebAuthn", "WardCOSE",
                "WardCBOR", "WardTesting", "CSodium", "WardDownload", "WardSyncServer", "WardSyncRecords",
                crypto, log, manager("GRDB", "GRDB.swift"), manager("GRDBSQLite", "GRDB.swift"),
                sync("Hummingbird", "hummingbird"), sync("HTTPTypes", "swift-http-types"),
                sync("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardSyncTests",
            dependencies: ["WardSync", "WardVault", "WardLog", "WardWebAuthn", "WardCBOR", "WardText", crypto],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardExchangeTests",
            dependencies: ["WardExchange", "WardVault", "WardText", "WardWebAuthn", "WardCOSE", "WardTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardAuditTests",
            dependencies: ["WardAudit", "WardVault", "WardDomains", "WardPasswords", "WardText", crypto],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardCTAPTests",
            dependencies: ["WardText", "WardCTAP", "WardWebAuthn", "WardCOSE", "WardCBOR", "WardTesting", crypto],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardAuthenticatorTests",
            dependencies: [
                "WardText", "WardAuthenticator", "WardCTAP", "WardRelyingParty", "WardWebAuthn", "WardCOSE", "WardCBOR",
                "WardTesting",
                crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardClientTests",
            dependencies: [
                "WardText", "WardClient", "WardAuthenticator", "WardCTAP", "WardRelyingParty", "WardDomains",
                "WardWebAuthn",
                "WardCOSE",
                "WardCBOR",
                "WardTesting", crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardMailTests",
            dependencies: ["WardMail", "WardAccounts"],
            swiftSettings: settings
        ),
        .testTarget(name: "WardFoldersTests", dependencies: ["WardFolders"], swiftSettings: settings),
        .testTarget(
            name: "WardDownloadTests",
            dependencies: [
                "WardDownload", "LocalServing", manager("NIOCore", "swift-nio"), manager("NIOHTTP1", "swift-nio"),
                manager("NIOPosix", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "WardTerminalTests", dependencies: ["WardTerminal"], swiftSettings: settings),
        .testTarget(name: "WardReaderTests", dependencies: ["WardReader", "CGD"], swiftSettings: settings),
        .testTarget(
            name: "WardAgentClientTests",
            dependencies: ["WardAgentClient", "WardWebAuthn"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardAgentTests",
            dependencies: [
                "WardText", "WardAgent", "WardAgentClient", "WardSync", "WardVault", "WardLog", "WardCBOR",
                "WardClient",
                "WardDownload",
                "WardRelyingParty",
                "WardDomains", "WardWebAuthn",
                "WardCOSE", "WardCTAP", "WardTesting", "LocalServing", crypto, log, manager("NIOCore", "swift-nio"),
                manager("NIOPosix", "swift-nio"), manager("NIOHTTP1", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardAccountsTests",
            dependencies: ["WardAccounts", "WardRelyingParty", "WardText", "WardWebAuthn", "WardTesting", crypto],
            swiftSettings: settings
        ),
        // Only for the store that the tutorial shows.
        .systemLibrary(name: "CPQ", path: "Tests/CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .testTarget(
            name: "PasskeyTutorialTests",
            dependencies: ["CPQ", "WardRelyingParty", "WardWebAuthn", "WardTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardStoreSQLiteTests",
            dependencies: [
                "WardStoreSQLite", "WardAccounts", "WardWebAuthn", "WardTesting", server("GRDB", "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardSyncStoreSQLiteTests",
            dependencies: [
                "WardSyncStoreSQLite", "WardSQLite", "WardSyncRecords", "WardTesting", sync("GRDB", "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardSyncServerTests",
            dependencies: [
                "WardSyncServer", "WardSyncStoreSQLite", "WardSyncRecords", "WardLog", "WardText", "WardCBOR",
                "WardTesting", crypto, log,
                sync("Hummingbird", "hummingbird"), sync("HummingbirdTesting", "hummingbird"),
                sync("HTTPTypes", "swift-http-types"), sync("NIOCore", "swift-nio"),
                sync("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WardServerTests",
            dependencies: [
                "WardText", "WardServer", "WardStoreSQLite", "WardAccounts", "WardMail", "WardRelyingParty",
                "WardPasswords", "WardActivation", "WardAttestation", "WardTesting",
                "WardDomains", "WardWebAuthn", "WardCOSE", "WardCBOR", crypto, cryptoExtras,
                server("Hummingbird", "hummingbird"), server("HummingbirdTesting", "hummingbird"),
                server("HTTPTypes", "swift-http-types"), server("NIOCore", "swift-nio"),
                server("NIOPosix", "swift-nio"), server("ServiceLifecycle", "swift-service-lifecycle"), log,
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

#if !canImport(Darwin)
package.targets += [
    .target(
        name: "AuthenticationServicesFixtures",
        dependencies: [
            "WardText", "AuthenticationServices", "WardAgentClient", "WardRelyingParty", "WardWebAuthn", "WardTesting",
            manager("NIOCore", "swift-nio"), manager("NIOPosix", "swift-nio"),
        ],
        path: "Tests/AuthenticationServicesFixtures",
        swiftSettings: settings
    ),
    .testTarget(
        name: "AuthenticationServicesTests",
        dependencies: [
            "WardText", "AuthenticationServices", "AuthenticationServicesFixtures", "WardAgent", "WardAgentClient",
            "WardVault",
            "WardDomains", "WardTesting", crypto, cryptoExtras, log,
            manager("AsyncHTTPClient", "async-http-client"), manager("NIOCore", "swift-nio"),
            manager("NIOPosix", "swift-nio"), manager("NIOHTTP1", "swift-nio"),
        ],
        swiftSettings: settings
    ),
    // Code as apps have it, with the settings that apps have: twice, because the second folder links to the first one's files.
    .testTarget(
        name: "AuthenticationServicesListingsTests",
        dependencies: ["AuthenticationServices", "AuthenticationServicesFixtures", "WardAgentClient"]
    ),
    .testTarget(
        name: "AuthenticationServicesSwift5Tests",
        dependencies: ["AuthenticationServices", "AuthenticationServicesFixtures", "WardAgentClient"],
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    // Stands in place of functions of the C library in the whole process, so what links it is a program of its own.
    .target(name: "CPowerCut", path: "Tests/CPowerCut"),
    .executableTarget(
        name: "ward-simulation",
        dependencies: [
            "CPowerCut", "WardVault", "WardSync", "WardSyncServer", "WardSyncRecords", "WardLog", "WardTesting",
            "WardDownload", "WardDomains", "WardWebAuthn", "WardCOSE", "WardCBOR", "WardText", "WardSyncStoreSQLite",
            crypto, log, sync("Hummingbird", "hummingbird"), sync("HTTPTypes", "swift-http-types"),
            sync("NIOCore", "swift-nio"), manager("ArgumentParser", "swift-argument-parser"),
        ],
        path: "Tests/WardSimulation",
        swiftSettings: settings
    ),
    .testTarget(name: "WardSimulationTests", swiftSettings: settings),
]
#endif
