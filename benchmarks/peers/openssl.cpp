// OpenSSL: its EVP interface, as every user of it calls it. What only the provider of old ciphers has is left
// out where that is not installed.
#include "peer.hpp"

#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/provider.h>
#include <stdexcept>

namespace {

class OpenSslSession : public Session {
public:
    OpenSslSession(const EVP_CIPHER *cipher, bool no_iv, size_t block_bytes, size_t key_bytes, bool decrypt)
        : cipher_(cipher), context_(EVP_CIPHER_CTX_new()), no_iv_(no_iv), block_bytes_(block_bytes),
          decrypt_(decrypt)
    {
        check(EVP_CipherInit_ex2(context_, cipher_, nullptr, nullptr, !decrypt_, nullptr));
        check(EVP_CIPHER_CTX_set_key_length(context_, static_cast<int>(key_bytes)));
        EVP_CIPHER_CTX_set_padding(context_, 0);
        // Of RC2 the effective bits, which are 128 otherwise; all others refuse.
        EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_SET_RC2_KEY_BITS, static_cast<int>(8 * key_bytes), nullptr);
    }

    ~OpenSslSession() override
    {
        EVP_CIPHER_CTX_free(context_);
    }

    OpenSslSession(const OpenSslSession &) = delete;
    OpenSslSession &operator=(const OpenSslSession &) = delete;

    void rekey(const uint8_t *key) override
    {
        check(EVP_CipherInit_ex2(context_, nullptr, key, no_iv_ ? nullptr : zero, !decrypt_, nullptr));
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        int written = 0;
        if (!no_iv_)
            EVP_CipherInit_ex2(context_, nullptr, nullptr, zero, -1, nullptr);
        EVP_CipherUpdate(context_, out, &written, in, static_cast<int>(blocks * block_bytes_));
    }

private:
    static constexpr uint8_t zero[16] = {};

    static void check(int result)
    {
        if (result != 1)
            throw std::runtime_error("OpenSSL refuses");
    }

    const EVP_CIPHER *cipher_;
    EVP_CIPHER_CTX *context_;
    bool no_iv_;
    size_t block_bytes_;
    bool decrypt_;
};

// ChaCha20: the counter and the nonce are one string.
class OpenSslStreamSession : public Session {
public:
    OpenSslStreamSession(const EVP_CIPHER *cipher, bool decrypt)
        : context_(EVP_CIPHER_CTX_new()), cipher_(cipher), decrypt_(decrypt)
    {
    }

    ~OpenSslStreamSession() override
    {
        EVP_CIPHER_CTX_free(context_);
    }

    OpenSslStreamSession(const OpenSslStreamSession &) = delete;
    OpenSslStreamSession &operator=(const OpenSslStreamSession &) = delete;

    void rekey(const uint8_t *key) override
    {
        iv_.assign(key + 32, key + 48);
        EVP_CipherInit_ex2(context_, cipher_, key, iv_.data(), !decrypt_, nullptr);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        int written = 0;
        EVP_CipherInit_ex2(context_, nullptr, nullptr, iv_.data(), -1, nullptr);
        EVP_CipherUpdate(context_, out, &written, in, static_cast<int>(blocks * 64));
    }

private:
    EVP_CIPHER_CTX *context_;
    const EVP_CIPHER *cipher_;
    std::vector<uint8_t> iv_;
    bool decrypt_;
};

}  // namespace

void add_openssl(Peers &peers)
{
    const std::string version = OPENSSL_FULL_VERSION_STR;
    OSSL_PROVIDER_load(nullptr, "legacy");
    OSSL_PROVIDER_load(nullptr, "default");

    // `names` has one for each key length, with the mode to be added, or one for all.
    auto add = [&](const char *cipher, size_t block_bytes, const std::vector<std::string> &names) {
        auto add_mode = [&](const char *mode) {
            auto opener = [=](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
                const bool ecb = std::string(mode) == "ecb";
                if (decrypt && std::string(mode) == "ctr")
                    return nullptr;
                const size_t place = names.size() == 1 ? 0 : (key_bytes - 16) / 8;
                const std::string name = names.at(place) + "-" + mode;
                const EVP_CIPHER *found = EVP_CIPHER_fetch(nullptr, name.c_str(), nullptr);
                if (!found)
                    return nullptr;
                return std::make_unique<OpenSslSession>(found, ecb, block_bytes, key_bytes, decrypt);
            };
            const bool plain = std::string(mode) == "ecb";
            const char *includes = plain ? "EVP_CipherUpdate" : "EVP_CipherInit_ex2 (IV), EVP_CipherUpdate";
            peers.push_back({"OpenSSL", version, cipher, mode, block_bytes, includes, opener});
        };
        add_mode("ecb");
        if (block_bytes == 16)
            add_mode("ctr");
        add_mode("cbc");
    };
    add("rijndael", 16, {"AES-128", "AES-192", "AES-256"});
    add("blowfish", 8, {"BF"});
    add("des", 8, {"DES"});
    add("triple-des", 8, {"DES-EDE3"});
    add("aria", 16, {"ARIA-128", "ARIA-192", "ARIA-256"});
    add("camellia", 16, {"CAMELLIA-128", "CAMELLIA-192", "CAMELLIA-256"});
    add("cast-128", 8, {"CAST5"});
    add("idea", 8, {"IDEA"});
    add("rc2", 8, {"RC2"});
    add("seed", 16, {"SEED"});
    add("sm4", 16, {"SM4"});

    auto open_rc4 = [](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
        const EVP_CIPHER *found = EVP_CIPHER_fetch(nullptr, "RC4", nullptr);
        if (!found)
            return nullptr;
        return std::make_unique<OpenSslSession>(found, true, 1, key_bytes, decrypt);
    };
    peers.push_back({"OpenSSL", version, "rc4", "stream", 1, "EVP_CipherUpdate", open_rc4});

    auto open_chacha20 = [](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
        if (key_bytes != 48)
            return nullptr;
        return std::make_unique<OpenSslStreamSession>(EVP_CIPHER_fetch(nullptr, "ChaCha20", nullptr), decrypt);
    };
    const char *includes = "EVP_CipherInit_ex2 (IV), EVP_CipherUpdate";
    peers.push_back({"OpenSSL", version, "chacha20", "stream", 64, includes, open_chacha20});
}
