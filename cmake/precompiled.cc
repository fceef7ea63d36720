// The translation unit behind the precompiled header.
