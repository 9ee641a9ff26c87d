import Testing
import WardAgentClient
import WardVault

@testable import WardAgent

/// What a change may ask of an item. Whole changes: `Tests/Interop/test_manager_edit.py`.
@Suite struct `A change of an item` {
    @Test(arguments: ["", "two words", "https://", "ftp://example.com", "?"])
    func `refuses an address that is no site`(address: String) {
        var item = Item(title: "t")
        var change = ItemChange()
        change.addSites = [address]
        #expect(throws: AgentError(.invalidValue, "")) { try change.changeSites(&item) }
        #expect(item.sites.isEmpty)
    }

    @Test(arguments: ["example.com", "https://example.com/in", "http://[::1]:8080", "androidapp://com.example.shiny"])
    func `adds sites`(address: String) throws {
        var item = Item(title: "t")
        var change = ItemChange()
        change.addSites = [address]
        try change.changeSites(&item)
        #expect(item.sites.map(\.address) == [address])
    }

    @Test func `removes nothing that is not there`() {
        var item = Item(title: "t")
        item.tags = ["work"]
        var change = ItemChange()
        change.removeTags = ["work", "home"]
        change.takeConflicts = [0]
        #expect(throws: AgentError(.itemMissing, "")) { try change.changeTags(&item) }
        let error = #expect(throws: AgentError.self) { try change.settle(&item, now: 1) }
        #expect(error?.code == .itemMissing)
    }
}
