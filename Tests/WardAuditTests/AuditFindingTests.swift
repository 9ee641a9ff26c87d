import Testing
import WardAudit
import WardVault

struct AuditFindingTests {
    @Test func `A finding is about one item`() {
        let item = ItemID()
        #expect(AuditFinding(.weak, of: item) != AuditFinding(.weak, of: ItemID()))
    }
}
