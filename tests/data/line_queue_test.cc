#include "yona/data/line_queue.h"

#include <array>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(const std::vector<InputLine>& lines) {
  std::vector<std::string> found;
  for (const InputLine& line : lines) {
    found.push_back(line.text);
  }
  return found;
}

struct Pipe {
  Pipe() {
    if (::pipe(ends.data()) != 0) {
      throw std::runtime_error("no pipe");
    }
  }
  ~Pipe() {
    ::close(ends[0]);
    close_writing();
  }
  void write(std::string_view text) const {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writing() {
    if (ends[1] >= 0) {
      ::close(ends[1]);
      ends[1] = -1;
    }
  }
  std::array<int, 2> ends{};
};

class LineQueueOfFile : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& content) const {
    const auto path = folder.path() / "lines.txt";
    testing::write_bytes(path, content);
    return path;
  }
  testing::TempDir folder;
};

TEST_F(LineQueueOfFile, GivesFullWindowsInOrder) {
  LineQueue queue(file("a\nb\n\nd\ne"), {.lines = 2, .patience = 10s});
  EXPECT_THAT(texts(queue.next()), ElementsAre("a", "b"));
  EXPECT_THAT(texts(queue.next()), ElementsAre("", "d"));
  const auto last = queue.next();
  EXPECT_THAT(texts(last), ElementsAre("e"));
  EXPECT_EQ(last[0].number, 5U);
  EXPECT_THAT(queue.next(), IsEmpty());
  EXPECT_THAT(queue.next(), IsEmpty());
}

TEST_F(LineQueueOfFile, OfAnEmptyFileIsEmpty) {
  LineQueue queue(file(""), {.patience = 10s});
  EXPECT_THAT(queue.next(), IsEmpty());
}

TEST_F(LineQueueOfFile, HoldsNoMoreBytesThanItsLimitAndOneLine) {
  LineQueue queue(file("aaaa\nbbbb\ncccc\n"), {.bytes = 5, .patience = 10s});
  EXPECT_THAT(texts(queue.next()), ElementsAre("aaaa", "bbbb"));
  EXPECT_THAT(texts(queue.next()), ElementsAre("cccc"));
}

TEST_F(LineQueueOfFile, MarksBadEncodingsAndCutLines) {
  const std::string longest(LineReader::kLongestLine + 1, 'x');
  LineQueue queue(file("good\nb\xFF"
                       "d\n" +
                       longest + "\n"),
                  {.patience = 10s});
  const auto lines = queue.next();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].valid_utf8);
  EXPECT_FALSE(lines[1].valid_utf8);
  EXPECT_TRUE(lines[2].cut);
}

TEST_F(LineQueueOfFile, ThrowsForAFileThatIsNotThere) {
  EXPECT_THROW(LineQueue(folder.path() / "none", {}), IoError);
}

TEST_F(LineQueueOfFile, ThrowsWhatReadingThrewAfterTheLinesBeforeIt) {
  const std::string broken = "\x1f\x8b\x08 this is no gzip";
  LineQueue queue(file(broken), {.patience = 10s});
  EXPECT_THROW(queue.next(), FormatError);
  EXPECT_THAT(queue.next(), IsEmpty());
}

TEST(LineQueue, WithoutPatienceWaitsUntilAWindowIsFull) {
  Pipe pipe;
  LineQueue queue(pipe.ends[0], "the pipe", {.lines = 2, .patience = std::nullopt});
  pipe.write("a\n");
  std::thread later([&pipe] {
    std::this_thread::sleep_for(100ms);
    pipe.write("b\nc\n");
    pipe.close_writing();
  });
  EXPECT_THAT(texts(queue.next()), ElementsAre("a", "b"));
  EXPECT_THAT(texts(queue.next()), ElementsAre("c"));
  later.join();
}

TEST_F(LineQueueOfFile, CanBeLeftBeforeItsEnd) {
  std::string many;
  for (int i = 0; i < 100000; ++i) {
    many += "line\n";
  }
  LineQueue queue(file(many), {.lines = 10, .patience = 10s});
  EXPECT_EQ(queue.next().size(), 10U);
}

TEST(LineQueueOfPipe, GivesWhatHasComeWithoutWaitingForMore) {
  Pipe pipe;
  LineQueue queue(pipe.ends[0], "pipe", {});
  pipe.write("first\n");
  EXPECT_THAT(texts(queue.next()), ElementsAre("first"));
  pipe.write("sec");
  pipe.write("ond\n");
  EXPECT_THAT(texts(queue.next()), ElementsAre("second"));
  pipe.write("without an end");
  pipe.close_writing();
  EXPECT_THAT(texts(queue.next()), ElementsAre("without an end"));
  EXPECT_THAT(queue.next(), IsEmpty());
}

TEST(LineQueueOfPipe, StopsWhileItWaits) {
  const Pipe pipe;
  LineQueue queue(pipe.ends[0], "pipe", {});
  std::thread stopper([&] {
    std::this_thread::sleep_for(20ms);
    queue.stop();
  });
  EXPECT_THAT(queue.next(), IsEmpty());
  stopper.join();
}

}  // namespace
}  // namespace yona
