// swift-tools-version: 6.2
import PackageDescription

// The libraries and the credential manager: nothing of the service is fetched or built.
let package = Package(
    name: "WardBenchmarks",
    dependencies: [
        .package(name: "Ward", path: "..", traits: ["Manager"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    ],
    targets: [
        .systemLibrary(name: "CArgon2", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CCBOR", pkgConfig: "libcbor", providers: [.apt(["libcbor-dev"])]),
        .executableTarget(
            name: "WardBenchmarks",
            dependencies: [
                "CArgon2",
                "CCBOR",
                .product(name: "WardCBOR", package: "Ward"),
                .product(name: "WardRelyingParty", package: "Ward"),
                .product(name: "WardAttestation", package: "Ward"),
                .product(name: "WardWebAuthn", package: "Ward"),
                .product(name: "WardTesting", package: "Ward"),
                .product(name: "WardVault", package: "Ward"),
                .product(name: "WardAgentClient", package: "Ward"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
