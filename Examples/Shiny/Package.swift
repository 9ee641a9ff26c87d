// swift-tools-version: 6.2
import PackageDescription

// An app as anybody would write it: its own package, which depends on Ward for AuthenticationServices. Outside this repository the
// first line would be .package(url: "…", from: "…", traits: ["Manager"]).
let package = Package(
    name: "Shiny",
    dependencies: [
        .package(name: "Ward", path: "../..", traits: ["Manager"]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "Shiny",
            dependencies: [
                .product(name: "AuthenticationServices", package: "Ward"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
