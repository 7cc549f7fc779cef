// RustCrypto: the crates' traits for many blocks, through the C interface of rustcrypto/src/lib.rs.
#include "peer.hpp"

#include <stdexcept>

extern "C" {
void *rustcrypto_open(const char *cipher, const char *mode, const uint8_t *key, size_t length, bool decrypt);
void rustcrypto_rekey(void *session, const uint8_t *key, size_t length);
void rustcrypto_crypt(void *session, const uint8_t *in, uint8_t *out, size_t blocks);
void rustcrypto_close(void *session);
}

namespace {

class RustCryptoSession : public Session {
public:
    RustCryptoSession(const char *cipher, const char *mode, size_t key_bytes, bool decrypt)
        : session_(rustcrypto_open(cipher, mode, std::vector<uint8_t>(key_bytes).data(), key_bytes, decrypt)),
          key_bytes_(key_bytes)
    {
        if (!session_)
            throw std::runtime_error("RustCrypto has no such cipher, mode or key length");
    }

    ~RustCryptoSession() override
    {
        rustcrypto_close(session_);
    }

    RustCryptoSession(const RustCryptoSession &) = delete;
    RustCryptoSession &operator=(const RustCryptoSession &) = delete;

    void rekey(const uint8_t *key) override
    {
        rustcrypto_rekey(session_, key, key_bytes_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        rustcrypto_crypt(session_, in, out, blocks);
    }

private:
    void *session_;
    size_t key_bytes_;
};

}  // namespace

void add_rustcrypto(Peers &peers)
{
    auto add = [&](const char *cipher, size_t block_bytes, const char *version) {
        for (const char *mode : {"ecb", "ctr", "cbc"}) {
            auto opener = [=](size_t key_bytes, bool decrypt) {
                return std::make_unique<RustCryptoSession>(cipher, mode, key_bytes, decrypt);
            };
            const char *includes = mode[0] == 'e' ? "encrypt_blocks_b2b" : "a mode over the keyed cipher, blocks b2b";
            peers.push_back({"RustCrypto", version, cipher, mode, block_bytes, includes, opener});
        }
    };
    add("rijndael", 16, "aes 0.9");
    add("serpent", 16, "serpent 0.6");
    add("twofish", 16, "twofish 0.8");
    add("rc6", 16, "rc6 0.1");
    add("cast-256", 16, "cast6 0.2");
    add("blowfish", 8, "blowfish 0.10");
    add("des", 8, "des 0.9");
    add("triple-des", 8, "des 0.9");
}
