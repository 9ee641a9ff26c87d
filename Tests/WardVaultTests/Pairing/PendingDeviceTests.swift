import Crypto
import Foundation
import Testing
import WardCBOR

@testable import WardVault

@Suite struct `A device that waits to join` {
    private let fixture: VaultFixture
    private let pending: PendingDevice

    init() throws {
        fixture = try VaultFixture()
        pending = try PendingDevice(name: "Laptop", system: "Debian GNU/Linux 12", fixture.environment)
    }

    private var path: String { fixture.location.pairing }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        return status.st_mode & 0o777
    }

    private func written() throws -> [UInt8] {
        try pending.write(at: fixture.location, fixture.environment)
        return try fixture.read(path)
    }

    private func withChecksum(_ body: [UInt8]) -> [UInt8] { body + Array(SHA256.hash(data: body)) }

    private func code(_ bytes: [UInt8]) -> VaultError.Code? {
        do {
            _ = try PendingDevice(encoded: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `keeps its keys in a file that only its owner reads`() throws {
        #expect(try PendingDevice(at: fixture.location) == nil)
        let bytes = try written()
        #expect(path == fixture.location.stateDirectory + "/pairing")
        #expect(try mode(path) == 0o600 && mode(fixture.location.stateDirectory) == 0o700)
        let parts = try #require(try CBORValue.decode(Array(bytes.dropLast(32))).arrayValue)
        #expect(parts.count == 6 && parts[5] == .bytes(pending.request.encoded))
        let found = try #require(try PendingDevice(at: fixture.location))
        #expect(found.request == pending.request)
        #expect(found.key.bytes == pending.key.bytes && found.keys.pair.bytes == pending.keys.pair.bytes)
    }

    @Test func `closes a file that others can read`() throws {
        _ = try written()
        #expect(unsafe chmod(path, 0o644) == 0)
        #expect(try PendingDevice(at: fixture.location) != nil)
        #expect(try mode(path) == 0o600)
    }

    /// The device can have joined, and a power cut have kept it from deleting the file: its keys are not encrypted.
    @Test func `leaves nothing beside a vault that is opened`() async throws {
        try await fixture.create().close()
        _ = try written()
        try await fixture.open().close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `has other keys each time`() throws {
        let other = try PendingDevice(name: "Laptop", system: "Debian GNU/Linux 12", fixture.environment)
        #expect(other.key.publicKey != pending.key.publicKey && other.keys.publicKey != pending.keys.publicKey)
        #expect(pending.key.bytes != pending.keys.pair.bytes)
    }

    @Test func `is refused if any byte of its file is changed`() throws {
        let bytes = try written()
        let body = Array(bytes.dropLast(32))
        #expect(code(bytes) == nil && code(withChecksum(body)) == nil)
        for index in bytes.indices { #expect(code(bytes.flipped(at: index)) == .damaged, "byte \(index)") }
        for index in body.indices {
            let found = code(withChecksum(body.flipped(at: index)))
            // A changed version is one of the future.
            #expect(found == .damaged || found == .unknownVersion && index == 6, "byte \(index)")
        }
    }

    @Test func `is refused if its file was cut off, or has another form`() throws {
        let bytes = try written()
        for length in bytes.indices { #expect(code(Array(bytes.prefix(length))) == .damaged) }
        let body = Array(bytes.dropLast(32))
        for length in body.indices { #expect(code(withChecksum(Array(body.prefix(length)))) == .damaged) }
        #expect(code(withChecksum(body + [0])) == .damaged)
        for (index, value) in [
            (0, "word"), (1, "1"), (2, "device"), (3, .bytes([])), (3, "text"), (4, .bytes([])), (4, "text"),
            (4, .bytes([UInt8](repeating: 1, count: 31))), (5, .bytes([])), (5, "text"), (6, 0),
        ] as [(Int, CBORValue)] {
            #expect(try code(withChecksum(body.replacing(index, with: value))) == .damaged)
        }
        #expect(try code(withChecksum(body.replacing(1, with: 2))) == .unknownVersion)
        try fixture.write([UInt8](repeating: 0, count: PendingDevice.maximumLength + 1), to: path)
        #expect(throws: VaultError(.damaged, "")) { try PendingDevice(at: fixture.location) }
    }

    @Test func `has the keys of its own request`() throws {
        let body = Array(try written().dropLast(32))
        let other = try PendingDevice(name: "Phone", system: "postmarketOS", fixture.environment)
        #expect(try code(withChecksum(body.replacing(5, with: .bytes(other.request.encoded)))) == .damaged)
        #expect(try code(withChecksum(body.replacing(3, with: .bytes(other.key.bytes)))) == .damaged)
        #expect(try code(withChecksum(body.replacing(4, with: .bytes(other.keys.pair.bytes)))) == .damaged)
    }

    @Test func `is overwritten and removed`() throws {
        let bytes = try written()
        let (other, half) = (fixture.folder.path + "/other name", fixture.folder.path + "/half")
        // A second name shows what the disk has.
        #expect(unsafe link(path, other) == 0)
        // What a power cut leaves.
        try fixture.write(bytes, to: path + ".new")
        #expect(unsafe link(path + ".new", half) == 0)
        PendingDevice.remove(at: fixture.location)
        let zeros = [UInt8](repeating: 0, count: bytes.count)
        #expect(try fixture.read(other) == zeros && fixture.read(half) == zeros)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.location.stateDirectory).isEmpty)
        #expect(try PendingDevice(at: fixture.location) == nil)
        PendingDevice.remove(at: fixture.location)
    }

    @Test(arguments: ["pairing", "contents"])
    func `stays as it was if the disk refuses`(step: String) throws {
        let bytes = try written()
        let broken = VaultEnvironment(
            effects: fixture.environment.effects,
            beforeWrite: { found in
                if found == (step == "contents" ? .fileContents("pairing") : .fileRename(step)) {
                    throw VaultError(.diskFull, "")
                }
            }
        )
        let other = try PendingDevice(name: "Phone", system: "postmarketOS", broken)
        #expect(throws: VaultError(.diskFull, "")) { try other.write(at: fixture.location, broken) }
        #expect(try fixture.read(path) == bytes)
    }

    @Test func `needs random bytes`() {
        let empty = CircleFixture.environment(drawing: [])
        #expect(throws: VaultError(.unavailable, "")) { try PendingDevice(name: "a", system: "b", empty) }
    }

    @Test func `is not shown`() { #expect(isHidden(pending, as: "PendingDevice")) }
}
