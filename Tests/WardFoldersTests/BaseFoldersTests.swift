import Foundation
import Testing
import WardFolders

@Suite struct `Base folders` {
    @Test func `are the ones that the environment names`() {
        let folders = BaseFolders(environment: [
            "HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
            "XDG_RUNTIME_DIR": "/r",
            "XDG_DATA_DIRS": "/a:/b",
        ])
        #expect([folders.home, folders.config, folders.data, folders.state] == ["/h", "/c", "/d", "/s"])
        #expect(folders.runtime == "/r")
        #expect(folders.sharedData == ["/a", "/b"])
    }

    @Test func `are in the home folder otherwise`() {
        let folders = BaseFolders(environment: ["HOME": "/h"])
        #expect([folders.config, folders.data, folders.state] == ["/h/.config", "/h/.local/share", "/h/.local/state"])
        #expect(folders.runtime == nil)
        #expect(folders.sharedData == ["/usr/local/share", "/usr/share"])
    }

    @Test(arguments: ["", "relative", "./here", "~/there", "../up"])
    func `ignore values that are empty or relative`(value: String) {
        let variables = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_DATA_DIRS"]
        var environment = Dictionary(uniqueKeysWithValues: variables.map { ($0, value) })
        environment["HOME"] = "/h"
        #expect(BaseFolders(environment: environment) == BaseFolders(environment: ["HOME": "/h"]))
    }

    @Test(arguments: ["", "relative", nil])
    func `use the account's home folder without a good HOME`(value: String?) {
        let home = BaseFolders(environment: value.map { ["HOME": $0] } ?? [:]).home
        #expect(home == NSHomeDirectory())
        #expect(home.hasPrefix("/"))
    }

    @Test func `take the absolute ones of a list`() {
        #expect(BaseFolders(environment: ["XDG_DATA_DIRS": "/a:relative::/b"]).sharedData == ["/a", "/b"])
    }
}
