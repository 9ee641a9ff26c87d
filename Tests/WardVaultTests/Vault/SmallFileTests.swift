import Crypto
import Foundation
import Testing
import WardCBOR
import WardLog

@testable import WardVault

@Suite struct `Small files` {
    private func with(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "wvf-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func put(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    @Test func `are read whole, or it is said what is wrong`() throws {
        try with { folder in
            let file = folder + "/file"
            try SmallFile.replace(file, with: [1, 2, 3])
            #expect(try SmallFile.read(file, limit: 3) == [1, 2, 3])
            #expect(try SmallFile.read(folder + "/missing", limit: 3) == nil)
            for (path, code) in [(file, VaultError.Code.damaged), (folder, .damaged), (file + "/below", .unavailable)] {
                #expect(throws: VaultError(code, "")) { try SmallFile.read(path, limit: 2) }
            }
            #expect(throws: VaultError(.damaged, "")) { try SmallFile.read(folder, limit: 1 << 20) }
            // Only for reading.
            let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
            defer { _ = close(descriptor) }
            #expect(!SmallFile.write([1], to: descriptor, at: 0))
        }
    }

    @Test func `are written and copied, or it is said what is wrong`() throws {
        try with { folder in
            let file = folder + "/file"
            try SmallFile.replace(file, with: [1])
            try SmallFile.copy(file, to: folder + "/copy")
            #expect(try SmallFile.read(folder + "/copy", limit: 1) == [1])
            #expect(throws: VaultError(.damaged, "")) { try SmallFile.copy(folder, to: folder + "/other") }
            for (words, action) in [
                ("File exists", { try SmallFile.copy(file, to: folder + "/copy") }),
                ("No such file", { try SmallFile.copy(folder + "/no", to: folder + "/other") }),
                ("No such file", { try SmallFile.replace(folder + "/no/file", with: [1]) }),
                ("No such file", { try SmallFile.move(folder + "/no", to: folder + "/other") }),
                ("No such file", { try SmallFile.synchronize(directory: folder + "/no") }),
                ("Not a directory", { try SmallFile.synchronize(directory: file) }),
            ] as [(String, () throws -> Void)] {
                let error = #expect(throws: VaultError.self) { try action() }
                #expect(error?.code == .unavailable && error?.detail.contains(words) == true)
            }
            #expect(!FileManager.default.fileExists(atPath: folder + "/other"))
        }
    }

    @Test func `are never taken for a new database`() throws {
        try with { folder in
            let path = folder + "/empty"
            try put([], path)
            #expect(throws: VaultError(.unavailable, "")) {
                try VaultDatabase(creating: path, header: [1], rows: [], VaultEnvironment())
            }
            #expect(try SmallFile.read(path, limit: 1) == [])
        }
    }

    private let vault = VaultID(genesis: [1])
    private let device = DeviceID(publicKey: [1])
    private let head = HeadFile.Head(position: 7, hash: [UInt8](repeating: 7, count: LogEntry.hashLength))

    @Test func `the last entry that was seen is read from a slot that is whole`() throws {
        try with { folder in
            let path = folder + "/head"
            let keys = try VaultKeys { [UInt8](repeating: 7, count: $0) }
            _ = try HeadFile(creating: path, vault, device, keys, head: head, VaultEnvironment())
            let slot = Array(try #require(try SmallFile.read(path, limit: 512)).prefix(256))
            func read(_ bytes: [UInt8]) throws -> HeadFile.Head? {
                try put(bytes, path)
                return try HeadFile(path, vault, device, keys)?.head
            }
            #expect(try read(slot) == head)
            #expect(try HeadFile(path, VaultID(genesis: [2]), device, keys) == nil)
            #expect(try HeadFile(path, vault, DeviceID(publicKey: [2]), keys) == nil)
            #expect(try HeadFile(path, vault, device, VaultKeys { [UInt8](repeating: 8, count: $0) }) == nil)
            #expect(try read(Array(slot.dropLast())) == nil)
            #expect(try read(Array(slot.dropLast()) + [1]) == nil)
            #expect(try read([0x81] + Array(slot.dropFirst())) == nil)
            #expect(try read([0x81, 0x40] + [UInt8](repeating: 0, count: 254)) == nil)
            #expect(try read([0x80] + [UInt8](repeating: 0, count: 255)) == nil)
            // A third value, of zero.
            #expect(try read([0x83] + Array(slot.dropFirst())) == nil)
            for index in stride(from: 0, to: 200, by: 3) where slot[index] != 0 {
                var spoiled = slot
                spoiled[index] ^= 1
                #expect(try read(spoiled) == nil)
            }
        }
    }

    @Test func `the key of a device is read from a file that is whole`() throws {
        try with { folder in
            let path = folder + "/device"
            let keys = try VaultKeys { [UInt8](repeating: 7, count: $0) }
            let made = try DeviceFile(VaultEnvironment())
            try made.write(path, vault, keys, VaultEnvironment())
            let file = try #require(try SmallFile.read(path, limit: DeviceFile.maximumLength))
            let parts = try #require(try CBORValue.decode(Array(file.dropLast(32))).arrayValue)
            func read(_ parts: [CBORValue], checksum: [UInt8]? = nil) throws -> DeviceID? {
                let body = CBORValue.array(parts).encoded()
                try put(body + (checksum ?? Array(SHA256.hash(data: body))), path)
                return try DeviceFile(path, vault, keys)?.device
            }
            func replacing(_ index: Int, _ value: CBORValue) -> [CBORValue] {
                var parts = parts
                parts[index] = value
                return parts
            }
            #expect(try read(parts) == made.device)
            #expect(try read(parts, checksum: [UInt8](repeating: 0, count: 32)) == nil)
            #expect(throws: VaultError(.unknownVersion, "")) { try read(replacing(1, 3)) }
            #expect(throws: VaultError(.unknownVersion, "")) { try read(["ward", 3, "device"]) }
            for wrong in [
                [], ["ward"], ["ward", 3], replacing(0, "other"), replacing(2, "head"), parts + [0],
                Array(parts.dropLast()),
                ["ward", 1, "device"], ["ward", 2, "device"], replacing(1, 2), replacing(3, .bytes([2])),
                replacing(4, .bytes([UInt8](repeating: 7, count: 32))),
                replacing(5, .bytes([])),
            ] as [[CBORValue]] {
                #expect(try read(wrong) == nil)
            }
            for short in [[], [UInt8](repeating: 0, count: 32), Array(SHA256.hash(data: [UInt8]()))] {
                try put(short, path)
                #expect(try DeviceFile(path, vault, keys) == nil)
            }
        }
    }
}
