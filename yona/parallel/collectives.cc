#include "yona/parallel/collectives.h"

#include <cstdint>

namespace yona {

namespace {

std::vector<std::int64_t> gather_lengths(Communicator& ranks, const std::string& mine) {
  const auto length = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(&length, lengths.data(), sizeof(length));
  return lengths;
}

std::string buffer_of(std::int64_t length) {
  return std::string(static_cast<std::size_t>(length), '\0');
}

Message message_with(int rank, std::string& text) {
  return {rank, text.data(), static_cast<std::int64_t>(text.size())};
}

}  // namespace

std::vector<std::string> gather_texts(Communicator& ranks, const std::string& mine) {
  std::string sent = mine;
  std::vector<std::string> texts;
  for (const std::int64_t length : gather_lengths(ranks, mine)) {
    texts.push_back(buffer_of(length));
  }
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank != ranks.rank()) {
      sends.push_back(message_with(rank, sent));
      receives.push_back(message_with(rank, texts[static_cast<std::size_t>(rank)]));
    }
  }
  ranks.exchange(sends, receives);
  texts[static_cast<std::size_t>(ranks.rank())] = mine;
  return texts;
}

std::string broadcast_text(Communicator& ranks, const std::string& mine) {
  std::string text = mine;
  const std::int64_t length = gather_lengths(ranks, mine).front();
  if (ranks.rank() > 0) {
    text = buffer_of(length);
    const Message from_first = message_with(0, text);
    ranks.exchange({}, std::span(&from_first, 1));
    return text;
  }
  std::vector<Message> sends;
  for (int rank = 1; rank < ranks.size(); ++rank) {
    sends.push_back(message_with(rank, text));
  }
  ranks.exchange(sends, {});
  return text;
}

void barrier(Communicator& ranks) {
  const char mine = 0;
  std::vector<char> all(static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(&mine, all.data(), 1);
}

}  // namespace yona
