// Which tiles of a weight-stationary product (gemm/stationary.cuh) each cluster of blocks computes.
#pragma once

namespace yona::cuda {

// The tiles of a cluster. A unit is a cluster's 256 columns. Most clusters keep one unit and have a
// range of rows; clusters of one range have consecutive numbers, so that what runs at once
// shares rows of X. Clusters that are too few for another range of all units share the rows that
// are left. No cluster has more tiles than it must.
//
// A slice is what a cluster has of each column: there are as many as ranges and clusters that
// share.
struct StationaryTiles {
  int units = 0;
  int slice = 0;
  int first = 0;  // row of tiles
  int count = 0;
  int unit = 0;
  bool shares = false;  // rows that are left: `left` rows of tiles, from the tile `begin` on
  int left = 0;
  int begin = 0;

  __host__ __device__ StationaryTiles(int row_tiles, int all_units, int clusters, int cluster)
      : units(all_units) {
    const int most = (row_tiles * units + clusters - 1) / clusters;
    const int ranges = clusters / units;
    shares = cluster >= ranges * units;
    if (!shares) {
      slice = cluster / units;
      unit = cluster % units;
      first = slice * most;
      count = within(row_tiles - first, most);
    } else {
      const int sharing = clusters % units;
      const int index = cluster - ranges * units;
      slice = ranges + index;
      first = ranges * most;
      left = row_tiles > first ? row_tiles - first : 0;
      const int part = (left * units + sharing - 1) / sharing;
      begin = index * part;
      count = within(left * units - begin, part);
    }
  }
  struct Place {
    int unit, row;
  };
  __host__ __device__ Place at(int tile) const {
    if (!shares) {
      return {unit, first + tile};
    }
    return {(begin + tile) / left, first + (begin + tile) % left};
  }
  __host__ __device__ static int slices(int units, int clusters) {
    return clusters / units + clusters % units;
  }

 private:
  __host__ __device__ static int within(int there, int most) {
    return there < 0 ? 0 : there < most ? there : most;
  }
};

}  // namespace yona::cuda
