/// Prompts in Korean.
enum KoreanPrompts: PromptLanguage {
    static let separator = " "

    static func text(_ sentence: PromptSentence) -> String {
        switch sentence {
        case .inVault(let name): "보관함: \(name)"
        case .vaultIsLocked(nil): "보관함이 잠겨 있습니다. 잠금을 해제할까요?"
        case .vaultIsLocked(let purpose?): "보관함이 잠겨 있습니다. \(text(purpose)) 위해 잠금을 해제할까요?"
        case .typePassphrase(let purpose): "\(text(purpose)) 위해 암호 구문을 입력하세요."
        case .saveDamagedVault: "보관함에서 읽을 수 있는 내용을 저장할까요?"
        case .wrongPassphrase(let attempt, let all): "암호 구문이 틀렸습니다(\(all)회 중 \(attempt)회째)."
        case .noPassphrase(let attempt, let all): "암호 구문을 입력하지 않았습니다(\(all)회 중 \(attempt)회째)."
        case .showItIsYou: "본인 확인을 위해 암호 구문을 입력하세요."

        case .leavesSealed(let file): "보관함의 모든 비밀번호, 패스키, 코드, 파일이 암호화된 파일로 내보내집니다: \(file)."
        case .leavesPlain(let file): "경고: 보관함의 모든 비밀번호, 패스키, 코드, 파일이 모든 프로그램이 읽을 수 있는 파일로 내보내집니다: \(file)."

        case .typePINToUnlock(nil): "보관함이 잠겨 있습니다. 잠금을 해제하려면 PIN을 입력하세요."
        case .typePINToUnlock(let purpose?): "보관함이 잠겨 있습니다. \(text(purpose)) 위해 PIN을 입력하세요."
        case .showItIsYouWithPIN: "본인 확인을 위해 PIN을 입력하세요."
        case .emptyIsPassphrase: "비워 두면 대신 암호 구문을 입력할 수 있습니다."
        case .showItIsYouWithFinger: "본인 확인을 위해 지문 인식기에 손가락을 대세요."
        case .wrongPIN(let left): "PIN이 틀렸습니다(\(left)회 남음)."
        case .wrongFinger(let left): "지문이 다르거나 제대로 읽지 못했습니다(\(left)회 남음)."
        case .wrongTooOften: "너무 많이 틀렸습니다. 암호 구문을 입력하세요."
        case .noFinger(let problem): "지문을 사용할 수 없습니다: \(text(problem))."
        case .pinNeedsPassphrase: "암호 구문을 입력하면 PIN을 다시 쓸 수 있습니다."
        case .pinIsOver: "컴퓨터를 다시 시작했거나 14일이 지났습니다. 암호 구문을 입력하세요."
        case .pinIsLockedOut: "잘못된 PIN이 너무 많아 TPM이 잠겼습니다. 암호 구문을 입력하세요."
        case .pinIsUnknown: "이 컴퓨터의 TPM은 이 PIN을 모릅니다. 암호 구문을 입력하세요."
        case .pinOpensNothing: "이 PIN으로는 더 이상 보관함을 열 수 없습니다. 암호 구문을 입력하세요."
        case .pinIsNotChecked: "TPM이 지금 PIN을 확인할 수 없습니다. 암호 구문을 입력하세요."

        case .useWard: "여기에 Ward를 사용할까요?"
        case .makePasskey(let account, let site): "\(place(site))에서 사용할 \(name(account))의 패스키를 만들까요?"
        case .replacesPasskey(let account): "\(name(account))의 기존 패스키를 대체합니다."
        case .alreadyHasPasskey(let site): "\(place(site))의 패스키가 이미 여기에 있습니다. 사이트에 알릴까요?"
        case .signIn(let site, let account): "\(place(site))에 \(name(account))(으)로 로그인할까요?"
        case .noPasskey(let site): "\(place(site))에서 패스키를 요청하지만 여기에는 없습니다."
        case .pageAsks(let host): "요청한 페이지는 \(host)입니다."
        case .insidePage(let host): "주의: 이 페이지는 \(host) 페이지 안에 표시되어 있습니다."
        case .keptIn(let provider): "패스키는 \(provider)에 보관됩니다."
        case .providerVerifies(let provider): "본인 확인은 \(provider)에서 직접 합니다."
        case .passkeyMade(let site, let account):
            "이제부터 \(site)에 “\(account)”(으)로 패스키를 사용해 로그인합니다. 비밀번호는 그대로 남습니다."
        case .passkeyMadeTitle: "패스키를 만들었습니다"
        case .signedIn(let site, let account): "\(place(site))에 \(name(account))(으)로 로그인했습니다."
        case .signedInTitle: "로그인했습니다"

        case .accountNumber(let number, let all): "(계정 \(number)/\(all))"
        case .lineNumber(let number, let all): "(\(number)/\(all))"
        case .signInWithPasskey(let site, let account, let provider):
            "\(provider)에 있는 패스키로 \(site)에 \(name(account))(으)로 로그인할까요?"
        case .signInWithPassword(let site, let account, let provider):
            "\(provider)에 있는 비밀번호로 \(site)에 \(name(account))(으)로 로그인할까요?"
        case .fillInCode(let site, let account, let provider):
            "\(provider)에 있는 \(site)의 \(name(account)) 코드를 입력할까요?"
        case .lookIntoVault: "잠긴 보관함에 무엇이 있는지 볼까요?"
        case .lookIntoProvider(let provider): "\(provider)에 무엇이 있는지 볼까요? 잠겨 있어서 \(provider)에서 직접 확인합니다."
        case .chooseText(let provider): "\(provider)에서 텍스트를 골라 입력할까요?"
        case .signInElsewhere: "다른 서비스의 계정으로 브라우저에서 로그인할까요?"
        case .makePasskeyIn(let account, let site, let provider):
            "\(site)에서 사용할 \(name(account))의 패스키를 만들어 \(provider)에 보관할까요?"

        case .makePassword(let account, let site, let provider):
            "\(site)에서 사용할 \(name(account))의 강력한 비밀번호를 만들어 \(provider)에 보관할까요?"
        case .replacesPassword: "지금 비밀번호를 대체합니다. 지금 비밀번호는 기록에 남습니다."
        case .keepPassword(let account, let site): "\(site)의 \(password(account))를 저장할까요?"
        case .keepPasswordIn(let account, let site, let provider):
            "\(site)의 \(password(account))를 \(provider)에 저장할까요?"
        case .changePassword(let account, let site, let item):
            "\(site)의 \(password(account))를 변경할까요? 지금 비밀번호는 “\(item)”의 기록에 남습니다."

        case .enableProvider(let provider): "앱 로그인에 \(provider)을(를) 사용할까요?"
        case .declaredIn(let file): "선언 파일은 \(file)입니다."
        case .providerProgram(let path): "해당 프로그램은 \(path)입니다."

        case .copyInBrowser(let browser, let item):
            "\(browser)에서 \(item)의 비밀번호나 코드를 복사할까요?"
        case .connectBrowser(let browser):
            "\(browser)을(를) Ward에 연결할까요? 표시하는 페이지에 비밀번호를 입력하고 패스키를 사용하고 만들 수 있게 됩니다."
        case .browserExtension(let identifier): "확장 프로그램은 \(identifier)입니다."

        case .giveContact(let site, let contact): "\(site)에 \(contact) 정보를 알릴까요?"
        case .giveTypedContact(let site): "\(site)에 다른 내용을 입력해 알릴까요?"
        case .typeEmail(let site):
            "\(site)에서 새 계정을 만듭니다. 사용할 이메일 주소를 입력하세요.\n만들기 전에 다시 표시됩니다."
        case .typeTelephone(let site):
            "\(site)에서 새 계정을 만듭니다. 사용할 전화번호를 입력하세요.\n만들기 전에 다시 표시됩니다."
        case .notEmail: "이메일 주소가 아닙니다."
        case .notTelephone: "전화번호가 아닙니다."
        case .tellName(let site, let name): "\(site)에 “\(name)”(이)라는 이름을 알릴까요?"
        case .tellTypedName(let site): "\(site)에 이름을 입력해 알릴까요?"
        case .tellNoName(let site): "\(site)에 이름을 알리지 않을까요?"
        case .typeName(let site): "\(site)에 알릴 이름을 입력하세요."
        case .notName: "이름은 1~256바이트이며 제어 문자를 쓸 수 없습니다."

        case .deviceAddedTitle: "기기가 추가되었습니다"
        case .deviceAdded(let name): "\(device(name))에서 이제 보관함을 읽고 변경할 수 있습니다. 직접 추가하지 않았다면 제거하세요: ward devices"
        case .deviceRemovedTitle: "기기가 제거되었습니다"
        case .deviceRemoved(let name): "\(device(name))에는 더 이상 보관함의 변경 사항이 전달되지 않습니다. 직접 제거하지 않았다면 확인하세요: ward devices"
        case .removedHereTitle: "이 기기가 제거되었습니다"
        case .removedHere: "가지고 있는 내용은 볼 수 있지만 보관함을 변경할 수 없습니다. 자세히 보기: ward sync status"
        case .circleFrozenTitle: "두 기기가 서로를 제거했습니다"
        case .circleFrozen: "어느 기기를 남길지 정할 때까지 다른 기기로 아무것도 전송되지 않습니다. 자세히 보기: ward sync status"
        case .deviceCopiedTitle: "이 기기의 보관함은 복사본입니다"
        case .deviceCopied: "오래된 복사본에서 복원되었거나 디스크가 복사되었습니다. 동기화가 중지되었습니다. 자세히 보기: ward sync status"
        case .deviceBrokeRulesTitle: "기기가 규칙을 어겼습니다"
        case .deviceBrokeRules(let name):
            "\(device(name))에서 내 기기라면 기록하지 않을 내용을 기록했습니다. 그때부터 기록한 내용은 무효입니다. 자세히 보기: ward sync status"
        case .removalVoidTitle: "기기 제거가 무효가 되었습니다"
        case .removalVoid: "제거를 실행한 기기 자체가 제거되었습니다. 기기를 확인하세요: ward devices"
        case .lateChangesTitle: "제거된 기기의 변경 사항은 무효입니다"
        case .lateChanges(let name):
            "\(device(name))의 변경 사항 중 제거할 때 전달되지 않았던 것은 표시되지 않습니다. 그 기기를 사용한다면 거기에서 저장하세요: ward salvage. 자세히 보기: ward devices"
        case .notAdmittedTitle: "내 기기가 아닌 누군가가 폴더에 기록했습니다"
        case .notAdmitted: "기록된 내용은 받아들이지 않았습니다. 이 기기의 데이터는 손실되지 않았습니다. 자세히 보기: ward sync status"
        case .serverLostTitle: "동기화 서버에서 변경 사항이 사라졌습니다"
        case .serverLost(let count): "이 기기가 \(count)개를 서버에 다시 올렸습니다. 빠진 것은 없습니다."
        case .serverTwoOrdersTitle: "동기화 서버의 내용이 서로 모순됩니다"
        case .serverTwoOrders:
            "기기에 따라 변경 사항을 서로 다른 순서로 보여 주었습니다. 일부 기기에는 변경 사항을 숨기고 있을 수 있습니다. 자세히 보기: ward sync status"
        case .serverAtFaultTitle: "동기화 서버가 데이터를 숨기거나 변경했습니다"
        case .serverAtFault: "잘못된 데이터는 받아들이지 않았습니다. 이 기기의 데이터는 손실되지 않았습니다. 자세히 보기: ward sync status"
        case .notSyncedTitle: "동기화가 되지 않습니다"
        case .notSynced: "하루가 넘도록 변경 사항이 변경한 기기에만 남아 있습니다. 자세히 보기: ward sync status"
        case .entriesWithheldTitle: "다른 기기의 변경 사항이 빠져 있습니다"
        case .entriesWithheld:
            "한 시간이 넘도록 변경 사항이 오지 않았거나 온전하게 오지 않았습니다. 이 기기의 데이터는 손실되지 않았습니다. 자세히 보기: ward sync status"
        case .serverAlmostFullTitle: "동기화 서버의 공간이 얼마 남지 않았습니다"
        case .serverAlmostFull(let percent):
            "보관함이 서버에서 할당받은 공간의 \(percent)%를 사용하고 있습니다. 공간을 다 쓰면 새 변경 사항은 변경한 기기에만 남습니다. 자세히 보기: ward sync status"
        case .vaultMovedTitle: "보관함이 다른 동기화 서버로 옮겨졌습니다"
        case .vaultMoved(let host): "이 기기는 이제 \(host) 서버와 동기화합니다. 직접 옮기지 않았다면 암호 구문을 변경하세요: ward passphrase"

        case .askedByProgram(let path, let pid): "요청한 프로그램: \(path) (\(pid))."
        case .askedByFlatpak(let name): "요청한 앱: \(name)(Flatpak 앱)."
        case .askedByApp(let name, let identifier, let path): "요청한 앱: \(name) (\(identifier)), 프로그램 \(path)."
        case .nobodyVouches: "요청한 프로그램의 신원이 확인되지 않았습니다."
        case .program(let path): "프로그램 \(path)"
        case .isThisMachine(let domain):
            "\(domain)은(는) 개발용으로 쓰는 이 컴퓨터 자체입니다. 모든 프로그램이 이 이름을 쓸 수 있습니다."
        }
    }

    private static func device(_ name: CleanText?) -> String { name.map { "‘\($0)’ 기기" } ?? "한 기기" }
    private static func name(_ account: CleanText?) -> String { account.map { "“\($0)”" } ?? "내 계정" }
    private static func place(_ site: CleanText?) -> String { site?.description ?? "사이트" }
    private static func password(_ account: CleanText?) -> String {
        account.map { "“\($0)” 비밀번호" } ?? "비밀번호"
    }

    static func text(_ word: PromptWord) -> String {
        switch word {
        case .agree: "동의"
        case .another: "다른 항목"
        case .anotherAccount: "다른 계정"
        case .cancel: "취소"
        case .connect: "연결"
        case .fillIn: "입력"
        case .goOn: "계속"
        case .keep: "저장"
        case .makePasskey: "패스키 만들기"
        case .makePassword: "비밀번호 만들기"
        case .ok: "확인"
        case .save: "저장"
        case .signIn: "로그인"
        case .tellSite: "사이트에 알리기"
        case .thisOne: "이 항목 사용"
        case .turnOn: "사용"
        case .typePassphrase: "암호 구문 입력"
        case .typePIN: "PIN 입력"
        case .undo: "실행 취소"
        case .unlock: "잠금 해제"
        case .useWard: "Ward 사용"
        case .yes: "예"
        case .no: "아니요"
        case .next: "다음"
        case .email: "이메일"
        case .name: "이름"
        case .passphrase: "암호 구문"
        case .pin: "PIN"
        case .telephone: "전화번호"
        }
    }

    static func text(_ purpose: PromptPurpose) -> String {
        switch purpose {
        case .addItem: "항목을 추가하기"
        case .backUpVault: "보관함을 백업하기"
        case .changeItem: "항목을 변경하기"
        case .checkRecoveryKey: "복구 키를 확인하기"
        case .checkVault: "보관함을 검사하기"
        case .copyItem: "항목을 복사하기"
        case .emptyTrash: "휴지통을 비우기"
        case .fillIn: "저장한 내용을 입력하기"
        case .findItem: "항목을 찾기"
        case .exportItems: "모든 항목을 내보내기"
        case .importItems: "항목을 가져오기"
        case .keepPassword: "비밀번호를 저장하기"
        case .auditItems: "항목의 보안을 확인하기"
        case .listDevices: "보관함의 기기 목록을 보기"
        case .listItems: "항목 목록을 보기"
        case .listPasskeys: "패스키 목록을 보기"
        case .makePasskey(let account, let sites, let more):
            "\(places(sites, more))에서 사용할 \(name(account))의 패스키를 만들기"
        case .makeRecoveryKey: "새 복구 키를 만들기"
        case .nameDevice: "이 기기의 이름을 정하기"
        case .readCode: "인증 코드를 읽기"
        case .readHistory: "항목의 기록을 읽기"
        case .readItem: "항목을 읽기"
        case .removeItem: "항목을 삭제하기"
        case .removePasskey: "패스키를 삭제하기"
        case .removePIN: "PIN을 삭제하기"
        case .restoreBackup: "백업을 복원하기"
        case .restoreItem: "항목을 복원하기"
        case .setPIN: "PIN을 설정하기"
        case .switchFingerprintOff: "지문 사용을 끄기"
        case .switchFingerprintOn: "지문으로 본인을 확인하기"
        case .switchSyncOff: "동기화를 끄기"
        case .switchQuickUnlockOn: "PIN으로 보관함을 열 수 있게 하기"
        case .syncVault: "보관함을 동기화하기"
        case .signIn(let sites, let more): "\(places(sites, more))에 로그인하기"
        }
    }

    private static func places(_ sites: [CleanText], _ more: Int) -> String {
        sites.map(\.description).joined(separator: ", ") + (more > 0 ? " 외 \(more)곳" : "")
    }

    static func text(_ problem: FingerprintProblem) -> String {
        switch problem {
        case .broken: "지문 인식기가 작동하지 않습니다"
        case .gone: "지문 인식기가 없어졌습니다"
        case .inUse: "다른 프로그램이 지문 인식기를 사용하고 있습니다"
        case .noBus: "시스템 버스가 없습니다"
        case .noReader: "지문 인식기가 없습니다"
        case .notEnrolled: "등록된 지문이 없습니다(fprintd-enroll로 등록)"
        case .notInstalled: "fprintd가 설치되어 있지 않습니다"
        case .notPermitted: "이 세션에서는 지문 인식기를 사용할 수 없습니다"
        }
    }
}
