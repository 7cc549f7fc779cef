// libgcrypt; in 1.10 the vector code of Serpent and Twofish serves other modes than ECB only.
#include "peer.hpp"

#include <gcrypt.h>
#include <stdexcept>

namespace {

using Algorithm = std::function<int(size_t key_bytes)>;

class GcryptSession : public Session {
public:
    GcryptSession(int algorithm, int mode, size_t key_bytes, bool decrypt)
        : block_bytes_(gcry_cipher_get_algo_blklen(algorithm)), key_bytes_(key_bytes),
          mode_(mode), decrypt_(decrypt)
    {
        check(gcry_cipher_open(&cipher_, algorithm, mode, 0));
        // Published vectors of DES have weak keys.
        gcry_cipher_ctl(cipher_, GCRYCTL_SET_ALLOW_WEAK_KEY, nullptr, 1);
    }

    ~GcryptSession() override
    {
        gcry_cipher_close(cipher_);
    }

    GcryptSession(const GcryptSession &) = delete;
    GcryptSession &operator=(const GcryptSession &) = delete;

    void rekey(const uint8_t *key) override
    {
        const gcry_error_t error = gcry_cipher_setkey(cipher_, key, key_bytes_);
        if (gcry_err_code(error) != GPG_ERR_WEAK_KEY)
            check(error);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        const size_t bytes = blocks * block_bytes_;
        if (mode_ == GCRY_CIPHER_MODE_CTR)
            gcry_cipher_setctr(cipher_, zero, block_bytes_);
        if (mode_ == GCRY_CIPHER_MODE_CBC)
            gcry_cipher_setiv(cipher_, zero, block_bytes_);
        const uint8_t *source = in == out ? nullptr : in;  // null means in place
        const size_t source_bytes = in == out ? 0 : bytes;
        if (decrypt_)
            gcry_cipher_decrypt(cipher_, out, bytes, source, source_bytes);
        else
            gcry_cipher_encrypt(cipher_, out, bytes, source, source_bytes);
    }

private:
    static constexpr uint8_t zero[16] = {};

    static void check(gcry_error_t error)
    {
        if (error)
            throw std::runtime_error(gcry_strerror(error));
    }

    gcry_cipher_hd_t cipher_ = nullptr;
    size_t block_bytes_;
    size_t key_bytes_;
    int mode_;
    bool decrypt_;
};

std::unique_ptr<Session> open(int algorithm, int mode, size_t key_bytes, bool decrypt)
{
    if (gcry_cipher_get_algo_keylen(algorithm) != key_bytes)
        return nullptr;
    if (mode == GCRY_CIPHER_MODE_CTR && decrypt)
        return nullptr;
    return std::make_unique<GcryptSession>(algorithm, mode, key_bytes, decrypt);
}

// The one of three algorithms that has this key length.
Algorithm by_length(int bits128, int bits192, int bits256)
{
    return [=](size_t key_bytes) {
        return key_bytes == 16 ? bits128 : key_bytes == 24 ? bits192 : bits256;
    };
}

Algorithm only(int algorithm)
{
    return [algorithm](size_t) { return algorithm; };
}

}  // namespace

void add_libgcrypt(Peers &peers)
{
    const std::string version = gcry_check_version(nullptr);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);

    auto add = [&](const char *cipher, size_t block_bytes, const Algorithm &algorithm) {
        auto add_mode = [&](const char *name, int mode) {
            auto opener = [algorithm, mode](size_t key_bytes, bool decrypt) {
                return open(algorithm(key_bytes), mode, key_bytes, decrypt);
            };
            const bool plain = mode == GCRY_CIPHER_MODE_ECB;
            const char *includes = plain ? "gcry_cipher_encrypt" : "set counter or IV, gcry_cipher_encrypt";
            peers.push_back({"libgcrypt", version, cipher, name, block_bytes, includes, opener});
        };
        add_mode("ecb", GCRY_CIPHER_MODE_ECB);
        add_mode("ctr", GCRY_CIPHER_MODE_CTR);
        add_mode("cbc", GCRY_CIPHER_MODE_CBC);
    };
    add("rijndael", 16, by_length(GCRY_CIPHER_AES128, GCRY_CIPHER_AES192, GCRY_CIPHER_AES256));
    add("serpent", 16,
        by_length(GCRY_CIPHER_SERPENT128, GCRY_CIPHER_SERPENT192, GCRY_CIPHER_SERPENT256));
    add("twofish", 16, by_length(GCRY_CIPHER_TWOFISH128, GCRY_CIPHER_NONE, GCRY_CIPHER_TWOFISH));
    add("blowfish", 8, only(GCRY_CIPHER_BLOWFISH));
    add("des", 8, only(GCRY_CIPHER_DES));
    add("triple-des", 8, only(GCRY_CIPHER_3DES));
    add("camellia", 16,
        by_length(GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_CAMELLIA192, GCRY_CIPHER_CAMELLIA256));
    add("cast-128", 8, only(GCRY_CIPHER_CAST5));
    add("idea", 8, only(GCRY_CIPHER_IDEA));
    add("rc2", 8, only(GCRY_CIPHER_RFC2268_128));
    add("seed", 16, only(GCRY_CIPHER_SEED));
    add("sm4", 16, only(GCRY_CIPHER_SM4));
    auto open_rc4 = [](size_t key_bytes, bool decrypt) {
        return open(GCRY_CIPHER_ARCFOUR, GCRY_CIPHER_MODE_STREAM, key_bytes, decrypt);
    };
    peers.push_back({"libgcrypt", version, "rc4", "stream", 1, "gcry_cipher_encrypt", open_rc4});
#if GCRYPT_VERSION_NUMBER >= 0x010b00
    add("aria", 16, by_length(GCRY_CIPHER_ARIA128, GCRY_CIPHER_ARIA192, GCRY_CIPHER_ARIA256));
#endif
}
