// As in WardServerTrait: a build without the trait stops here and says why.
#if !Sync
#error("This product of Ward needs the trait Sync. Where you depend on Ward, write traits: [\"Sync\"]")
#endif
