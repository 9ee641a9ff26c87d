// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "WardBenchmarks",
    dependencies: [
        .package(name: "Ward", path: "..", traits: ["Manager", "Server"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .systemLibrary(name: "CArgon2Reference", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CCBOR", pkgConfig: "libcbor", providers: [.apt(["libcbor-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "HelloServer",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(
            name: "WardBenchmarks",
            dependencies: [
                "CArgon2Reference",
                "CCBOR",
                "CSQLite",
                .product(name: "WardCBOR", package: "Ward"),
                .product(name: "WardRelyingParty", package: "Ward"),
                .product(name: "WardAttestation", package: "Ward"),
                .product(name: "WardWebAuthn", package: "Ward"),
                .product(name: "WardTesting", package: "Ward"),
                .product(name: "WardVault", package: "Ward"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
