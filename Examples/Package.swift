// swift-tools-version: 6.2
import PackageDescription

// Users of Ward, as a package of their own. Outside this repository the first dependency would be
// .package(url: "…", from: "…", traits: ["Manager", "Server"]).
let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "Ward", path: "..", traits: ["Manager", "Server"]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "HummingbirdPasskeys",
            dependencies: [
                .product(name: "WardRelyingParty", package: "Ward"),
                .product(name: "WardTesting", package: "Ward"),
                .product(name: "WardText", package: "Ward"),
                .product(name: "WardWebAuthn", package: "Ward"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "HummingbirdPasskeys",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "HummingbirdNotes",
            dependencies: [
                .product(name: "WardAccounts", package: "Ward"),
                .product(name: "WardServer", package: "Ward"),
                .product(name: "WardStoreSQLite", package: "Ward"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "HummingbirdNotes",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "ExtensionManager",
            dependencies: [
                .product(name: "AuthenticationServices", package: "Ward"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "ExtensionManager",
            exclude: ["ExtensionManager.json"]
        ),
        .executableTarget(
            name: "OtherAccount",
            dependencies: [.product(name: "AuthenticationServices", package: "Ward")],
            path: "OtherAccount"
        ),
        .executableTarget(
            name: "Shiny",
            dependencies: [
                .product(name: "AuthenticationServices", package: "Ward"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Shiny",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "SmallManager",
            dependencies: [
                .product(name: "WardAgentClient", package: "Ward"),
                .product(name: "WardAuthenticator", package: "Ward"),
                .product(name: "WardCOSE", package: "Ward"),
                .product(name: "WardCTAP", package: "Ward"),
                .product(name: "WardText", package: "Ward"),
                .product(name: "WardWebAuthn", package: "Ward"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "SmallManager",
            exclude: ["SmallManager.json"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
