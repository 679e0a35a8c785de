// Which tiles of the vocabulary product (vocabulary/product.cuh) each cluster of blocks computes.
#pragma once

#include "yona/backend/cuda/vocabulary/epilogue.cuh"

namespace yona::cuda {

// The tiles of a cluster: in waves, a run of each of them to every cluster. Runs go through groups
// of columns, and in a group through all rows, so that what runs at once shares columns of E.
struct VocabularyTiles {
  int units = 0;  // of rows: a tile for each block of the cluster
  int cols = 0;   // tiles
  int run = 0;
  int clusters = 0;
  int cluster = 0;
  int whole = 0;     // tiles of this cluster in whole waves
  int last_run = 0;  // in the last wave
  int count = 0;     // of this cluster

  __host__ __device__ VocabularyTiles(const VocabularyProblem& p, int per_cluster, int all_clusters,
                                      int index)
      : units((p.rows + per_cluster - 1) / per_cluster),
        cols((p.cols + VocabularyTile::kCols - 1) / VocabularyTile::kCols),
        run(p.run),
        clusters(all_clusters),
        cluster(index) {
    const int all = units * cols;
    const int wave = run * clusters;
    const int rest = all % wave;
    whole = all / wave * run;
    last_run = (rest + clusters - 1) / clusters;
    const int left = rest - cluster * last_run;
    count = whole + (left < 0 ? 0 : left < last_run ? left : last_run);
  }
  struct Place {
    int unit, col;
  };
  // Of one of the `count`.
  __host__ __device__ Place at(int tile) const {
    int index = 0;
    if (tile < whole) {
      index = (tile / run * clusters + cluster) * run + tile % run;
    } else {
      index = whole * clusters + cluster * last_run + tile - whole;
    }
    const int group = index / (units * run);  // `run` columns of tiles
    const int width = cols - group * run < run ? cols - group * run : run;
    index -= group * units * run;
    return {index / width, group * run + index % width};
  }
};

}  // namespace yona::cuda
