#include "worker.h"

#include <chrono>
#include <csignal>

#include "yona/base/error.h"

#include "values.h"

namespace yona::python {

namespace {

constexpr std::chrono::milliseconds kPatience{50};  // between two looks at signals

// All signals but those that a thread sends to itself by a mistake of its own.
sigset_t outside_signals() {
  sigset_t set;
  sigfillset(&set);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    sigdelset(&set, signal);
  }
  return set;
}

void check_signals() {
  if (PyErr_CheckSignals() != 0) {
    throw py::error_already_set();
  }
}

}  // namespace

Worker::Worker() {
  // The thread and those it starts, such as a pool's, inherit the mask.
  const sigset_t set = outside_signals();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &set, &before);
  thread_ = std::thread([this] { work_off(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Worker::~Worker() {
  if (::getpid() != process_) {
    thread_.detach();  // it is another process's
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::work_off() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return work_ != nullptr || ends_; });
    if (work_ == nullptr) {
      return;
    }
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*work_)();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    work_ = nullptr;
    changed_.notify_all();
  }
}

void Worker::ask(const std::function<void()>& call) {
  std::unique_lock lock(mutex_);
  call_ = &call;
  changed_.notify_all();
  changed_.wait(lock, [&] { return call_ == nullptr; });
}

bool Worker::keep_exception(const std::function<void()>& call) {
  try {
    call();
    return false;
  } catch (...) {
    if (!raised_) {
      raised_ = std::current_exception();
    }
    return true;
  }
}

// The turn of a busy worker may be long in coming: Ctrl-C must not wait for it.
void Worker::take_turn() {
  bool is_mine = false;
  while (!is_mine) {
    {
      const py::gil_scoped_release release;
      is_mine = turn_.try_lock_for(kPatience);
    }
    if (!is_mine) {
      check_signals();
    }
  }
}

void Worker::wait_for_work() {
  std::unique_lock lock(mutex_, std::defer_lock);
  for (bool done = false; !done;) {
    const std::function<void()>* call = nullptr;
    {
      const py::gil_scoped_release release;
      lock.lock();
      changed_.wait_for(lock, kPatience, [&] { return work_ == nullptr || call_ != nullptr; });
      done = work_ == nullptr;
      call = call_;
      lock.unlock();
    }
    if (call != nullptr) {
      stop_ = keep_exception(*call) || stop_;
      lock.lock();
      call_ = nullptr;
      changed_.notify_all();
      lock.unlock();
    }
    stop_ = keep_exception(check_signals) || stop_;
  }
}

void Worker::run(const std::function<void()>& work) {
  check<DeviceError>(::getpid() == process_,
                     "the model was loaded before this process was forked; load it in the process "
                     "that uses it, or start that one with multiprocessing's 'spawn'");
  take_turn();
  const std::unique_lock<std::timed_mutex> turn(turn_, std::adopt_lock);
  stop_ = false;
  raised_ = nullptr;
  {
    const std::lock_guard lock(mutex_);
    failure_ = nullptr;
    work_ = &work;
  }
  changed_.notify_all();
  wait_for_work();
  const std::exception_ptr thrown = raised_ ? raised_ : failure_;
  raised_ = failure_ = nullptr;
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

}  // namespace yona::python
