internal import Testing
internal import WardAttestation
internal import WardRelyingParty

@Suite struct `Section 8` {
    @Test
    func `every rule has a test that breaks it`() {
        var tested: Set<Rule> = []
        tested.formUnion(PackedDraft.rejections.map(\.rule))
        tested.formUnion(SelfDraft.rejections.map(\.rule))
        tested.formUnion(TPMDraft.rejections.map(\.rule))
        tested.formUnion(AndroidKeyDraft.rejections.map(\.rule))
        tested.formUnion(SafetyNetDraft.rejections.map(\.rule))
        tested.formUnion(U2FDraft.rejections.map(\.rule))
        tested.formUnion(NoneDraft.rejections.map(\.rule))
        tested.formUnion(AppleDraft.rejections.map(\.rule))
        tested.formUnion(CompoundDraft.rejections.map(\.rule))
        #expect(Rule.allCases.filter { !tested.contains($0) }.map(\.rawValue) == [])
    }

    @Test
    func `every format of the section is among all`() {
        #expect(
            AttestationFormats.all.identifiers == [
                "android-key", "android-safetynet", "apple", "compound", "fido-u2f", "none", "packed", "tpm",
            ]
        )
        #expect(AttestationFormats.all["Packed"] == nil)
    }
}
