// The thread that computes for Python. Callers wait for it without the GIL, one after another, and
// meanwhile look after signals: computing on Python's own thread would let its signal handlers run
// on top of oneDNN's code, which keeps data below the stack pointer (see cli/stop_signals.cc).
//
//   Worker worker;
//   worker.run([&] { translations = translator.translate(lines); });   // stop() ends it early
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace yona::python {

class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs `work` on the thread and waits for it; other callers wait for their turn. To be called
  // with the GIL, which is released meanwhile. What the work throws is thrown. When a signal
  // handler raises, as Ctrl-C's does, or a call of ask() does, stop() is set, the work is waited
  // for, and the Python exception is thrown in place of the work's. Throws DeviceError in a process
  // forked after the worker began: its thread is not there.
  void run(const std::function<void()>& work);

  // Set while the work should end. For the work's own eyes.
  const std::atomic<bool>& stop() const { return stop_; }
  void set_stop() { stop_ = true; }

  // From within the work: runs `call` with the GIL on the thread that waits for the work.
  void ask(const std::function<void()>& call);

 private:
  void work_off();
  void take_turn();
  void wait_for_work();
  // With the GIL: true when what was called left an exception, which is kept.
  bool keep_exception(const std::function<void()>& call);

  std::timed_mutex turn_;  // locked by the caller whose work runs
  std::mutex mutex_;       // over what follows
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  // to be done, or under way
  const std::function<void()>* call_ = nullptr;  // of ask(), to be made
  std::exception_ptr failure_;                   // of the work
  bool ends_ = false;
  std::exception_ptr raised_;  // in Python: the caller's alone
  std::atomic<bool> stop_{false};
  pid_t process_ = ::getpid();
  std::thread thread_;
};

}  // namespace yona::python
