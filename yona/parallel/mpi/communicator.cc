// Ranks over MPI: libyona_mpi.so, the only part of yona that includes <mpi.h>.
//
// Every wait asks MPI again and again, with pauses, instead of blocking inside it: a rank that
// waits for long leaves the CPU to others, and notices a rank that failed or died.

#include "yona/parallel/communicator.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

#include <mpi.h>

#include "yona/base/error.h"

namespace yona {

namespace {

using std::chrono::steady_clock;

constexpr int kDataTag = 1;
constexpr int kFailureTag = 2;
constexpr std::int64_t kLargestMessage = std::int64_t{1} << 30U;  // MPI counts in int

struct Process {
  std::array<char, 256> host{};
  std::int64_t id = 0;
};

// The first waits are short: most of what is waited for is under way.
class Pause {
 public:
  void rest() {
    ++count_;
    if (count_ < 2000) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(count_ < 4000 ? 50 : 1000));
    }
  }

 private:
  int count_ = 0;
};

using Requests = std::vector<MPI_Request>;

class MpiCommunicator : public Communicator {
  // One that is given up, because something threw, is waited for: its memory is about to go.
  class Pending : public PendingExchange {
   public:
    explicit Pending(MpiCommunicator& ranks) : ranks_(ranks) {}
    ~Pending() override { ranks_.wait(requests); }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    bool done() override { return all_done(requests); }
    void wait() override { ranks_.wait(requests); }
    Requests requests;

   private:
    MpiCommunicator& ranks_;
  };

 public:
  MpiCommunicator() {
    initialise();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    Process own;
    static_cast<void>(::gethostname(own.host.data(), own.host.size() - 1));
    own.id = ::getpid();
    processes_.resize(static_cast<std::size_t>(size_));
    all_gather(&own, processes_.data(), sizeof(Process));
    for (int rank = 0; rank < size_; ++rank) {
      const Process& process = processes_[static_cast<std::size_t>(rank)];
      if (process.host == own.host && is_alive(process.id)) {  // else in a container of its own
        watched_.push_back(rank);
      }
    }
  }
  ~MpiCommunicator() override {
    devices_.reset();
    MPI_Finalize();
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    requests_.clear();
    post(sends, receives, requests_);
    wait(requests_);
  }

  std::unique_ptr<PendingExchange> start(std::span<const Message> sends,
                                         std::span<const Message> receives) override {
    auto pending = std::make_unique<Pending>(*this);
    post(sends, receives, pending->requests);
    return pending;
  }

  void all_gather(const void* mine, void* all, std::int64_t bytes) override {
    check(bytes <= kLargestMessage, "mpi: {} bytes of each rank are too many at once", bytes);
    requests_.resize(1);
    const int count = static_cast<int>(bytes);
    MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD, requests_.data());
    wait(requests_);
  }

  // Rank 0 prints what failed anywhere: then it is printed once.
  [[noreturn]] void abort(int code, const std::string& line) override {
    if (rank_ == 0) {
      end_all(0, code, line);
    }
    std::string text = fmt::format("{} {}", code, line);
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_BYTE, 0, kFailureTag, MPI_COMM_WORLD,
              &sent);
    const auto until = steady_clock::now() + std::chrono::seconds(10);
    while (steady_clock::now() < until) {  // rank 0 ends this process
      int done = 0;
      MPI_Test(&sent, &done, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    end_all(rank_, code, line);
  }

 private:
  // Threads of MPI take no signals: those that stop a run are waited for elsewhere.
  static void initialise() {
    sigset_t stopping;
    sigset_t before;
    sigemptyset(&stopping);
    sigaddset(&stopping, SIGINT);
    sigaddset(&stopping, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stopping, &before);
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  template <class Function>
  static void for_each_part(const Message& message, const Function& function) {
    for (std::int64_t at = 0; at < message.bytes; at += kLargestMessage) {
      function(static_cast<char*>(message.data) + at,
               static_cast<int>(std::min(kLargestMessage, message.bytes - at)));
    }
  }

  static void post(std::span<const Message> sends, std::span<const Message> receives,
                   Requests& requests) {
    for (const Message& message : receives) {
      for_each_part(message, [&](char* data, int bytes) {
        MPI_Irecv(data, bytes, MPI_BYTE, message.rank, kDataTag, MPI_COMM_WORLD,
                  &requests.emplace_back());
      });
    }
    for (const Message& message : sends) {
      for_each_part(message, [&](char* data, int bytes) {
        MPI_Isend(data, bytes, MPI_BYTE, message.rank, kDataTag, MPI_COMM_WORLD,
                  &requests.emplace_back());
      });
    }
  }

  static bool all_done(Requests& requests) {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }

  void wait(Requests& requests) {
    Pause pause;
    auto next_look = steady_clock::now() + std::chrono::milliseconds(200);
    while (!all_done(requests)) {
      if (steady_clock::now() >= next_look) {
        take_failure();
        look_for_dead();
        next_look = steady_clock::now() + std::chrono::milliseconds(200);
      }
      pause.rest();
    }
  }

  void take_failure() {
    int is_there = 0;
    MPI_Status status{};
    if (rank_ == 0) {
      MPI_Iprobe(MPI_ANY_SOURCE, kFailureTag, MPI_COMM_WORLD, &is_there, &status);
    }
    if (is_there == 0) {
      return;
    }
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    MPI_Recv(text.data(), bytes, MPI_BYTE, status.MPI_SOURCE, kFailureTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    const std::size_t space = text.find(' ');
    end_all(status.MPI_SOURCE, std::stoi(text.substr(0, space)), text.substr(space + 1));
  }

  // Of the ranks on this machine; those elsewhere are for the launcher to watch. The first rank
  // that lives speaks, and ends itself with all others: where several have ended, one of them may
  // have spoken, so that the next one gives the launcher time to end this process.
  void look_for_dead() {
    const auto lives = [&](int rank) {
      return is_alive(processes_[static_cast<std::size_t>(rank)].id);
    };
    const auto dead = std::find_if_not(watched_.begin(), watched_.end(), lives);
    if (dead == watched_.end() || *std::find_if(watched_.begin(), watched_.end(), lives) != rank_) {
      return;
    }
    constexpr int kPatience = 20;  // looks, five a second
    const auto ended =
        watched_.end() - watched_.begin() - std::count_if(watched_.begin(), watched_.end(), lives);
    if (ended > 1 && ++looks_ < kPatience) {
      return;
    }
    const Process& process = processes_[static_cast<std::size_t>(*dead)];
    end_all(*dead, 1,
            fmt::format("process {} on {} has ended: all ranks stop; what was saved is kept",
                        process.id, process.host.data()));
  }

  // A process that ended and was not waited for yet is dead too.
  static bool is_alive(std::int64_t id) {
    if (::kill(static_cast<pid_t>(id), 0) != 0 && errno == ESRCH) {
      return false;
    }
    std::array<char, 512> text{};
    if (std::FILE* file = std::fopen(fmt::format("/proc/{}/stat", id).c_str(), "r")) {
      const std::size_t count = std::fread(text.data(), 1, text.size() - 1, file);
      std::fclose(file);
      const char* end = std::strrchr(text.data(), ')');  // of the program's name
      return count == 0 || end == nullptr || (end[2] != 'Z' && end[2] != 'X');
    }
    return true;
  }

  [[noreturn]] void end_all(int rank, int code, const std::string& line) {
    const std::string text = size_ > 1 ? fmt::format("yona: rank {}: {}\n", rank, line) : line;
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

  int rank_ = 0;
  int size_ = 1;
  std::vector<Process> processes_;
  std::vector<int> watched_;  // ranks whose processes can be seen from here
  Requests requests_;         // of calls that wait; kept: no malloc
  int looks_ = 0;             // at several ranks that have ended
};

}  // namespace

}  // namespace yona

extern "C" yona::Communicator* yona_make_mpi_communicator();
extern "C" yona::Communicator* yona_make_mpi_communicator() { return new yona::MpiCommunicator; }
