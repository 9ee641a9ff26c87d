/// Prompts in Simplified Chinese.
enum ChinesePrompts: PromptLanguage {
    static let separator = ""

    static func text(_ sentence: PromptSentence) -> String {
        switch sentence {
        case .inVault(let name): "保管库：\(name)"
        case .vaultIsLocked(nil): "保管库已锁定。要解锁吗？"
        case .vaultIsLocked(let purpose?): "保管库已锁定。要解锁以便\(text(purpose))吗？"
        case .typePassphrase(let purpose): "请输入密码短语，以便\(text(purpose))。"
        case .saveDamagedVault: "要保存保管库中可以读取的内容吗？"
        case .wrongPassphrase(let attempt, let all): "密码短语错误（第 \(attempt) 次，共 \(all) 次）。"
        case .noPassphrase(let attempt, let all): "没有输入密码短语（第 \(attempt) 次，共 \(all) 次）。"
        case .showItIsYou: "请输入密码短语，以确认是您本人。"

        case .leavesSealed(let file): "保管库中的所有密码、通行密钥、验证码和文件都会离开保管库，写入加密的文件：\(file)。"
        case .leavesPlain(let file): "警告：保管库中的所有密码、通行密钥、验证码和文件都会离开保管库，写入任何程序都能读取的文件：\(file)。"

        case .typePINToUnlock(nil): "保管库已锁定。请输入 PIN 以解锁。"
        case .typePINToUnlock(let purpose?): "保管库已锁定。请输入 PIN，以便\(text(purpose))。"
        case .showItIsYouWithPIN: "请输入 PIN，以确认是您本人。"
        case .emptyIsPassphrase: "留空则改为输入密码短语。"
        case .showItIsYouWithFinger: "请触摸指纹传感器，以确认是您本人。"
        case .wrongPIN(let left): "PIN 错误（还可以试 \(left) 次）。"
        case .wrongFinger(let left): "指纹不符，或没有读清（还可以试 \(left) 次）。"
        case .wrongTooOften: "错误次数过多。请输入密码短语。"
        case .noFinger(let problem): "无法使用指纹：\(text(problem))。"
        case .pinNeedsPassphrase: "输入密码短语后，PIN 才能再次使用。"
        case .pinIsOver: "计算机已重新启动，或已超过 14 天。请输入密码短语。"
        case .pinIsLockedOut: "错误的 PIN 过多，TPM 已锁定。请输入密码短语。"
        case .pinIsUnknown: "这台计算机的 TPM 不认识此 PIN。请输入密码短语。"
        case .pinOpensNothing: "此 PIN 已不能打开保管库。请输入密码短语。"
        case .pinIsNotChecked: "TPM 现在无法核对 PIN。请输入密码短语。"

        case .useWard: "要为此使用 Ward 吗？"
        case .makePasskey(let account, let site): "要为 \(place(site)) 的\(name(account))创建通行密钥吗？"
        case .replacesPasskey(let account): "它会替换\(name(account))的通行密钥。"
        case .alreadyHasPasskey(let site): "这里已经有 \(place(site)) 的通行密钥。要告诉该网站吗？"
        case .signIn(let site, let account): "要以\(name(account))的身份登录 \(place(site)) 吗？"
        case .noPasskey(let site): "\(place(site)) 请求使用通行密钥，但这里没有。"
        case .pageAsks(let host): "发出请求的页面是 \(host)。"
        case .insidePage(let host): "注意：该页面显示在 \(host) 的页面之中。"
        case .keptIn(let provider): "通行密钥保存在 \(provider) 中。"
        case .providerVerifies(let provider): "\(provider) 会自行确认是您本人。"
        case .passkeyMade(let site, let account):
            "从现在起，您以“\(account)”登录 \(site) 时使用通行密钥。密码仍然保留。"
        case .passkeyMadeTitle: "已创建通行密钥"
        case .signedIn(let site, let account): "已以\(name(account))的身份登录 \(place(site))。"
        case .signedInTitle: "已登录"

        case .accountNumber(let number, let all): "（账户 \(number)/\(all)）"
        case .lineNumber(let number, let all): "（\(number)/\(all)）"
        case .signInWithPasskey(let site, let account, let provider):
            "要使用 \(provider) 中的通行密钥，以\(name(account))的身份登录 \(site) 吗？"
        case .signInWithPassword(let site, let account, let provider):
            "要使用 \(provider) 中的密码，以\(name(account))的身份登录 \(site) 吗？"
        case .fillInCode(let site, let account, let provider):
            "要填入 \(provider) 中 \(site) 的\(name(account))的验证码吗？"
        case .lookIntoVault: "要查看已锁定的保管库中有什么吗？"
        case .lookIntoProvider(let provider): "要查看 \(provider) 中有什么吗？它已锁定，会自行向您确认。"
        case .chooseText(let provider): "要在 \(provider) 中选择要填入的文本吗？"
        case .signInElsewhere: "要在浏览器中使用其他服务的账户登录吗？"
        case .makePasskeyIn(let account, let site, let provider):
            "要为 \(site) 的\(name(account))创建通行密钥，并保存在 \(provider) 中吗？"

        case .makePassword(let account, let site, let provider):
            "要为 \(site) 的\(name(account))创建强密码，并保存在 \(provider) 中吗？"
        case .replacesPassword: "它会替换您现有的密码。现有的密码保留在历史记录中。"
        case .keepPassword(let account, let site): "要保存 \(site) 的\(password(account))吗？"
        case .keepPasswordIn(let account, let site, let provider):
            "要把 \(site) 的\(password(account))保存在 \(provider) 中吗？"
        case .changePassword(let account, let site, let item):
            "要更改 \(site) 的\(password(account))吗？现有的密码保留在“\(item)”的历史记录中。"

        case .enableProvider(let provider): "要启用 \(provider) 来登录应用吗？"
        case .declaredIn(let file): "其声明文件是 \(file)。"
        case .providerProgram(let path): "其程序是 \(path)。"

        case .copyInBrowser(let browser, let item):
            "要在 \(browser) 中复制 \(item) 的密码或验证码吗？"
        case .connectBrowser(let browser):
            "要将 \(browser) 连接到 Ward 吗？连接后，它可以为其显示的页面填写密码、使用和创建通行密钥。"
        case .browserExtension(let identifier): "扩展程序为 \(identifier)。"

        case .giveContact(let site, let contact): "要把 \(contact) 提供给 \(site) 吗？"
        case .giveTypedContact(let site): "要输入其他内容提供给 \(site) 吗？"
        case .typeEmail(let site): "\(site) 要创建新账户。请输入要使用的电子邮件地址。\n创建之前会再次显示。"
        case .typeTelephone(let site): "\(site) 要创建新账户。请输入要使用的电话号码。\n创建之前会再次显示。"
        case .notEmail: "这不是电子邮件地址。"
        case .notTelephone: "这不是电话号码。"
        case .tellName(let site, let name): "要告诉 \(site) 您的名字是“\(name)”吗？"
        case .tellTypedName(let site): "要输入一个名字告诉 \(site) 吗？"
        case .tellNoName(let site): "不告诉 \(site) 名字吗？"
        case .typeName(let site): "请输入要告诉 \(site) 的名字。"
        case .notName: "名字的长度为 1 到 256 字节，且不能包含控制字符。"

        case .deviceAddedTitle: "已添加一台设备"
        case .deviceAdded(let name): "\(device(name))现在可以读取和更改您的保管库。如果不是您添加的，请将其移除：ward devices"
        case .deviceRemovedTitle: "已移除一台设备"
        case .deviceRemoved(let name): "\(device(name))不再收到保管库的更改。如果不是您移除的，请查看：ward devices"
        case .removedHereTitle: "此设备已被移除"
        case .removedHere: "它仍显示已有的内容，但不能再更改保管库。详情：ward sync status"
        case .circleFrozenTitle: "两台设备互相移除了对方"
        case .circleFrozen: "在您决定保留哪一台之前，不会向其他设备发送任何内容。详情：ward sync status"
        case .deviceCopiedTitle: "此设备的保管库是副本"
        case .deviceCopied: "它是从旧副本恢复的，或者磁盘被复制过。同步已停止。详情：ward sync status"
        case .deviceBrokeRulesTitle: "一台设备违反了规则"
        case .deviceBrokeRules(let name): "\(device(name))写入了您的设备不应写入的内容。从那时起，它写入的内容均无效。详情：ward sync status"
        case .removalVoidTitle: "一次设备移除未生效"
        case .removalVoid: "执行该移除的设备自身已被移除。请检查您的设备：ward devices"
        case .lateChangesTitle: "已移除设备的更改不生效"
        case .lateChanges(let name):
            "\(device(name))有一些更改在移除时尚未送达，因此不会显示。如果您还在使用该设备，请在该设备上保存：ward salvage。详情：ward devices"
        case .notAdmittedTitle: "有不属于您设备的一方写入了文件夹"
        case .notAdmitted: "写入的内容未被采用。此设备上没有任何数据丢失。详情：ward sync status"
        case .serverLostTitle: "同步服务器丢失过更改"
        case .serverLost(let count): "此设备已将其补回，共 \(count) 项。没有任何内容缺失。"
        case .serverTwoOrdersTitle: "同步服务器的内容自相矛盾"
        case .serverTwoOrders: "它向您的设备显示了两种不同的更改顺序，可能对部分设备隐瞒更改。详情：ward sync status"
        case .serverAtFaultTitle: "同步服务器隐瞒或改动了数据"
        case .serverAtFault: "有问题的数据未被采用。此设备上没有任何数据丢失。详情：ward sync status"
        case .notSyncedTitle: "同步无法进行"
        case .notSynced: "一天多以来，更改只留在作出更改的设备上。详情：ward sync status"
        case .entriesWithheldTitle: "缺少其他设备的更改"
        case .entriesWithheld: "一个多小时以来，这些更改没有送达，或送达时不完整。此设备上没有任何数据丢失。详情：ward sync status"
        case .serverAlmostFullTitle: "同步服务器的空间即将用完"
        case .serverAlmostFull(let percent):
            "您的保管库已使用服务器为其分配的空间的 \(percent)%。空间用完后，新的更改只会留在作出更改的设备上。详情：ward sync status"
        case .vaultMovedTitle: "您的保管库已移到另一台同步服务器"
        case .vaultMoved(let host): "此设备现在与 \(host) 同步。如果保管库不是您移动的，请更改密码短语：ward passphrase"

        case .askedByProgram(let path, let pid): "请求来自 \(path) (\(pid))。"
        case .askedByFlatpak(let name): "请求来自 Flatpak 应用 \(name)。"
        case .askedByApp(let name, let identifier, let path): "请求来自 \(name) (\(identifier))，程序 \(path)。"
        case .nobodyVouches: "发出请求的程序身份不明。"
        case .program(let path): "程序 \(path)"
        case .isThisMachine(let domain): "\(domain) 是用于开发的本机：任何程序都可以使用这个名称。"
        }
    }

    private static func device(_ name: CleanText?) -> String { name.map { "“\($0)”" } ?? "一台设备" }
    private static func name(_ account: CleanText?) -> String { account.map { "“\($0)”" } ?? "您的账户" }
    private static func place(_ site: CleanText?) -> String { site?.description ?? "网站" }
    private static func password(_ account: CleanText?) -> String {
        account.map { "“\($0)”的密码" } ?? "密码"
    }

    static func text(_ word: PromptWord) -> String {
        switch word {
        case .agree: "同意"
        case .another: "其他"
        case .anotherAccount: "其他账户"
        case .cancel: "取消"
        case .connect: "连接"
        case .fillIn: "填入"
        case .goOn: "继续"
        case .keep: "保存"
        case .makePasskey: "创建通行密钥"
        case .makePassword: "创建密码"
        case .ok: "确定"
        case .save: "保存"
        case .signIn: "登录"
        case .tellSite: "告诉网站"
        case .thisOne: "使用这个"
        case .turnOn: "启用"
        case .typePassphrase: "输入密码短语"
        case .typePIN: "输入 PIN"
        case .undo: "撤销"
        case .unlock: "解锁"
        case .useWard: "使用 Ward"
        case .yes: "是"
        case .no: "否"
        case .next: "下一个"
        case .email: "电子邮件"
        case .name: "名字"
        case .passphrase: "密码短语"
        case .pin: "PIN"
        case .telephone: "电话"
        }
    }

    static func text(_ purpose: PromptPurpose) -> String {
        switch purpose {
        case .addItem: "添加项目"
        case .backUpVault: "备份保管库"
        case .changeItem: "更改项目"
        case .checkRecoveryKey: "核对恢复密钥"
        case .checkVault: "检查保管库"
        case .copyItem: "复制项目"
        case .emptyTrash: "清空废纸篓"
        case .fillIn: "填入已保存的内容"
        case .findItem: "查找项目"
        case .exportItems: "导出所有项目"
        case .importItems: "导入项目"
        case .keepPassword: "保存密码"
        case .auditItems: "检查项目的安全性"
        case .listDevices: "列出保管库的设备"
        case .listItems: "列出项目"
        case .listPasskeys: "列出通行密钥"
        case .makePasskey(let account, let sites, let more):
            "为 \(places(sites, more)) 的\(name(account))创建通行密钥"
        case .makeRecoveryKey: "创建新的恢复密钥"
        case .nameDevice: "为此设备命名"
        case .readCode: "读取验证码"
        case .readHistory: "读取项目的历史记录"
        case .readItem: "读取项目"
        case .removeItem: "移除项目"
        case .removePasskey: "移除通行密钥"
        case .removePIN: "移除 PIN"
        case .restoreBackup: "恢复备份"
        case .restoreItem: "恢复项目"
        case .setPIN: "设置 PIN"
        case .switchFingerprintOff: "停用指纹"
        case .switchFingerprintOn: "启用指纹来确认是您本人"
        case .switchSyncOff: "关闭同步"
        case .switchQuickUnlockOn: "启用 PIN 来打开保管库"
        case .syncVault: "同步保管库"
        case .signIn(let sites, let more): "登录 \(places(sites, more))"
        }
    }

    private static func places(_ sites: [CleanText], _ more: Int) -> String {
        sites.map(\.description).joined(separator: "、") + (more > 0 ? " 以及另外 \(more) 个网站" : "")
    }

    static func text(_ problem: FingerprintProblem) -> String {
        switch problem {
        case .broken: "指纹传感器无法工作"
        case .gone: "指纹传感器已断开"
        case .inUse: "另一个程序正在使用指纹传感器"
        case .noBus: "没有系统总线"
        case .noReader: "没有指纹传感器"
        case .notEnrolled: "尚未登记指纹（可用 fprintd-enroll 登记）"
        case .notInstalled: "未安装 fprintd"
        case .notPermitted: "此会话不能使用指纹传感器"
        }
    }
}
