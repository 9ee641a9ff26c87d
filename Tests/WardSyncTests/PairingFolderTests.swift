import Foundation
import Testing
import WardText
import WardVault

@testable import WardSync

@Suite struct `A folder for pairing` {
    private let folder: PairingFolderFixture
    private let now: Int64 = 1_700_000_000

    init() throws { folder = try PairingFolderFixture() }

    @Test func `carries a request and its reply`() throws {
        let request = try folder.device(now).request
        #expect(try folder.place.requests(now: now).requests.isEmpty)
        #expect(try folder.place.reply(to: request) == nil)
        try folder.place.post(request)
        #expect(try folder.place.reply(to: request) == nil)
        let found = try folder.place.requests(now: now)
        #expect(found.requests == [request] && found.requests.first?.words == request.words)
        #expect(found.troubles.isEmpty)
        try folder.place.post(reply: [1, 2, 3], to: request)
        #expect(try folder.place.reply(to: request) == [1, 2, 3])
        // Admitting it again gives a new reply, and posting it again changes nothing.
        try folder.place.post(reply: [4], to: request)
        try folder.place.post(request)
        #expect(try folder.place.reply(to: request) == [4])
        #expect(try folder.place.requests(now: now).requests == [request])
    }

    @Test func `has files that only their owner reads, with the ID of the request`() throws {
        let request = try folder.device(now).request
        try folder.place.post(request)
        try folder.place.post(reply: [1], to: request)
        let id = Hex.encode(request.id)
        #expect(try folder.files() == ["\(id).reply", "\(id).request"])
        for file in try folder.files() { #expect(try FolderFixture.mode(folder.path + "/" + file) == 0o600) }
        for path in [folder.path, folder.root.path + "/ward"] { #expect(try FolderFixture.mode(path) == 0o700) }
    }

    @Test func `carries those of two devices at once`() throws {
        let devices = try [folder.device(now), folder.device(now + 1)]
        for device in devices { try folder.place.post(device.request) }
        let found = try folder.place.requests(now: now).requests
        #expect(found == [devices[1].request, devices[0].request])
        #expect(Set(found.map(\.words)).count == 2)
        for device in devices { try folder.place.post(reply: device.request.id, to: device.request) }
        for device in devices { #expect(try folder.place.reply(to: device.request) == device.request.id) }
        folder.place.remove(devices[0].request)
        #expect(try folder.place.reply(to: devices[0].request) == nil)
        #expect(try folder.place.reply(to: devices[1].request) == devices[1].request.id)
        #expect(try folder.place.requests(now: now).requests == [devices[1].request])
    }

    @Test func `offers the newest first, and nothing older than 7 days`() throws {
        let times = [now - 7 * 86_400 - 1, now - 7 * 86_400, now + 9 * 86_400, now]
        for time in times { try folder.place.post(try folder.device(time).request) }
        let found = try folder.place.requests(now: now)
        #expect(found.requests.map(\.time) == [times[2], times[3], times[1]])
        #expect(found.troubles == [FolderTrouble(.check, folder.path, .oldRequests)])
    }

    @Test func `says of a device whose clock is behind why it is left out, and keeps its request`() throws {
        let (today, week) = (Int64(time(nil)), PairingRequest.lifetime)
        let behind = try folder.device(today - 5 * week).request
        try folder.place.post(behind)
        try folder.place.post(reply: [1], to: behind)
        let files = try folder.files()
        // The clock of this machine may be wrong too, and the file is new all the same.
        for now in [today, today + week - 60] {
            folder.place.removeOld(now: now)
            let found = try folder.place.requests(now: now)
            #expect(found.requests.isEmpty && found.troubles.map(\.reason) == [.oldRequests])
            #expect(found.troubles.allSatisfy { $0.description.contains("Set its clock") })
            #expect(try folder.files() == files)
        }
        // A program that copies the folder keeps the time of the other machine.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(today - 5 * week))],
            ofItemAtPath: folder.path + "/" + Hex.encode(behind.id) + ".request"
        )
        folder.place.removeOld(now: today)
        #expect(try folder.files() == files)
        folder.place.removeOld(now: today + week + 3_600)
        #expect(try folder.files().isEmpty)
    }

    @Test func `is left without a trace`() throws {
        let request = try folder.device(now).request
        folder.place.remove(request)
        try folder.place.post(request)
        try folder.place.post(reply: [1], to: request)
        folder.place.remove(request)
        #expect(try folder.files().isEmpty)
        folder.place.remove(request)
        PairingFolder(folder: folder.root.path + "/missing").remove(request)
    }

    @Test func `loses old requests, their replies and old temporary files when a member asks`() throws {
        // The files of today are old by then.
        let today = Int64(time(nil)) + 8 * 86_400
        let old = try folder.device(today - 7 * 86_400 - 1).request
        let recent = try folder.device(today - 7 * 86_400).request
        folder.place.removeOld(now: today)
        for request in [old, recent] { try folder.place.post(request) }
        let names = [old, recent].map { Hex.encode($0.id) }
        try FolderFixture.put([1], at: folder.path + "/\(names[0]).reply")
        let temporary = [".\(names[1]).reply.1a.tmp", ".\(names[1]).request.1a.tmp"]
        let kept = [".\(names[1]).reply.2b.tmp", ".x.reply.1a.tmp", ".\(names[1]).seg.1a.tmp"]
        for file in temporary + kept { try FolderFixture.put([1], at: folder.path + "/" + file) }
        for (age, files) in [(7_200, temporary + kept.dropFirst()), (0, Array(kept.prefix(1)))] {
            for file in files {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: Double(today - Int64(age)))],
                    ofItemAtPath: folder.path + "/" + file
                )
            }
        }
        try folder.place.post(reply: [2], to: recent)
        folder.place.removeOld(now: today)
        #expect(try folder.files() == (kept + ["\(names[1]).reply", "\(names[1]).request"]).sorted())
    }

    @Test func `shows no part of a file, whenever the power fails`() throws {
        let request = try folder.device(now).request
        for limit in 0..<3 {
            let log = StepLog(failingAfter: limit)
            #expect(throws: FolderError(.unavailable, "")) {
                try PairingFolder(folder: folder.root.path) { try log.take($0) }.post(request)
            }
            let found = try folder.place.requests(now: now)
            #expect(found.requests == (limit == 2 ? [request] : []) && found.troubles.isEmpty)
            #expect(try folder.files().count == (limit == 2 ? 1 : 0))
        }
        let log = StepLog()
        try PairingFolder(folder: folder.root.path) { try log.take($0) }.post(request)
        let file = folder.path + "/" + Hex.encode(request.id) + ".request"
        #expect(log.all == [.create(file), .rename(file), .synchronize(folder.path)])
    }
}

@Suite struct `The name of a request or a reply` {
    @Test func `is the ID of the request`() throws {
        let request = try PairingFolderFixture().device(1).request
        for kind in PairingFileName.Kind.allCases {
            let name = PairingFileName(request, kind)
            #expect(name.file.text == Hex.encode(request.id) + kind.rawValue)
            #expect(PairingFileName(name.file) == name)
        }
    }

    @Test(arguments: [
        "", ".request", "000102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f.seg",
        "000102030405060708090A0B0C0D0E0F.request", "000102030405060708090a0b0c0d0e.request",
        "000102030405060708090a0b0c0d0e0f10.reply", "000102030405060708090a0b0c0d0e0g.reply",
        "000102030405060708090a0b0c0d0e0f.sync-conflict-20261126-101010-ABCDEFG.request",
    ])
    func `is nothing else`(text: String) { #expect(PairingFileName(FileName(text)) == nil) }
}
