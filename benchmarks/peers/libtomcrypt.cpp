// LibTomCrypt: cipher descriptors, called block by block as its ECB mode does; its functions of other modes.
#include "peer.hpp"

#include <stdexcept>
#include <tomcrypt.h>

namespace {

constexpr uint8_t ZERO[16] = {};

class TomcryptSession : public Session {
public:
    TomcryptSession(const ltc_cipher_descriptor &cipher, size_t key_bytes, bool decrypt)
        : cipher_(cipher), key_bytes_(static_cast<int>(key_bytes)), decrypt_(decrypt)
    {
    }

    ~TomcryptSession() override
    {
        if (keyed_)
            cipher_.done(&key_);
    }

    TomcryptSession(const TomcryptSession &) = delete;
    TomcryptSession &operator=(const TomcryptSession &) = delete;

    void rekey(const uint8_t *key) override
    {
        if (cipher_.setup(key, key_bytes_, 0, &key_) != CRYPT_OK)
            throw std::invalid_argument("key");
        keyed_ = true;
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        const auto function = decrypt_ ? cipher_.ecb_decrypt : cipher_.ecb_encrypt;
        const size_t block_bytes = static_cast<size_t>(cipher_.block_length);
        for (size_t block = 0; block < blocks; block++)
            function(in + block * block_bytes, out + block * block_bytes, &key_);
    }

private:
    ltc_cipher_descriptor cipher_;
    symmetric_key key_;
    int key_bytes_;
    bool decrypt_;
    bool keyed_ = false;
};

int start(symmetric_CTR &state, int cipher, const uint8_t *key, int key_bytes)
{
    return ctr_start(cipher, ZERO, key, key_bytes, 0, CTR_COUNTER_BIG_ENDIAN, &state);
}

int start(symmetric_CBC &state, int cipher, const uint8_t *key, int key_bytes)
{
    return cbc_start(cipher, ZERO, key, key_bytes, 0, &state);
}

int begin(symmetric_CTR &state, size_t block_bytes)
{
    return ctr_setiv(ZERO, block_bytes, &state);
}

int begin(symmetric_CBC &state, size_t block_bytes)
{
    return cbc_setiv(ZERO, block_bytes, &state);
}

template <class State, int (*work)(const unsigned char *, unsigned char *, unsigned long, State *)>
class TomcryptModeSession : public Session {
public:
    TomcryptModeSession(const ltc_cipher_descriptor &cipher, size_t key_bytes)
        : cipher_(register_cipher(&cipher)), key_bytes_(static_cast<int>(key_bytes)),
          block_bytes_(static_cast<size_t>(cipher.block_length))
    {
    }

    void rekey(const uint8_t *key) override
    {
        if (start(state_, cipher_, key, key_bytes_) != CRYPT_OK)
            throw std::invalid_argument("key");
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        begin(state_, block_bytes_);
        work(in, out, blocks * block_bytes_, &state_);
    }

private:
    int cipher_;
    State state_;
    int key_bytes_;
    size_t block_bytes_;
};

#ifdef LTC_RC4_STREAM
class TomcryptRc4Session : public Session {
public:
    explicit TomcryptRc4Session(size_t key_bytes) : key_bytes_(key_bytes) {}

    void rekey(const uint8_t *key) override
    {
        if (rc4_stream_setup(&state_, key, static_cast<unsigned long>(key_bytes_)) != CRYPT_OK)
            throw std::invalid_argument("key");
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t bytes) override
    {
        rc4_stream_crypt(&state_, in, static_cast<unsigned long>(bytes), out);
    }

private:
    size_t key_bytes_;
    rc4_state state_;
};
#endif

bool has_length(const ltc_cipher_descriptor &cipher, size_t key_bytes)
{
    int accepted = static_cast<int>(key_bytes);
    return cipher.keysize(&accepted) == CRYPT_OK && accepted == static_cast<int>(key_bytes);
}

std::unique_ptr<Session> open(const std::string &mode, const ltc_cipher_descriptor &cipher,
                              size_t key_bytes, bool decrypt)
{
    if (!has_length(cipher, key_bytes) || (decrypt && mode == "ctr"))
        return nullptr;
    if (mode == "ctr")
        return std::make_unique<TomcryptModeSession<symmetric_CTR, ctr_encrypt>>(cipher, key_bytes);
    if (mode == "cbc" && decrypt)
        return std::make_unique<TomcryptModeSession<symmetric_CBC, cbc_decrypt>>(cipher, key_bytes);
    if (mode == "cbc")
        return std::make_unique<TomcryptModeSession<symmetric_CBC, cbc_encrypt>>(cipher, key_bytes);
    return std::make_unique<TomcryptSession>(cipher, key_bytes, decrypt);
}

}  // namespace

void add_libtomcrypt(Peers &peers)
{
    [[maybe_unused]] auto add = [&peers](const char *name, const ltc_cipher_descriptor &cipher) {
        auto add_mode = [&](const char *mode, const char *includes) {
            auto opener = [=](size_t key_bytes, bool decrypt) {
                return open(mode, cipher, key_bytes, decrypt);
            };
            const size_t block_bytes = static_cast<size_t>(cipher.block_length);
            peers.push_back({"libtomcrypt", SCRYPT, name, mode, block_bytes, includes, opener});
        };
        add_mode("ecb", "the descriptor's function, for each block");
        add_mode("ctr", "ctr_setiv, ctr_encrypt");
        add_mode("cbc", "cbc_setiv, cbc_encrypt");
    };
#ifdef LTC_RIJNDAEL
    add("rijndael", rijndael_desc);
#endif
#ifdef LTC_SERPENT
    add("serpent", serpent_desc);
#endif
#ifdef LTC_TWOFISH
    add("twofish", twofish_desc);
#endif
#ifdef LTC_RC6
    add("rc6", rc6_desc);
#endif
#ifdef LTC_SAFERP
    add("safer-plus", saferp_desc);
#endif
#ifdef LTC_BLOWFISH
    add("blowfish", blowfish_desc);
#endif
#ifdef LTC_DES
    add("des", des_desc);
    add("triple-des", des3_desc);
#endif
#ifdef LTC_CAMELLIA
    add("camellia", camellia_desc);
#endif
#ifdef LTC_CAST5
    add("cast-128", cast5_desc);
#endif
#ifdef LTC_IDEA
    add("idea", idea_desc);
#endif
#ifdef LTC_KASUMI
    add("kasumi", kasumi_desc);
#endif
#ifdef LTC_KSEED
    add("seed", kseed_desc);
#endif
#ifdef LTC_NOEKEON
    add("noekeon", noekeon_desc);
#endif
#ifdef LTC_RC2
    add("rc2", rc2_desc);
#endif
#ifdef LTC_RC5
    add("rc5", rc5_desc);
#endif
#ifdef LTC_SKIPJACK
    add("skipjack", skipjack_desc);
#endif
#ifdef LTC_SM4
    add("sm4", sm4_desc);
#endif
#ifdef LTC_XTEA
    add("xtea", xtea_desc);
#endif
#ifdef LTC_RC4_STREAM
    auto open_rc4 = [](size_t key_bytes, bool) -> std::unique_ptr<Session> {
        if (key_bytes < 5)  // it would end the process
            return nullptr;
        return std::make_unique<TomcryptRc4Session>(key_bytes);
    };
    peers.push_back({"libtomcrypt", SCRYPT, "rc4", "stream", 1, "rc4_stream_crypt", open_rc4});
#endif
}
