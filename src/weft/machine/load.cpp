// From a name on the command line to a machine.
#include "weft/core/data_dir.hpp"
#include "weft/core/error.hpp"
#include "weft/core/node.hpp"
#include "weft/core/suggest.hpp"
#include "weft/machine/cycles.hpp"
#include "weft/machine/spec.hpp"

namespace weft::machine {
namespace {

/// A path whose first part is no key of the file is most likely a short word that was mistyped.
void refuse_unknown(const Document& document, const MachineSpec& spec, const std::string& path) {
  const std::string first = path.substr(0, path.find('.'));
  if (document.root().find(first) != nullptr) return;
  const std::vector<std::string> words = short_words(spec);
  throw usage_error("--set " + path + ": the machine has no such field",
                    did_you_mean(path, words, 20) + ", or a path of its file, such as execution.launch");
}

std::shared_ptr<const Machine> make(Document document, std::int64_t copies, const LoadOptions& options) {
  std::vector<std::pair<std::string, std::string>> late;
  expand_cycles(document);
  const auto clock = clock_of(document);
  MachineSpec spec = read_machine(document);
  for (const auto& [path, written] : options.set) {
    const std::string value = clock ? without_cycles(written, *clock) : written;
    MachineSpec probe = read_machine(document);
    if (set_short(probe, path, value)) {
      late.emplace_back(path, value);
    } else {
      refuse_unknown(document, spec, path);
      document.set(path, value);
      spec = read_machine(document);
    }
  }
  scale_out(spec, copies);
  if (!options.shape.empty()) reshape(spec, options.shape);
  for (const auto& [path, value] : late) set_short(spec, path, value);
  return build_machine(std::move(spec));
}

}  // namespace

std::shared_ptr<const Machine> parse(std::string_view text, std::string_view file, const LoadOptions& options) {
  return make(parse_text(std::string(text), std::string(file)), 1, options);
}

std::shared_ptr<const Machine> load(std::string_view what, const LoadOptions& options) {
  std::int64_t copies = 1;
  const std::size_t star = what.rfind('*');
  std::string_view name = what;
  if (star != std::string_view::npos) {
    const std::string_view digits = what.substr(star + 1);
    if (digits.empty() || digits.size() > 7 || digits.find_first_not_of("0123456789") != std::string_view::npos) {
      throw usage_error("'" + std::string(what) + "': how many copies?", "NAME*4 joins four");
    }
    copies = std::stoll(std::string(digits));
    if (copies < 1) throw usage_error("'" + std::string(what) + "' joins no machines", "NAME*4 joins four");
    name = what.substr(0, star);
  }
  return make(parse_file(data_file("machines", name)), copies, options);
}

}  // namespace weft::machine
