// swift-tools-version: 6.2
import PackageDescription

// Built with `--sanitize=fuzzer --sanitize=address -Xswiftc -parse-as-library`; Scripts/fuzz does.
let package = Package(
    name: "WardFuzz",
    dependencies: [.package(name: "Ward", path: "..", traits: [])],
    targets: [
        .executableTarget(name: "WardFuzz", dependencies: [.product(name: "WardTesting", package: "Ward")])
    ],
    swiftLanguageModes: [.v6]
)
