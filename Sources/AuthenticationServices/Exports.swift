// On Apple's platforms this framework also imports Foundation, so apps do not import Foundation themselves.
@_exported public import Foundation
