#include "yona/io/translation_model.h"

#include <algorithm>
#include <array>
#include <deque>
#include <future>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/io/atomic_file.h"
#include "yona/io/folder_update.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/marian_files.h"
#include "yona/io/model_files.h"
#include "yona/io/model_folder.h"
#include "yona/io/model_memory.h"
#include "yona/io/safetensors.h"
#include "yona/io/tokenizer_json.h"
#include "yona/io/trained_folder.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

std::vector<NamedArray> arrays_of(const Parameters& parameters, const std::vector<float>& flat) {
  std::vector<NamedArray> arrays;
  for (const Parameters::Entry& entry : parameters.entries()) {
    arrays.push_back({entry.name, DType::f32, entry.value.shape(), flat.data() + entry.offset});
  }
  return arrays;
}

// Weights are copied in pieces, so that threads share the work.
struct WeightPiece {
  Tensor to;
  const NamedArray* from = nullptr;
  std::int64_t first = 0;  // element of it
};

void append_pieces(const Tensor& to, const NamedArray& array, std::vector<WeightPiece>& pieces) {
  constexpr std::int64_t kPiece = 1 << 20;
  for (std::int64_t begin = 0; begin < to.elements(); begin += kPiece) {
    const std::int64_t count = std::min(kPiece, to.elements() - begin);
    pieces.push_back({to.slice(begin, Shape{count}), &array, begin});
  }
}

void write_own_files(const std::filesystem::path& folder, const ModelInfo& info,
                     const SubwordPair& subwords) {
  write_model_configs(folder, describe(info));
  subwords.save(folder);
  if (info.config.arch == Arch::transformer && info.config.norm == NormPosition::pre &&
      info.shared_vocabulary) {
    // transformers reads pre-norm models as Pegasus, whose own tokeniser knows unigram alone
    replace_file(folder / "tokenizer.json",
                 tokenizer_json(subwords.source.model(), subwords.source.vocabulary()));
  }
}

}  // namespace

ModelDescription describe(const ModelInfo& info) {
  ModelDescription description;
  description.config = info.config;
  description.family = info.family;
  description.shared_vocabulary = info.shared_vocabulary;
  description.eos_id = info.end_id;
  description.pad_id = info.pad_id;
  description.source_language = info.source_language;
  description.target_language = info.target_language;
  description.vocabulary = info.vocabulary;
  description.task = info.task;
  return description;
}

ModelInfo model_info(const ModelDescription& description) {
  ModelInfo info{.config = description.config,
                 .source_language = description.source_language,
                 .target_language = description.target_language,
                 .shared_vocabulary = description.shared_vocabulary,
                 .family = description.family,
                 .end_id = description.eos_id,
                 .pad_id = description.pad_id,
                 .vocabulary = description.vocabulary,
                 .task = description.task};
  Departures& departures = info.config.departures;
  const bool is_ordinary = departures.padding == Padding::ordinary;
  check<FormatError>(is_ordinary || description.pad() == info.config.target_vocabulary - 1,
                     "model: a <pad> outside the softmax must have the last id, not {}",
                     description.pad());
  if (is_ordinary) {
    departures.start_id = description.decoder_start();
  }
  if (const HfFamily* family = find_family(description.family);
      is_ordinary && family != nullptr && !family->learns_padding) {
    departures.constant_input = description.pad();
  }
  return info;
}

ModelInfo read_model_info(const std::filesystem::path& folder) {
  check<IoError>(!std::filesystem::is_regular_file(folder),
                 "{}: is a file; a model is the folder that holds it", folder.string());
  check<IoError>(std::filesystem::is_directory(folder), "{}: no such model folder",
                 folder.string());
  const ModelDescription description = read_folder_description(folder);
  // Hugging Face's config.json leaves some of it to the weights.
  const bool is_complete =
      description.family.empty() || is_marian_folder(folder) || has_int8_weights(folder);
  ModelInfo info = model_info(is_complete ? description : ModelFolder(folder).description());
  if (!is_complete) {
    info.original_config = read_file(folder / "config.json");
  }
  return info;
}

Json model_config(const ModelInfo& info) {
  return info.family.empty() ? huggingface_config(describe(info)) : trained_config(info);
}

SubwordPair load_model_subwords(const std::filesystem::path& folder, const ModelInfo& info) {
  const std::filesystem::path from = tokenizer_folder(folder);
  return info.family.empty() ? SubwordPair::load(from) : load_subwords(from, describe(info));
}

void write_weights(const std::filesystem::path& path, const ModelInfo& info,
                   const Parameters& parameters, const Tensor& flat) {
  const std::vector<float> host = flat.to_vector<float>();
  const std::vector<NamedArray> arrays = arrays_of(parameters, host);
  write_safetensors(path, HuggingFaceWeights(describe(info), arrays).arrays(),
                    HuggingFaceWeights::metadata());
}

void write_model(const std::filesystem::path& folder, const ModelInfo& info,
                 const SubwordPair& subwords, const Parameters& parameters, const Tensor& flat) {
  FolderUpdate update(folder);
  if (info.family.empty()) {
    write_own_files(update.path(), info, subwords);
  } else {
    write_json(update.path() / "config.json", model_config(info));
    update.keep(subword_files(folder));
  }
  write_weights(update.path() / "model.safetensors", info, parameters, flat);
  update.commit();
}

void read_weights(const std::filesystem::path& folder, const Parameters& parameters) {
  const ModelFolder file(folder);
  Exec& exec = parameters.weights().storage()->region->backend().exec();
  file.verify(exec.pool);
  std::deque<NamedArray> arrays;  // which never move
  std::vector<WeightPiece> pieces;
  for (const Parameters::Entry& entry : parameters.entries()) {
    arrays.push_back(file.get(entry.name, entry.value.shape()));
    append_pieces(entry.value, arrays.back(), pieces);
  }
  const auto copy = [&](std::int64_t index) {
    const WeightPiece& piece = pieces[static_cast<std::size_t>(index)];
    copy_weights(piece.to, *piece.from, piece.first);
  };
  const auto count = static_cast<std::int64_t>(pieces.size());
  if (exec.device == Device::cpu) {
    exec.pool->run(count, copy);
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      copy(i);
    }
  }
}

Packing packing_of(const std::filesystem::path& folder) {
  return has_int8_weights(folder) && !std::filesystem::exists(folder / "model.safetensors")
             ? Packing::int8
             : Packing::yes;
}

TranslationModel::TranslationModel(std::filesystem::path folder, const ModelInfo& info,
                                   Backend& backend)
    : folder_(std::move(folder)),
      info_(info),
      model_(make_seq2seq(info.config)),
      parameters_(*model_, backend, Gradients::no) {}

const Transformer& TranslationModel::transformer(std::string_view who) const {
  const auto* transformer = dynamic_cast<const Transformer*>(model_.get());
  check(transformer != nullptr, "{}: {}: is a model of the architecture {}, not a Transformer", who,
        folder_.string(), enum_name(info_.config.arch));
  return *transformer;
}

void TranslationModel::choose_languages(const Languages& languages) {
  if (!languages.source.empty()) {
    info_.source_language = languages.source;
  }
  if (!languages.target.empty()) {
    info_.target_language = languages.target;
  }
  frame_ = info_.family.empty()
               ? plain_frame(*subwords_)
               : text_frame(tokenizer_folder(folder_), describe(info_), *subwords_, languages);
}

void TranslationModel::open_weights(Packing packing) {
  const Tensor weights = parameters_.weights();
  if (packing == Packing::no) {
    read_weights(folder_, parameters_);
  } else if (packing == Packing::int8 && has_int8_weights(folder_)) {
    int8_file_ = std::make_unique<Int8WeightsFile>(folder_, parameters_);
    quantised_ = std::make_unique<QuantisedWeights>(weights, [](const Tensor& part, float* /*to*/) {
      fail<FormatError>("int8 weights: there is no matrix of shape {} in the file", part.shape());
    });
    int8_file_->add_to(*quantised_);
  } else if (packing == Packing::int8) {
    lazy_ = std::make_unique<LazyWeights>(folder_, parameters_);
    quantised_ = std::make_unique<QuantisedWeights>(
        weights, [this](const Tensor& part, float* to) { lazy_->copy_to(part, to); });
  } else {
    lazy_ = std::make_unique<LazyWeights>(folder_, parameters_);
    packed_ =
        std::make_unique<PackedWeights>(weights, [this](const Tensor& part) { lazy_->read(part); });
  }
}

std::unique_ptr<TranslationModel> TranslationModel::load(const std::filesystem::path& folder,
                                                         Backend& backend, Packing packing) {
  verify_model_files(folder, VerifiedFiles::subwords);
  const ModelInfo info = read_model_info(folder);
  std::unique_ptr<TranslationModel> model(new TranslationModel(folder, info, backend));
  if (backend.on_host()) {
    const auto memory = [&](Packing how) {
      return weight_memory(folder, info.config, model->parameters().count(), how);
    };
    check_model_memory(folder, {.weights = memory(packing),
                                .in_int8 = packing == Packing::int8 ? 0 : memory(Packing::int8)});
  }
  // Another thread opens the weights meanwhile. Not the other way round: sub-words are many small
  // pieces of memory, which only the main thread's heap gives without a system call for each page.
  std::future<void> weights = std::async(
      std::launch::async, [&] { model->open_weights(backend.on_host() ? packing : Packing::no); });
  model->subwords_ = load_model_subwords(folder, info);
  weights.get();
  const auto pieces = static_cast<std::int64_t>(model->subwords().target.vocabulary().size());
  check<FormatError>(pieces == info.config.target_vocabulary,
                     "{}: vocab.json has {} pieces, config.json {}", folder.string(), pieces,
                     info.config.target_vocabulary);
  check<FormatError>(info.vocabulary.empty() || info.vocabulary == model->subwords().fingerprint(),
                     "{}: vocab.json is of another model than config.json and the weights; take "
                     "all files from one folder",
                     folder.string());
  model->choose_languages({});
  return model;
}

}  // namespace yona
