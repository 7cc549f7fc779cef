// Nettle: its cipher descriptors, whose functions take any number of blocks.
#include "peer.hpp"

#include <cstring>
#include <nettle/blowfish.h>
#include <nettle/des.h>
#include <nettle/nettle-meta.h>
#include <nettle/version.h>
#include <new>

namespace {

class NettleSession : public Session {
public:
    NettleSession(const nettle_cipher &cipher, bool decrypt)
        : cipher_(cipher), decrypt_(decrypt), context_(cipher.context_size / sizeof(Line) + 1)
    {
    }

    void rekey(const uint8_t *key) override
    {
        if (decrypt_)
            cipher_.set_decrypt_key(context_.data(), key);
        else
            cipher_.set_encrypt_key(context_.data(), key);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        const size_t bytes = blocks * cipher_.block_size;
        if (decrypt_)
            cipher_.decrypt(context_.data(), bytes, out, in);
        else
            cipher_.encrypt(context_.data(), bytes, out, in);
    }

private:
    struct alignas(64) Line {
        uint8_t bytes[64];
    };

    nettle_cipher cipher_;
    bool decrypt_;
    std::vector<Line> context_;
};

// Nettle has no descriptors of these: written here, over the contexts' own functions.

void set_blowfish(void *context, const uint8_t *key)
{
    blowfish128_set_key(static_cast<blowfish_ctx *>(context), key);
}

void set_des(void *context, const uint8_t *key)
{
    des_set_key(static_cast<des_ctx *>(context), key);
}

void set_triple_des(void *context, const uint8_t *key)
{
    des3_set_key(static_cast<des3_ctx *>(context), key);
}

template <class Context, void (*crypt)(const Context *, size_t, uint8_t *, const uint8_t *)>
void on(const void *context, size_t length, uint8_t *target, const uint8_t *source)
{
    crypt(static_cast<const Context *>(context), length, target, source);
}

const nettle_cipher BLOWFISH = {"blowfish",
                                sizeof(blowfish_ctx),
                                BLOWFISH_BLOCK_SIZE,
                                BLOWFISH128_KEY_SIZE,
                                set_blowfish,
                                set_blowfish,
                                on<blowfish_ctx, blowfish_encrypt>,
                                on<blowfish_ctx, blowfish_decrypt>};
const nettle_cipher DES = {"des",
                           sizeof(des_ctx),
                           DES_BLOCK_SIZE,
                           DES_KEY_SIZE,
                           set_des,
                           set_des,
                           on<des_ctx, des_encrypt>,
                           on<des_ctx, des_decrypt>};
const nettle_cipher TRIPLE_DES = {"triple-des",
                                  sizeof(des3_ctx),
                                  DES3_BLOCK_SIZE,
                                  DES3_KEY_SIZE,
                                  set_triple_des,
                                  set_triple_des,
                                  on<des3_ctx, des3_encrypt>,
                                  on<des3_ctx, des3_decrypt>};

std::string version()
{
    return std::to_string(nettle_version_major()) + "." + std::to_string(nettle_version_minor());
}

}  // namespace

void add_nettle(Peers &peers)
{
    using Variants = std::vector<const nettle_cipher *>;
    auto add = [&peers](const char *name, const Variants &variants) {
        auto open = [variants](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
            for (const nettle_cipher *cipher : variants)
                if (cipher->key_size == key_bytes)
                    return std::make_unique<NettleSession>(*cipher, decrypt);
            return nullptr;
        };
        peers.push_back({"nettle", version(), name, "ecb", variants.front()->block_size, open});
    };
    add("rijndael", {&nettle_aes128, &nettle_aes192, &nettle_aes256});
    add("serpent", {&nettle_serpent128, &nettle_serpent192, &nettle_serpent256});
    add("twofish", {&nettle_twofish128, &nettle_twofish192, &nettle_twofish256});
    add("blowfish", {&BLOWFISH});
    add("des", {&DES});
    add("triple-des", {&TRIPLE_DES});
}
