// Nettle: its cipher descriptors, whose functions take any number of blocks, and its functions of modes.
#include "peer.hpp"

#include <nettle/arcfour.h>
#include <nettle/blowfish.h>
#include <nettle/cbc.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/nettle-meta.h>
#include <nettle/version.h>

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

protected:
    struct alignas(64) Line {
        uint8_t bytes[64];
    };

    nettle_cipher cipher_;
    bool decrypt_;
    std::vector<Line> context_;
};

using Mode = void(const void *, nettle_cipher_func *, size_t, uint8_t *, size_t, uint8_t *, const uint8_t *);

template <Mode mode> class NettleModeSession : public NettleSession {
public:
    NettleModeSession(const nettle_cipher &cipher, bool decrypt) : NettleSession(cipher, decrypt) {}

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        const size_t size = cipher_.block_size;
        uint8_t state[16] = {};
        mode(context_.data(), decrypt_ ? cipher_.decrypt : cipher_.encrypt, size, state, blocks * size, out, in);
    }
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

void set_rc4(void *context, const uint8_t *key)
{
    arcfour128_set_key(static_cast<arcfour_ctx *>(context), key);
}

// Its state goes on, though descriptors say that contexts don't change.
void crypt_rc4(const void *context, size_t length, uint8_t *target, const uint8_t *source)
{
    arcfour_crypt(static_cast<arcfour_ctx *>(const_cast<void *>(context)), length, target, source);
}

const nettle_cipher RC4 = {"arcfour", sizeof(arcfour_ctx), 1, ARCFOUR128_KEY_SIZE, set_rc4, set_rc4, crypt_rc4,
                           crypt_rc4};

std::string version()
{
    return std::to_string(nettle_version_major()) + "." + std::to_string(nettle_version_minor());
}

using Variants = std::vector<const nettle_cipher *>;
using Make = std::unique_ptr<Session>(const nettle_cipher &cipher, bool decrypt);

std::unique_ptr<Session> make_ecb(const nettle_cipher &cipher, bool decrypt)
{
    return std::make_unique<NettleSession>(cipher, decrypt);
}

std::unique_ptr<Session> make_ctr(const nettle_cipher &cipher, bool decrypt)
{
    return decrypt ? nullptr : std::make_unique<NettleModeSession<ctr_crypt>>(cipher, false);
}

std::unique_ptr<Session> make_cbc(const nettle_cipher &cipher, bool decrypt)
{
    if (decrypt)
        return std::make_unique<NettleModeSession<cbc_decrypt>>(cipher, true);
    return std::make_unique<NettleModeSession<cbc_encrypt>>(cipher, false);
}

}  // namespace

void add_nettle(Peers &peers)
{
    auto add = [&peers](const char *name, const Variants &variants) {
        auto add_mode = [&](const char *mode, const char *includes, Make *make) {
            auto open = [=](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
                for (const nettle_cipher *cipher : variants)
                    if (cipher->key_size == key_bytes)
                        return make(*cipher, decrypt);
                return nullptr;
            };
            peers.push_back({"nettle", version(), name, mode, variants.front()->block_size, includes, open});
        };
        add_mode("ecb", "the cipher's function", make_ecb);
        add_mode("ctr", "ctr_crypt", make_ctr);
        add_mode("cbc", "cbc_encrypt", make_cbc);
    };
    add("rijndael", {&nettle_aes128, &nettle_aes192, &nettle_aes256});
    add("serpent", {&nettle_serpent128, &nettle_serpent192, &nettle_serpent256});
    add("twofish", {&nettle_twofish128, &nettle_twofish192, &nettle_twofish256});
    add("blowfish", {&BLOWFISH});
    add("des", {&DES});
    add("triple-des", {&TRIPLE_DES});
    add("camellia", {&nettle_camellia128, &nettle_camellia192, &nettle_camellia256});
    add("cast-128", {&nettle_cast128});
    add("rc2", {&nettle_arctwo40, &nettle_arctwo64, &nettle_arctwo128});
    auto open_rc4 = [](size_t key_bytes, bool) -> std::unique_ptr<Session> {
        return key_bytes == RC4.key_size ? make_ecb(RC4, false) : nullptr;
    };
    peers.push_back({"nettle", version(), "rc4", "stream", 1, "arcfour_crypt", open_rc4});
#if NETTLE_VERSION_MAJOR > 3 || NETTLE_VERSION_MINOR >= 9
    add("sm4", {&nettle_sm4});
#endif
}
