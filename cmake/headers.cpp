// Compiles headers.h on behalf of every layer.
