#include "yona/serve/engine/generation_worker.h"

#include <optional>
#include <utility>

#include "yona/base/error.h"

namespace yona::serve {

GenerationWorker::GenerationWorker(const ServedFolder& place, const ServedLoading& loading,
                                   const GenerationLimits& limits)
    : limits_(limits), queue_(limits), model_(place, loading, limits), summary_(summary_of(place)) {
  thread_ = std::thread([this] { work(); });
}

GenerationWorker::~GenerationWorker() { close(); }

void GenerationWorker::close() {
  queue_.close();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void GenerationWorker::submit(std::shared_ptr<GenerationJob> job) {
  queue_.submit(std::move(job), summary());
}

GeneratorSummary GenerationWorker::summary() const {
  const std::scoped_lock lock(mutex_);
  return summary_;
}

void GenerationWorker::drop_ended() {
  for (const auto& [task, error] : queue_.find_ended()) {
    fail(task, error);
  }
}

// --- the model ------------------------------------------------------------------------------

void GenerationWorker::load() {
  queue_.begin_loading();
  std::optional<GeneratorSummary> summary;
  try {
    summary = model_.load();
  } catch (...) {
    queue_.end_loading();
    throw;
  }
  if (summary) {
    const std::scoped_lock lock(mutex_);
    summary_ = std::move(*summary);
  }
  for (const TaskPtr& task : queue_.all()) {
    task->requests.clear();  // those that wait have been prepared for the model before
  }
  queue_.end_loading();
}

// A changed folder is loaded once the answers of the model that was there have ended.
bool GenerationWorker::is_ready() {
  if (!model_.is_stale()) {
    return true;
  }
  if (!running_.empty()) {
    return false;
  }
  load();
  return true;
}

// --- a round ---------------------------------------------------------------------------------

void GenerationWorker::work() {
  while (queue_.wait()) {
    try {
      round();
    } catch (...) {  // no model, or no memory
      fail_all(std::current_exception());
    }
  }
}

void GenerationWorker::round() {
  drop_ended();
  if (!queue_.empty()) {
    if (is_ready()) {
      join();
    }
    step();
  }
  note_under_way();
}

void GenerationWorker::note_under_way() {
  if (model_.is_loaded()) {
    queue_.set_under_way(static_cast<std::int64_t>(model_->generator().under_way()),
                         model_->generator().reused_tokens());
  }
}

void GenerationWorker::fail_all(const std::exception_ptr& error) {
  for (const TaskPtr& task : queue_.all()) {
    fail(task, error);
  }
}

// If the next task has no room yet, others do not overtake it, so that large requests start at some
// time. Only small ones join meanwhile, in the room that is reserved for them.
void GenerationWorker::join() {
  while (model_->generator().waiting() == 0) {
    TaskPtr task = queue_.next(GenerationQueue::Sizes::all);
    if (!task) {
      return;
    }
    if (!prepare(task)) {
      continue;
    }
    if (!has_room_for(*task)) {
      task = queue_.next(GenerationQueue::Sizes::small);
      if (!task || !prepare(task) || !has_room_for(*task)) {
        return;
      }
    }
    begin(task);
  }
}

void GenerationWorker::look(const GenerationJob& job) const {
  if (job.look) {
    job.look(model_->look(job.prompts.front()));
  } else {
    job.explain(model_->explanation(job.prompts.front(), job.step));
  }
}

bool GenerationWorker::prepare(const TaskPtr& task) {
  try {
    if (task->job->is_look()) {
      look(*task->job);
      finish(task);
      return false;
    }
    if (task->requests.empty()) {
      task->requests = model_->requests_of(*task->job);
    }
    return true;
  } catch (...) {
    fail(task, std::current_exception());
    return false;
  }
}

// What small requests use counts for them alone, so that they do not hold up others. Where there is
// no room for both, the generator lets the request join that was the first to come.
bool GenerationWorker::has_room_for(const GenerationTask& task) const {
  std::int64_t answers = task.job->options.answers;
  std::int64_t tokens = cache_tokens(task.requests[task.begun]);
  for (const auto& [id, running] : running_) {
    if (task.is_small || !running.task->is_small) {
      answers += running.answers_left;
      tokens += running.cache_tokens;
    }
  }
  return task.is_small ? answers <= limits_.answers + limits_.small_answers &&
                             tokens <= model_->generator().cache_tokens()
                       : answers <= limits_.answers && tokens <= model_->large_share();
}

void GenerationWorker::begin(const TaskPtr& task) {
  Generator& generator = model_->generator();
  const std::size_t prompt = task->begun;
  const std::int64_t answers = task->job->options.answers;
  try {
    GenerateRequest& request = task->requests[prompt];
    const auto tokens = static_cast<std::int64_t>(request.prompt.size());
    const std::int64_t room = cache_tokens(request);
    const RequestId id = generator.add(std::move(request));
    running_[id] = {task, prompt, room,
                    std::vector<std::int64_t>(static_cast<std::size_t>(answers), 0), answers};
    task->usage.prompt_tokens += tokens;
    queue_.begin_prompt(*task, tokens);
  } catch (...) {
    fail(task, std::current_exception());
    return;
  }
  generator.join();
  blocked_ = task;
  note_joined();
}

void GenerationWorker::note_joined() {
  if (!blocked_ || model_->generator().waiting() > 0) {
    return;
  }
  queue_.note_joined(*std::exchange(blocked_, nullptr));
}

void GenerationWorker::step() {
  Generator& generator = model_->generator();
  const Clock::time_point start = Clock::now();
  std::vector<GeneratedToken> tokens;
  try {
    tokens = generator.step();
  } catch (...) {  // the running answers are lost; waiting ones are not
    const std::exception_ptr error = std::current_exception();
    while (!running_.empty()) {
      const TaskPtr task = running_.begin()->second.task;
      fail(task, error);
    }
    return;
  }
  const double seconds = seconds_since(start);
  note_joined();
  std::vector<GenerationTask*> owners;
  for (const GeneratedToken& token : tokens) {
    if (const auto found = running_.find(token.request); found != running_.end()) {
      owners.push_back(found->second.task.get());
    }
  }
  queue_.add_step(owners, generator.passes(), seconds);
  for (const GeneratedToken& token : tokens) {
    give(token);
  }
}

// --- answers --------------------------------------------------------------------------------

void GenerationWorker::give(const GeneratedToken& token) {
  const auto found = running_.find(token.request);
  if (found == running_.end()) {
    return;  // it has failed
  }
  Running& running = found->second;
  const TaskPtr task = running.task;
  if (!token.error.empty()) {
    fail(task, std::make_exception_ptr(InvalidArgument(token.error)));
    return;
  }
  GenerationPiece piece{.prompt = running.prompt, .answer = token.answer, .text = token.text};
  if (!token.is_end) {
    piece.token = model_->text_of(token.token, token.logprob);
    ++task->usage.completion_tokens;
    ++running.lengths[static_cast<std::size_t>(token.answer)];
  }
  for (const TokenLogprob& other : token.top) {
    piece.best.push_back(model_->text_of(other.token, other.logprob));
  }
  if (token.finish) {
    piece.finish = name_of(*token.finish);
    queue_.add_answer(*task, running.lengths[static_cast<std::size_t>(token.answer)] + 1);
  }
  try {
    task->job->grow(piece);
  } catch (...) {
    fail(task, std::current_exception());
    return;
  }
  if (token.finish) {
    if (--running.answers_left == 0) {
      running_.erase(found);
    }
    if (--task->answers_left == 0) {
      finish(task);
    }
  }
}

void GenerationWorker::forget(const TaskPtr& task) {
  std::erase_if(running_, [&](const auto& entry) {
    if (entry.second.task == task) {
      model_->generator().remove(entry.first);
    }
    return entry.second.task == task;
  });
  if (blocked_ == task) {
    blocked_.reset();
  }
  queue_.remove(task);
  note_under_way();
}

void GenerationWorker::fail(const TaskPtr& task, const std::exception_ptr& error) {
  forget(task);
  task->job->failed(error);
}

void GenerationWorker::finish(const TaskPtr& task) {
  forget(task);
  try {
    task->job->done(task->usage);
  } catch (...) {  // the answer could not be made; the client must hear of it
    task->job->failed(std::current_exception());
  }
}

}  // namespace yona::serve
