// A request whose texts go to several models, as `source: auto` finds several languages in a list:
// its texts by model, and one answer of all their jobs.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "yona/serve/service.h"

namespace yona::serve {

// The texts that go the same way, in order.
struct TextGroup {
  std::string way;                   // the model's id, or another name
  std::vector<std::size_t> places;   // among the request's texts
  std::vector<std::string> texts{};  // these
};

// By the way of each text, the ways in order of their first texts.
std::vector<TextGroup> grouped(const std::vector<std::string>& texts,
                               const std::vector<std::string>& ways);

// Collects a piece of the answer for each text, and responds when all are there, or with the first
// error, which cancels the other jobs. Any thread.
template <class Piece>
class JoinedAnswer {
 public:
  using Answer = std::function<HttpResponse(std::vector<Piece>)>;

  JoinedAnswer(std::shared_ptr<Exchange> exchange, std::size_t texts, Answer answer)
      : exchange_(std::move(exchange)), answer_(std::move(answer)), pieces_(texts), left_(texts) {}

  void put(const TextGroup& group, std::vector<Piece> pieces) {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      pieces_[group.places[i]] = std::move(pieces[i]);
    }
    left_ -= group.places.size();
    if (left_ == 0 && !is_over_) {
      HttpResponse response = answer_(std::move(pieces_));  // where it throws, fail() answers
      is_over_ = true;
      exchange_->respond(std::move(response));
    }
  }
  // For the jobs that give the pieces.
  GoneFlag cancelled() const { return cancelled_; }

  void fail(const std::exception_ptr& error) {
    const std::scoped_lock lock(mutex_);
    *cancelled_ = true;
    if (!std::exchange(is_over_, true)) {
      exchange_->respond(response_of(error));
    }
  }

 private:
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
  Answer answer_;
  std::mutex mutex_;
  std::vector<Piece> pieces_;
  std::size_t left_;
  bool is_over_ = false;
};

}  // namespace yona::serve
