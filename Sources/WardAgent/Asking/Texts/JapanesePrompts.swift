/// Prompts in Japanese.
enum JapanesePrompts: PromptLanguage {
    static let separator = ""

    static func text(_ sentence: PromptSentence) -> String {
        switch sentence {
        case .inVault(let name): "保管庫: \(name)"
        case .vaultIsLocked(nil): "保管庫はロックされています。ロックを解除しますか？"
        case .vaultIsLocked(let purpose?): "保管庫はロックされています。\(text(purpose))ためにロックを解除しますか？"
        case .typePassphrase(let purpose): "\(text(purpose))には、パスフレーズを入力してください。"
        case .saveDamagedVault: "保管庫のうち読み取れるものを保存しますか？"
        case .wrongPassphrase(let attempt, let all): "パスフレーズが違います（\(all) 回中 \(attempt) 回目）。"
        case .noPassphrase(let attempt, let all): "パスフレーズが入力されていません（\(all) 回中 \(attempt) 回目）。"
        case .showItIsYou: "本人確認のため、パスフレーズを入力してください。"

        case .leavesSealed(let file): "保管庫のすべてのパスワード、パスキー、コード、ファイルが、暗号化されたファイルに書き出されます：\(file)。"
        case .leavesPlain(let file): "警告：保管庫のすべてのパスワード、パスキー、コード、ファイルが、どのプログラムでも読めるファイルに書き出されます：\(file)。"

        case .typePINToUnlock(nil): "保管庫はロックされています。ロックを解除するには、PIN を入力してください。"
        case .typePINToUnlock(let purpose?): "保管庫はロックされています。\(text(purpose))には、PIN を入力してください。"
        case .showItIsYouWithPIN: "本人確認のため、PIN を入力してください。"
        case .emptyIsPassphrase: "空のまま進むと、代わりにパスフレーズを入力できます。"
        case .showItIsYouWithFinger: "本人確認のため、指紋センサーに触れてください。"
        case .wrongPIN(let left): "PIN が違います（残り \(left) 回）。"
        case .wrongFinger(let left): "指紋が一致しないか、うまく読み取れませんでした（残り \(left) 回）。"
        case .wrongTooOften: "間違いが多すぎます。パスフレーズを入力してください。"
        case .noFinger(let problem): "指紋を使えません: \(text(problem))。"
        case .pinNeedsPassphrase: "パスフレーズを入力すると、PIN がまた使えるようになります。"
        case .pinIsOver: "コンピューターが再起動されたか、14 日が過ぎました。パスフレーズを入力してください。"
        case .pinIsLockedOut: "間違った PIN が多すぎるため、TPM がロックされました。パスフレーズを入力してください。"
        case .pinIsUnknown: "このコンピューターの TPM はこの PIN を知りません。パスフレーズを入力してください。"
        case .pinOpensNothing: "この PIN では保管庫を開けなくなりました。パスフレーズを入力してください。"
        case .pinIsNotChecked: "TPM は今 PIN を確認できません。パスフレーズを入力してください。"

        case .useWard: "これに Ward を使いますか？"
        case .makePasskey(let account, let site): "\(place(site)) の\(name(account))のパスキーを作成しますか？"
        case .replacesPasskey(let account): "\(name(account))のパスキーと置き換わります。"
        case .alreadyHasPasskey(let site): "\(place(site)) のパスキーはすでにここにあります。サイトに知らせますか？"
        case .signIn(let site, let account): "\(place(site)) に\(name(account))としてサインインしますか？"
        case .noPasskey(let site): "\(place(site)) がパスキーを求めていますが、ここにはありません。"
        case .pageAsks(let host): "求めているページは \(host) です。"
        case .insidePage(let host): "注意: このページは \(host) のページの中に表示されています。"
        case .keptIn(let provider): "パスキーは \(provider) に保管されます。"
        case .providerVerifies(let provider): "本人確認は \(provider) が行います。"
        case .passkeyMade(let site, let account):
            "これからは \(site) に「\(account)」としてパスキーでサインインします。パスワードはそのまま残ります。"
        case .passkeyMadeTitle: "パスキーを作成しました"
        case .signedIn(let site, let account): "\(place(site)) に\(name(account))としてサインインしました。"
        case .signedInTitle: "サインインしました"

        case .accountNumber(let number, let all): "（アカウント \(number) / \(all)）"
        case .lineNumber(let number, let all): "（\(number) / \(all)）"
        case .signInWithPasskey(let site, let account, let provider):
            "\(provider) のパスキーで \(site) に\(name(account))としてサインインしますか？"
        case .signInWithPassword(let site, let account, let provider):
            "\(provider) のパスワードで \(site) に\(name(account))としてサインインしますか？"
        case .fillInCode(let site, let account, let provider):
            "\(provider) にある \(site) の\(name(account))のコードを入力しますか？"
        case .lookIntoVault: "ロックされている保管庫の中を見ますか？"
        case .lookIntoProvider(let provider): "\(provider) の中を見ますか？ロックされているため、\(provider) 自身が確認します。"
        case .chooseText(let provider): "\(provider) で文字列を選んで入力しますか？"
        case .signInElsewhere: "ほかのサービスのアカウントで、ブラウザからサインインしますか？"
        case .makePasskeyIn(let account, let site, let provider):
            "\(site) の\(name(account))のパスキーを作成し、\(provider) に保管しますか？"

        case .makePassword(let account, let site, let provider):
            "\(site) の\(name(account))の強力なパスワードを作成し、\(provider) に保管しますか？"
        case .replacesPassword: "今のパスワードと置き換わります。今のパスワードは履歴に残ります。"
        case .keepPassword(let account, let site): "\(site) の\(password(account))を保存しますか？"
        case .keepPasswordIn(let account, let site, let provider):
            "\(site) の\(password(account))を \(provider) に保存しますか？"
        case .changePassword(let account, let site, let item):
            "\(site) の\(password(account))を変更しますか？今のパスワードは「\(item)」の履歴に残ります。"

        case .enableProvider(let provider): "アプリへのサインインに \(provider) を使えるようにしますか？"
        case .declaredIn(let file): "宣言ファイルは \(file) です。"
        case .providerProgram(let path): "そのプログラムは \(path) です。"

        case .copyInBrowser(let browser, let item):
            "\(item) のパスワードまたはコードを \(browser) でコピーしますか？"
        case .connectBrowser(let browser):
            "\(browser) を Ward に接続しますか？ 表示するページのために、パスワードの入力と、パスキーの使用と作成ができるようになります。"
        case .browserExtension(let identifier): "拡張機能は \(identifier) です。"

        case .giveContact(let site, let contact): "\(site) に \(contact) を伝えますか？"
        case .giveTypedContact(let site): "\(site) に、別のものを入力して伝えますか？"
        case .typeEmail(let site):
            "\(site) が新しいアカウントを作成します。使うメールアドレスを入力してください。\n作成の前にもう一度表示されます。"
        case .typeTelephone(let site):
            "\(site) が新しいアカウントを作成します。使う電話番号を入力してください。\n作成の前にもう一度表示されます。"
        case .notEmail: "メールアドレスではありません。"
        case .notTelephone: "電話番号ではありません。"
        case .tellName(let site, let name): "\(site) に「\(name)」という名前を伝えますか？"
        case .tellTypedName(let site): "\(site) に、名前を入力して伝えますか？"
        case .tellNoName(let site): "\(site) に名前を伝えないでおきますか？"
        case .typeName(let site): "\(site) に伝える名前を入力してください。"
        case .notName: "名前は 1～256 バイトで、制御文字は使えません。"

        case .deviceAddedTitle: "デバイスが追加されました"
        case .deviceAdded(let name): "\(device(name))が保管庫を読み書きできるようになりました。追加した覚えがなければ削除してください: ward devices"
        case .deviceRemovedTitle: "デバイスが削除されました"
        case .deviceRemoved(let name): "\(device(name))には保管庫の変更が届かなくなります。削除した覚えがなければ確認してください: ward devices"
        case .removedHereTitle: "このデバイスは削除されました"
        case .removedHere: "これまでの内容は表示できますが、保管庫を変更することはできません。詳しくは: ward sync status"
        case .circleFrozenTitle: "2 台のデバイスが互いを削除しました"
        case .circleFrozen: "どちらを残すか決めるまで、ほかのデバイスには何も送られません。詳しくは: ward sync status"
        case .deviceCopiedTitle: "このデバイスの保管庫はコピーです"
        case .deviceCopied: "古いコピーから復元されたか、ディスクが複製されました。同期は停止しています。詳しくは: ward sync status"
        case .deviceBrokeRulesTitle: "デバイスが規則に違反しました"
        case .deviceBrokeRules(let name):
            "\(device(name))が、お使いのデバイスなら書き込むはずのない内容を書き込みました。それ以降に書き込んだ内容は無効です。詳しくは: ward sync status"
        case .removalVoidTitle: "デバイスの削除が無効になりました"
        case .removalVoid: "削除を行ったデバイス自体が削除されています。デバイスを確認してください: ward devices"
        case .lateChangesTitle: "削除したデバイスの変更は無効です"
        case .lateChanges(let name):
            "\(device(name))の変更のうち、削除の時点で届いていなかったものは表示されません。そのデバイスを使っている場合は、そこで保存してください: ward salvage。詳しくは: ward devices"
        case .notAdmittedTitle: "お使いのデバイスではない何者かがフォルダーに書き込みました"
        case .notAdmitted: "書き込まれた内容は取り込んでいません。このデバイスのデータは失われていません。詳しくは: ward sync status"
        case .serverLostTitle: "同期サーバーから変更が失われていました"
        case .serverLost(let count): "このデバイスが \(count) 件をサーバーに送り直しました。欠けているものはありません。"
        case .serverTwoOrdersTitle: "同期サーバーの内容が矛盾しています"
        case .serverTwoOrders:
            "デバイスによって異なる順序で変更が示されました。一部のデバイスに対して変更が隠されている可能性があります。詳しくは: ward sync status"
        case .serverAtFaultTitle: "同期サーバーがデータを隠しているか改変しています"
        case .serverAtFault: "正しくないデータは取り込んでいません。このデバイスのデータは失われていません。詳しくは: ward sync status"
        case .notSyncedTitle: "同期できていません"
        case .notSynced: "1 日以上、変更内容は変更元のデバイスにとどまったままです。詳しくは: ward sync status"
        case .entriesWithheldTitle: "ほかのデバイスの変更が届いていません"
        case .entriesWithheld:
            "1 時間以上、変更が届かないか、完全な形で届いていません。このデバイスのデータは失われていません。詳しくは: ward sync status"
        case .serverAlmostFullTitle: "同期サーバーの空き容量が残りわずかです"
        case .serverAlmostFull(let percent):
            "保管庫は、サーバーで割り当てられた容量の \(percent)% を使用しています。使い切ると、新しい変更内容は変更元のデバイスだけに残ります。詳しくは: ward sync status"
        case .vaultMovedTitle: "保管庫が別の同期サーバーに移りました"
        case .vaultMoved(let host): "このデバイスは現在 \(host) と同期しています。移した覚えがなければパスフレーズを変更してください: ward passphrase"

        case .askedByProgram(let path, let pid): "求めているプログラム: \(path) (\(pid))。"
        case .askedByFlatpak(let name): "求めているアプリ: \(name)（Flatpak アプリ）。"
        case .askedByApp(let name, let identifier, let path):
            "求めているアプリ: \(name) (\(identifier))、プログラム \(path)。"
        case .nobodyVouches: "求めているプログラムの身元は確認されていません。"
        case .program(let path): "プログラム \(path)"
        case .isThisMachine(let domain):
            "\(domain) は開発用の、このコンピューター自身です。どのプログラムでも名乗れます。"
        }
    }

    private static func device(_ name: CleanText?) -> String { name.map { "「\($0)」" } ?? "デバイス" }
    private static func name(_ account: CleanText?) -> String { account.map { "「\($0)」" } ?? "あなたのアカウント" }
    private static func place(_ site: CleanText?) -> String { site?.description ?? "サイト" }
    private static func password(_ account: CleanText?) -> String {
        account.map { "「\($0)」のパスワード" } ?? "パスワード"
    }

    static func text(_ word: PromptWord) -> String {
        switch word {
        case .agree: "同意する"
        case .another: "ほかのもの"
        case .anotherAccount: "別のアカウント"
        case .cancel: "キャンセル"
        case .connect: "接続"
        case .fillIn: "入力する"
        case .goOn: "続ける"
        case .keep: "保存"
        case .makePasskey: "パスキーを作成"
        case .makePassword: "パスワードを作成"
        case .ok: "OK"
        case .save: "保存"
        case .signIn: "サインイン"
        case .tellSite: "サイトに知らせる"
        case .thisOne: "これを使う"
        case .turnOn: "有効にする"
        case .typePassphrase: "パスフレーズを入力"
        case .typePIN: "PIN を入力"
        case .undo: "元に戻す"
        case .unlock: "ロックを解除"
        case .useWard: "Ward を使う"
        case .yes: "はい"
        case .no: "いいえ"
        case .next: "次へ"
        case .email: "メール"
        case .name: "名前"
        case .passphrase: "パスフレーズ"
        case .pin: "PIN"
        case .telephone: "電話番号"
        }
    }

    static func text(_ purpose: PromptPurpose) -> String {
        switch purpose {
        case .addItem: "項目を追加する"
        case .backUpVault: "保管庫をバックアップする"
        case .changeItem: "項目を変更する"
        case .checkRecoveryKey: "復旧キーを確認する"
        case .checkVault: "保管庫を検査する"
        case .copyItem: "項目を複製する"
        case .emptyTrash: "ごみ箱を空にする"
        case .fillIn: "保存した内容を入力する"
        case .findItem: "項目を探す"
        case .exportItems: "すべての項目を書き出す"
        case .importItems: "項目を取り込む"
        case .keepPassword: "パスワードを保存する"
        case .auditItems: "項目の安全性を確認する"
        case .listDevices: "保管庫のデバイスを一覧表示する"
        case .listItems: "項目を一覧表示する"
        case .listPasskeys: "パスキーを一覧表示する"
        case .makePasskey(let account, let sites, let more):
            "\(places(sites, more)) の\(name(account))のパスキーを作成する"
        case .makeRecoveryKey: "新しい復旧キーを作成する"
        case .nameDevice: "このデバイスに名前を付ける"
        case .readCode: "確認コードを読み取る"
        case .readHistory: "項目の履歴を読み取る"
        case .readItem: "項目を読み取る"
        case .removeItem: "項目を削除する"
        case .removePasskey: "パスキーを削除する"
        case .removePIN: "PIN を削除する"
        case .restoreBackup: "バックアップを復元する"
        case .restoreItem: "項目を復元する"
        case .setPIN: "PIN を設定する"
        case .switchFingerprintOff: "指紋の使用をやめる"
        case .switchFingerprintOn: "指紋で本人確認できるようにする"
        case .switchSyncOff: "同期をオフにする"
        case .switchQuickUnlockOn: "PIN で保管庫を開けるようにする"
        case .syncVault: "保管庫を同期する"
        case .signIn(let sites, let more): "\(places(sites, more)) にサインインする"
        }
    }

    private static func places(_ sites: [CleanText], _ more: Int) -> String {
        sites.map(\.description).joined(separator: "、") + (more > 0 ? " ほか \(more) 件" : "")
    }

    static func text(_ problem: FingerprintProblem) -> String {
        switch problem {
        case .broken: "指紋センサーが動作していません"
        case .gone: "指紋センサーがなくなりました"
        case .inUse: "別のプログラムが指紋センサーを使っています"
        case .noBus: "システムバスがありません"
        case .noReader: "指紋センサーがありません"
        case .notEnrolled: "指紋が登録されていません（fprintd-enroll で登録できます）"
        case .notInstalled: "fprintd がインストールされていません"
        case .notPermitted: "このセッションでは指紋センサーを使えません"
        }
    }
}
