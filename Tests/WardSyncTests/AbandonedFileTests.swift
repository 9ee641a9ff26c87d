import Foundation
import Testing

@testable import WardSync

/// What writes that were interrupted leave behind.
@Suite struct `Temporary files` {
    @Test func `of this device are deleted at the next write after an hour`() throws {
        let folder = try FolderFixture()
        let device = DeviceFixture(folder.vault)
        let own = try folder.makeFolder(of: device.id)
        let name = FolderFixture.name(1, 2)
        let old = [".\(name).1a.tmp", ".from-00-00-\(name).1a.tmp"]
        let kept = [
            "x\(name).1a.tmp", ".\(name).1a.bak", ".other.seg.1a.tmp", ".syncthing.\(name).tmp", ".\(name)1a.tmp",
            ".tmp",
        ]
        let fresh = ".\(name).2b.tmp"
        for file in old + [fresh] + kept { try FolderFixture.put([1], at: own + "/" + file) }
        for file in old + kept {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7200)],
                ofItemAtPath: own + "/" + file
            )
        }
        try FileManager.default.createSymbolicLink(
            atPath: own + "/.\(name).3c.tmp",
            withDestinationPath: own + "/" + fresh
        )
        #expect(try folder.remote.write(try device.write(), of: device.id).isEmpty)
        let left = Set(try folder.files(of: device.id))
        #expect(left == Set(kept + [fresh, ".\(name).3c.tmp", FolderFixture.name(1, 1)]))
        // None of them is read.
        let found = folder.read()
        #expect(found.records == device.records && found.troubles.isEmpty)
    }
}

@Suite struct `The name of a segment` {
    @Test func `has its first and its last number`() throws {
        let name = SegmentFileName(first: 3, last: .max)
        #expect(name.text == "00000000000000000003-18446744073709551615.seg")
        #expect(SegmentFileName(Array(name.text.utf8)) == name)
        #expect(SegmentFileName.length == name.text.utf8.count)
        #expect(SegmentFileName(first: 3, last: 9) < name && SegmentFileName(first: 2, last: 9) < name)
    }

    @Test(arguments: [
        "", "0000000000000000000-00000000000000000005.seg", "00000000000000000003_00000000000000000005.seg",
        "00000000000000000003-00000000000000000005.sex", "00000000000000000006-00000000000000000005.seg",
        "+0000000000000000003-00000000000000000005.seg", "00000000000000000003-18446744073709551616.seg",
        "00000000000000000003-0000000000000000000a.seg", "00000000000000000003-00000000000000000005.seg ",
        "00000000000000000003-00000000000000000005.sync-conflict-20261126-101010-ABCDEFG.seg",
    ])
    func `is nothing else`(text: String) {
        #expect(SegmentFileName(Array(text.utf8)) == nil)
    }
}
