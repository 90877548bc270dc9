// The fixed blocks of attention: part of the numbers, the same for every back end and every
// schedule.
#ifndef SWITCHBOARD_WORKER_BACKEND_TILE_H_
#define SWITCHBOARD_WORKER_BACKEND_TILE_H_

namespace switchboard::backend {

// Tokens per KV page and per attention tile; a tile begins at an absolute multiple of it.
inline constexpr int kTileTokens = 64;
// Tiles per chunk: the softmax of a chunk is finished before it is merged with the chunks before
// it.
inline constexpr int kChunkTiles = 4;

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_TILE_H_
