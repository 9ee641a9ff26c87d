import Testing
import WardVault

@testable import WardExchange

/// Samples with the headers that the programs write.
@Suite struct `CSV files of other managers` {
    private func fields(_ item: Item) -> [String] {
        item.sections.flatMap(\.fields).map { field in
            let name = field.name.rawValue.isEmpty ? field.label : field.name.rawValue
            return "\(name)=\(field.value.text ?? "")"
        }
    }

    private func read(_ format: String, _ text: String) throws -> [Item] {
        let (found, file) = try CSVSample.read(text)
        #expect(found == format)
        return file.items
    }

    @Test func `Bitwarden`() throws {
        let items = try read(
            "bitwarden-csv",
            #"""
            folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
            Social,1,login,Twitter,note,"PIN: 1234
            Hint: a
            b",,"https://twitter.com/a,b,https://x.com,androidapp://com.twitter.android",me@example.com,pw,otpauth://totp/x?secret=JBSWY3DPEHPK3PXP
            ,,note,My Note,"long
            text",,0,,,,
            """#
        )
        let item = try #require(items.first)
        #expect(items.count == 2 && item.tags == ["Social"] && item.isFavorite && item.codes.count == 1)
        #expect(item.sites.map(\.text) == ["https://twitter.com/a,b", "https://x.com", "com.twitter.android"])
        #expect(fields(item) == ["PIN=1234", "Hint=a\nb"])
        #expect(items[1].kind == .note && items[1].notes == "long\ntext")
        let organization = try read(
            "bitwarden-csv",
            "collections,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n\"A,B\",login,N,,,1,example.com,u,p,\n"
        )
        #expect(organization.first?.tags == ["A", "B"] && organization.first?.sites.map(\.text) == ["example.com"])
    }

    @Test func `1Password`() throws {
        let items = try read(
            "1password-csv",
            #"""
            Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
            Git,https://git.example,ada,pw,otpauth://totp/Git:ada?secret=JBSWY3DPEHPK3PXP,true,true,work;code,a note
            """#
        )
        #expect(items.first?.tags == ["work", "code", "Archived"] && items.first?.isFavorite == true)
        #expect(items.first?.codes.count == 1 && items.first?.notes == "a note")
    }

    @Test func `KeePassXC and KeePass`() throws {
        let items = try read(
            "keepassxc-csv",
            #"""
            "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
            "Root/Internet/Shops","Shop","ada","p""w","https://shop.example","n","otpauth://totp/a:b?secret=JBSWY3DPEHPK3PXP&period=30&digits=6","0","2024-03-01T10:00:00Z","2020-01-01T00:00:00Z"
            "Root","Bare","","x","","","JBSWY3DPEHPK3PXP","0","2024-03-01T10:00:00Z","2020-01-01T00:00:00Z"

            """#
        )
        #expect(items.map(\.tags) == [["Internet/Shops"], []] && items.map(\.codes.count) == [1, 1])
        #expect(items[0].createdAt == 1_577_836_800 && items[0].password?.changedAt == 1_709_287_200)
        let old = try read(
            "keepass-csv",
            #"""
            "Account","Login Name","Password","Web Site","Comments"
            "Bank","ada","a\"b\\c","https://bank.example","line 1
            line 2"

            """#
        )
        #expect(old.first?.password?.value == #"a"b\c"# && old.first?.notes == "line 1\nline 2")
    }

    @Test func `LastPass, with typed notes`() throws {
        let items = try read(
            "lastpass",
            #"""
            url,username,password,totp,extra,name,grouping,fav
            https://example.com,ada,pw,JBSWY3DPEHPK3PXP,memo,Example,Work\Team,1
            http://sn,,,,just text,Secret note,(none),0
            http://sn,,,,"NoteType:Credit Card
            Language:en-US
            Name on Card:Ada L
            Number:4111111111111111
            Security Code:123
            Expiration Date:May,2030
            Notes:call
            the bank",Visa,,0
            http://sn,,,,"NoteType:Server
            Hostname:h.example
            Password:root pw
            Notes:",Box,,0
            """#
        )
        #expect(items.map(\.kind) == [.login, .note, .card, .note])
        #expect(items[0].tags == ["Work/Team"] && items[0].isFavorite)
        #expect(items[0].notes == "memo" && items[0].codes.count == 1)
        #expect(items[1].notes == "just text" && items[1].sites.isEmpty)
        #expect(items[2].notes == "call\nthe bank")
        #expect(
            fields(items[2]) == [
                "fullName=Ada L", "number=4111111111111111", "verificationNumber=123", "Type=Credit Card",
                "Expiration Date=May,2030",
            ]
        )
        #expect(fields(items[3]) == ["Type=Server", "Hostname=h.example", "Password=root pw"])
        #expect(items[3].fields.last?.isConcealed == true)
    }

    @Test func `Dashlane and Strongbox`() throws {
        let items = try read(
            "dashlane",
            "username,username2,username3,title,password,note,url,category,otpUrl\nada,ada@example.com,,Shop,pw,n,shop.example,Shopping,otpauth://totp/x?secret=JBSWY3DPEHPK3PXP\n"
        )
        #expect(fields(try #require(items.first)) == ["User name 2=ada@example.com"])
        #expect(items.first?.tags == ["Shopping"])
        #expect(items.first?.codes.count == 1)
        let box = try read(
            "strongbox",
            "Title,Username,Email,Password,URL,OTPAuth,Notes\nShop,ada,a@example.com,pw,https://shop.example,,n\n"
        )
        #expect(fields(try #require(box.first)) == ["Email=a@example.com"])
    }

    @Test func `Proton Pass`() throws {
        let items = try read(
            "proton-csv",
            #"""
            type,name,url,email,username,password,note,totp,createTime,modifyTime,vault
            login,Shop,"https://a.example, https://b.example",a@example.com,ada,pw,n,otpauth://totp/x?secret=JBSWY3DPEHPK3PXP,1600000000,1700000000,Personal
            login,Mail,https://m.example,a@example.com,,pw,,,1600000000,1700000000,Personal
            alias,Alias,,x@alias.example,,,,,1600000000,1700000000,Personal
            note,Text,,,,,hello,,1600000000,1700000000,Work
            """#
        )
        #expect(items.map(\.kind) == [.login, .login, .login, .note])
        #expect(items.map(\.username) == ["ada", "a@example.com", "x@alias.example", ""])
        #expect(items[0].sites.count == 2 && fields(items[0]) == ["Email=a@example.com"])
        #expect(items[0].tags == ["Personal"])
        #expect(items[0].password?.changedAt == 1_700_000_000 && items[3].tags == ["Work"])
    }

    @Test func `NordPass, with cards and identities`() throws {
        let header = """
            name,url,additional_urls,username,password,note,cardholdername,cardnumber,cvc,pin,expirydate,zipcode,folder,\
            full_name,phone_number,email,address1,address2,city,country,state,type,custom_fields
            """
        let items = try read(
            "nordpass",
            header + #"""

                Shop,https://a.example,"[""https://b.example""]",ada,pw,n,,,,,,,Shops,,,,,,,,,password,"[{""type"":""hidden"",""label"":""PIN"",""value"":""12""}]"
                Visa,,,,,,Ada L,4111,123,99,05/30,10115,,,,,,,,,,credit_card,
                Me,,,,,,,,,,,10115,,Ada Lovelace,123,a@example.com,Street 1,Floor 2,Berlin,DE,BE,identity,
                Shops,,,,,,,,,,,,,,,,,,,,,folder,
                Text,,,,,hello,,,,,,,,,,,,,,,,note,
                """#
        )
        #expect(items.map(\.kind) == [.login, .card, .identity, .note])
        #expect(items[0].sites.map(\.text) == ["https://a.example", "https://b.example"] && items[0].tags == ["Shops"])
        #expect(fields(items[0]) == ["PIN=12"] && items[0].fields.first?.isConcealed == true)
        #expect(
            fields(items[1]) == [
                "number=4111", "verificationNumber=123", "pin=99", "expiryDate=05/30", "fullName=Ada L",
                "Postal code=10115",
            ]
        )
        #expect(
            fields(items[2]) == [
                "postalCode=10115", "fullName=Ada Lovelace", "tel=123", "streetAddress=Street 1\nFloor 2",
                "city=Berlin",
                "country=DE", "territory=BE", "Email=a@example.com",
            ]
        )
    }

    @Test func `RoboForm and SafeInCloud`() throws {
        let items = try read(
            "roboform",
            "\u{feff}Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2\nShop,https://shop.example/login,shop.example,ada,pw,n,/Shops,\"User$,,,txt,ada\",\"Pin$,,,pwd,12\"\n"
        )
        let item = try #require(items.first)
        #expect(item.sites.map(\.text) == ["https://shop.example/login", "shop.example"] && item.tags == ["Shops"])
        #expect(fields(item) == ["RoboForm field=User$,,,txt,ada", "Column 9=Pin$,,,pwd,12"])
        let cloud = try read(
            "safeincloud",
            "\"Title\",\"Login\",\"Password\",\"URL\",\"Notes\",\"OTP\"\n\"Shop\",\"ada\",\"pw\",\"https://shop.example\",\"n\",\"JBSW Y3DP EHPK 3PXP\"\n"
        )
        #expect(cloud.first?.codes.count == 1 && cloud.first?.username == "ada")
    }

    @Test(arguments: ImportFormat.all)
    func `No format loses a column that it does not know`(format: ImportFormat) throws {
        guard let columns = CSVSample.headers[format.id] else { return }
        let header = (columns + ["Blood type"]).joined(separator: ",")
        let row = (columns.map { _ in "" } + ["AB"]).joined(separator: ",")
        let file = try format.contents(of: CSVSample.source(header + "\n" + row + "\n"))
        #expect(file.items.first?.fields == [Field(label: "Blood type", text: "AB")], "\(format.id)")
    }
}

extension CSVSample {
    /// The header of each program.
    static let headers: [String: [String]] = [
        "apple": ["Title", "URL", "Username", "Password", "Notes", "OTPAuth"],
        "chrome": ["name", "url", "username", "password", "note"],
        "firefox": ["url", "username", "password", "httpRealm", "formActionOrigin", "guid", "timeCreated"],
        "bitwarden-csv": [
            "folder", "favorite", "type", "name", "notes", "fields", "reprompt", "login_uri", "login_username",
            "login_password", "login_totp",
        ],
        "1password-csv": ["Title", "Url", "Username", "Password", "OTPAuth", "Favorite", "Archived", "Tags", "Notes"],
        "keepassxc-csv": ["Group", "Title", "Username", "Password", "URL", "Notes", "TOTP"],
        "keepass-csv": ["Account", "Login Name", "Password", "Web Site", "Comments"],
        "lastpass": ["url", "username", "password", "totp", "extra", "name", "grouping", "fav"],
        "dashlane": ["username", "username2", "username3", "title", "password", "note", "url", "category", "otpUrl"],
        "roboform": ["Name", "Url", "MatchUrl", "Login", "Pwd", "Note", "Folder", "RfFieldsV2"],
        "strongbox": ["Title", "Username", "Email", "Password", "URL", "OTPAuth", "Notes"],
        "safeincloud": ["Title", "Login", "Password", "URL", "Notes", "OTP"],
        "csv": ["title", "url", "username", "password"],
    ]
}
