// The Llama family: grouped-query attention, SwiGLU feed-forward, RMS norms. Facts: the model cards' config.json.
#include "weft/model/model.hpp"

namespace weft::model {
namespace {

void read_llama(ObjectReader& config, Model& model) {
  read_transformer(config, model);
  const std::int64_t width = integer_of(config, {"intermediate_size"});
  for (Layer& layer : model.layers) layer = {FeedForward::dense, width};
}

const Registry<Family>::Entry llama{"llama",
                                    "Llama 1 to 3 and models of the same shape",
                                    {{"llama"}, {"LlamaForCausalLM", "LLaMAForCausalLM"}, read_llama}};

}  // namespace
}  // namespace weft::model
