// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs info: what a model file is.
#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "record.h"

namespace cli {

namespace {

struct InfoOptions {
  std::string model;
  bool json = false;
};

const char* string_or_none(const nxs_model* model, const char* key) {
  const char* value = nxs_model_string(model, key);
  return value ? value : "";
}

int run(const InfoOptions& options) {
  const OpenedModel opened = open_model(options.model, 0);
  const nxs_model* model = opened.model.get();
  const nxs_model_info& info = *nxs_model_get_info(model);
  std::vector<std::string> notes;
  for (size_t i = 0; nxs_model_note(model, i); ++i) notes.emplace_back(nxs_model_note(model, i));
  const Json object = {{"schema", "nxs.info/1"},
                       {"name", string_or_none(model, "general.name")},
                       {"architecture", string_or_none(model, "general.architecture")},
                       {"n_vocab", info.n_vocab},
                       {"n_layers", info.n_layers},
                       {"n_embd", info.n_embd},
                       {"n_heads", info.n_heads},
                       {"n_heads_kv", info.n_heads_kv},
                       {"n_ctx", info.n_ctx},
                       {"weight_bytes", info.weight_bytes},
                       {"kv_bytes_per_token", info.kv_bytes_per_token},
                       {"step_bytes", info.step_bytes},
                       {"model_digest", nxs_model_digest(model)},
                       {"notes", notes},
                       {"load_seconds", opened.seconds},
                       {"library", Json::parse(nxs_build_info())}};
  if (options.json) {
    write_line(dump(object));
    return kDone;
  }
  for (const auto& [key, value] : object.items()) {
    if (key == "schema" || key == "notes" || key == "library") continue;
    print("%-20s %s\n", key.c_str(), (value.is_string() ? value.get<std::string>() : value.dump()).c_str());
  }
  for (const std::string& note : notes) print("%-20s %s\n", "note", note.c_str());
  print("%-20s libnxs %s\n", "library", nxs_version());
  return kDone;
}

}  // namespace

void add_info(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "Describe a model file");
  command->add_option("MODEL", options->model, "A GGUF file")->required();
  command->add_flag("--json", options->json, "Print one JSON object and nothing else");
  command->final_callback([options, exit_status] { *exit_status = run(*options); });
}

}  // namespace cli
