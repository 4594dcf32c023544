// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs tokens: text to token ids, and back.
#include <unistd.h>

#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "record.h"

namespace cli {

namespace {

struct TokensOptions {
  std::string model, ids;
  TextInput text;
  bool special = false, decode = false, json = false;
};

std::vector<int32_t> parse_ids(const std::string& text, uint32_t n_vocab) {
  std::vector<int32_t> ids;
  size_t at = 0;
  while ((at = text.find_first_not_of(" ,\t\n", at)) != std::string::npos) {
    const size_t end = std::min(text.find_first_of(" ,\t\n", at), text.size());
    const std::string word = text.substr(at, end - at);
    size_t used = 0;
    int id = -1;
    try {
      id = std::stoi(word, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != word.size() || id < 0 || static_cast<uint32_t>(id) >= n_vocab) {
      throw UsageError("--decode: \"" + word + "\" is no token id below " + std::to_string(n_vocab));
    }
    ids.push_back(id);
    at = end;
  }
  return ids;
}

std::string detokenize(const nxs_model* model, const std::vector<int32_t>& ids, uint32_t flags) {
  nxs_error error;
  size_t n = 0;
  check(nxs_detokenize(nullptr, 0, &n, model, ids.data(), ids.size(), flags, &error), error);
  std::string text(n, '\0');
  if (n) check(nxs_detokenize(text.data(), text.size(), &n, model, ids.data(), ids.size(), flags, &error), error);
  return text;
}

int run(const TokensOptions& options) {
  const OpenedModel opened = open_model(options.model, 0);
  const uint32_t flags = options.special ? uint32_t{NXS_TEXT_SPECIAL} : 0U;
  if (options.decode) {
    const std::vector<int32_t> ids = parse_ids(options.ids, nxs_model_get_info(opened.model.get())->n_vocab);
    const std::string text = detokenize(opened.model.get(), ids, flags);
    if (options.json) {
      write_line(dump({{"schema", "nxs.tokens/1"}, {"tokens", ids}, {"text", text}}));
    } else {
      write_bytes(text.data(), text.size());
      if (isatty(STDOUT_FILENO) != 0) print("\n");  // elsewhere the bytes and no more
    }
    return kDone;
  }
  const std::vector<int32_t> ids = tokenize(opened.model.get(), options.text.read(), flags);
  if (options.json) {
    write_line(dump({{"schema", "nxs.tokens/1"}, {"tokens", ids}}));
  } else {
    for (size_t i = 0; i < ids.size(); ++i) print(i ? " %d" : "%d", ids[i]);
    print("\n");
  }
  return kDone;
}

}  // namespace

void add_tokens(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<TokensOptions>();
  CLI::App* command = app.add_subcommand("tokens", "Text to token ids, and back");
  command->add_option("MODEL", options->model, "A GGUF file")->required();
  options->text.add_to(*command, "TEXT",
                       "The text; - or nothing: standard input, every byte, a newline at its end too");
  command->add_flag("--special", options->special,
                    "Control tokens in the text are control tokens (decoding: written out)");
  auto* decode = command->add_option("--decode", options->ids, "Ids (separated by spaces or commas) back to text");
  decode->excludes("TEXT")->excludes("--file");
  command->add_flag("--json", options->json, "Print one JSON object and nothing else");
  command->final_callback([options, decode, exit_status] {
    options->decode = decode->count() > 0;
    *exit_status = run(*options);
  });
}

}  // namespace cli
