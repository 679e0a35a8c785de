// Ranks as threads of one process, for tests of what ranks do together.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/parallel/communicator.h"

namespace yona {

// Messages on their way: from a rank to a rank, in order.
class ThreadPost {
 public:
  void send(int from, int to, const void* data, std::int64_t bytes) {
    const auto* first = static_cast<const char*>(data);
    {
      const std::lock_guard lock(mutex_);
      boxes_[{from, to}].emplace_back(first, first + bytes);
    }
    changed_.notify_all();
  }
  void receive(int from, int to, void* data, std::int64_t bytes) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    changed_.wait(lock, [&] { return !box.empty() || failed_; });
    check<Error>(!box.empty(), "another rank has failed");
    check<Error>(static_cast<std::int64_t>(box.front().size()) == bytes,
                 "rank {} sent {} bytes, and {} are expected", from, box.front().size(), bytes);
    std::memcpy(data, box.front().data(), box.front().size());
    box.pop_front();
  }
  // False, with nothing done, where nothing has come yet.
  bool receive_now(int from, int to, void* data, std::int64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      if (boxes_[{from, to}].empty() && !failed_) {
        return false;
      }
    }
    receive(from, to, data, bytes);
    return true;
  }
  void fail() {
    {
      const std::lock_guard lock(mutex_);
      failed_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> boxes_;
  bool failed_ = false;
};

class ThreadRank : public Communicator {
 public:
  ThreadRank(ThreadPost& post, int rank, int size) : post_(post), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    for (const Message& message : sends) {
      if (message.bytes > 0) {
        post_.send(rank_, message.rank, message.data, message.bytes);
      }
    }
    for (const Message& message : receives) {
      if (message.bytes > 0) {
        post_.receive(message.rank, rank_, message.data, message.bytes);
      }
    }
  }
  std::unique_ptr<PendingExchange> start(std::span<const Message> sends,
                                         std::span<const Message> receives) override {
    exchange(sends, {});
    return std::make_unique<Pending>(*this, receives);
  }
  void all_gather(const void* mine, void* all, std::int64_t bytes) override {
    for (int rank = 0; rank < size_; ++rank) {
      post_.send(rank_, rank, mine, bytes);
    }
    for (int rank = 0; rank < size_; ++rank) {
      post_.receive(rank, rank_, static_cast<char*>(all) + rank * bytes, bytes);
    }
  }
  [[noreturn]] void abort(int /*code*/, const std::string& line) override { throw Error(line); }

 private:
  class Pending : public PendingExchange {
   public:
    Pending(ThreadRank& own, std::span<const Message> receives) : own_(own) {
      for (const Message& message : receives) {
        if (message.bytes > 0) {
          left_.push_back(message);
        }
      }
    }
    bool done() override {
      while (!left_.empty() && own_.post_.receive_now(left_.front().rank, own_.rank_,
                                                      left_.front().data, left_.front().bytes)) {
        left_.pop_front();
      }
      return left_.empty();
    }
    void wait() override {
      for (; !left_.empty(); left_.pop_front()) {
        own_.exchange({}, std::span(&left_.front(), 1));
      }
    }

   private:
    ThreadRank& own_;
    std::deque<Message> left_;
  };

  ThreadPost& post_;
  int rank_, size_;
};

// Calls the function in a thread for each rank. Rethrows what the first of them threw.
inline void run_ranks(int size, const std::function<void(Communicator& ranks)>& function) {
  ThreadPost post;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ThreadRank own(post, rank, size);
        function(own);
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
        post.fail();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) {
      std::rethrow_exception(error);
    }
  }
}

}  // namespace yona
