// The only file of this module on Apple's platforms, which have the framework itself.
