"""A language model of three layers with random weights, small enough for the software GPU: what it writes is nonsense, but the same
nonsense on every device that computes right.

  pip install gguf
  python tiny_llama.py tiny.gguf
"""
import sys

import numpy as np
from gguf import GGUFWriter, TokenType

LAYERS, WIDTH, HEADS, KV_HEADS, FEED, CONTEXT = 3, 256, 4, 2, 512, 512
WORDS = ["", "hello"] + [f"t{n}" for n in range(200)]


def tokens():
    """What a tokenizer of the kind "llama" needs: three special tokens, one for each byte, and our words with a space before them."""
    special = [("<unk>", TokenType.UNKNOWN), ("<s>", TokenType.CONTROL), ("</s>", TokenType.CONTROL)]
    letters = [(f"<0x{byte:02X}>", TokenType.BYTE) for byte in range(256)]
    return special + letters + [(f"\u2581{word}", TokenType.NORMAL) for word in WORDS]


def main(path):
    random = np.random.default_rng(0)
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    vocabulary = tokens()
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in vocabulary])
    writer.add_token_scores([0.0] * len(vocabulary))
    writer.add_token_types([kind for _, kind in vocabulary])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)

    def weights(name, *shape):
        writer.add_tensor(f"{name}.weight", random.normal(0, shape[-1] ** -0.5, shape).astype(np.float32))

    kv_width = WIDTH // HEADS * KV_HEADS
    weights("token_embd", len(vocabulary), WIDTH)
    for layer in range(LAYERS):
        for name, rows, columns in (("attn_q", WIDTH, WIDTH), ("attn_k", kv_width, WIDTH), ("attn_v", kv_width, WIDTH),
                                    ("attn_output", WIDTH, WIDTH), ("ffn_gate", FEED, WIDTH), ("ffn_up", FEED, WIDTH), ("ffn_down", WIDTH, FEED)):
            weights(f"blk.{layer}.{name}", rows, columns)
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    weights("output", len(vocabulary), WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1])
