// LibTomCrypt: cipher descriptors, called block by block as its ECB mode does.
#include "peer.hpp"

#include <stdexcept>
#include <tomcrypt.h>

namespace {

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

bool has_length(const ltc_cipher_descriptor &cipher, size_t key_bytes)
{
    int accepted = static_cast<int>(key_bytes);
    return cipher.keysize(&accepted) == CRYPT_OK && accepted == static_cast<int>(key_bytes);
}

}  // namespace

void add_libtomcrypt(Peers &peers)
{
    [[maybe_unused]] auto add = [&peers](const char *name, const ltc_cipher_descriptor &cipher) {
        auto open = [cipher](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
            if (!has_length(cipher, key_bytes))
                return nullptr;
            return std::make_unique<TomcryptSession>(cipher, key_bytes, decrypt);
        };
        const size_t block_bytes = static_cast<size_t>(cipher.block_length);
        peers.push_back({"libtomcrypt", SCRYPT, name, "ecb", block_bytes, open});
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
}
