import Foundation
import Synchronization
import Testing
import WardAttestation
import WardMetadata
import WardTesting

/// What the service would download, changed by the tests.
private final class Network: Sendable {
    private let answer: Mutex<Result<[UInt8], Offline>>
    let calls = Mutex(0)

    struct Offline: Error {}

    init(_ answer: [UInt8]) { self.answer = Mutex(.success(answer)) }

    func answer(_ bytes: [UInt8]?) {
        answer.withLock { $0 = bytes.map { .success($0) } ?? .failure(Offline()) }
    }

    var fetch: MetadataService.Fetch {
        MetadataService.Fetch { _, _ in
            self.calls.withLock { $0 += 1 }
            return try self.answer.withLock { try $0.get() }
        }
    }
}

@Suite(.enabled(if: TestVectors.areAvailable, "the folder of published answers is absent"))
struct `Metadata service` {
    /// 2021-06-01: the certificates of the example are valid; its next update was due on 2020-03-30.
    static let day: Int64 = 1_622_505_600

    private func file(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: try #require(TestVectors.url(path))))
    }

    private func temporary() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("ward-metadata-\(UUID()).jwt").path
    }

    private func service(_ network: Network, _ world: TestEffects, cache: String?) throws -> MetadataService {
        MetadataService(
            anchors: try TrustAnchors(der: [try file("mds3/example-root.der")]),
            cache: cache,
            fetch: network.fetch,
            effects: world.effects
        )
    }

    @Test func `a download is verified, kept on disk, and read again from there`() async throws {
        let network = Network(try file("mds3/example-blob-rawsig.jwt"))
        let world = TestEffects(now: Self.day)
        let cache = temporary()
        defer { try? FileManager.default.removeItem(atPath: cache) }
        #expect(try await service(network, world, cache: cache).current().number == 15)
        network.answer(nil)
        let again = try service(network, world, cache: cache)
        #expect(await again.inForce?.number == 15)
        #expect(try await again.current().number == 15)
    }

    @Test func `a service whose update is late is asked once an hour`() async throws {
        let network = Network(try file("mds3/example-blob-rawsig.jwt"))
        let world = TestEffects(now: Self.day)
        let service = try service(network, world, cache: nil)
        for _ in 0..<3 { _ = try await service.current() }
        #expect(network.calls.withLock { $0 } == 1)
        world.advance(by: MetadataService.pause)
        _ = try await service.current()
        #expect(network.calls.withLock { $0 } == 2)
    }

    @Test(arguments: [nil, Array("<html>Service unavailable</html>".utf8), []])
    func `the old one stays when the new one fails`(answer: [UInt8]?) async throws {
        let network = Network(try file("mds3/example-blob-rawsig.jwt"))
        let world = TestEffects(now: Self.day)
        let cache = temporary()
        defer { try? FileManager.default.removeItem(atPath: cache) }
        let service = try service(network, world, cache: cache)
        _ = try await service.current()
        network.answer(answer)
        world.advance(by: MetadataService.pause)
        #expect(try await service.current().number == 15)
        await #expect(throws: MetadataError.self) { try await service.refresh() }
        // Bug class 36: an error page never overwrites what is on disk.
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: cache))) == (try #require(await service.inForce)).text)
    }

    @Test func `without anything there is an error and no trust`() async throws {
        let network = Network([])
        network.answer(nil)
        let service = try service(network, TestEffects(now: Self.day), cache: nil)
        let error = await #expect(throws: MetadataError.self) { try await service.current() }
        #expect(error?.code == .notFetched)
        #expect(await service.inForce == nil)
    }

    @Test func `a file that somebody changed is as good as none`() async throws {
        let cache = temporary()
        defer { try? FileManager.default.removeItem(atPath: cache) }
        var text = try file("mds3/example-blob-rawsig.jwt")
        text[text.count / 2] = text[text.count / 2] == 0x41 ? 0x42 : 0x41
        try Data(text).write(to: URL(fileURLWithPath: cache))
        let network = Network([])
        network.answer(nil)
        let service = try service(network, TestEffects(now: Self.day), cache: cache)
        #expect(await service.inForce == nil)
    }
}
