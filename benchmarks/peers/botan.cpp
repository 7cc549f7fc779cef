// Botan: BlockCipher objects, encrypt_n and decrypt_n; its stream cipher for counter mode; its mode objects,
// which work in place, for chaining.
#include "peer.hpp"

#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>
#include <cstring>

namespace {

constexpr uint8_t ZERO[16] = {};

#if BOTAN_VERSION_MAJOR < 3
constexpr auto FORWARDS = Botan::ENCRYPTION, BACKWARDS = Botan::DECRYPTION;
#else
constexpr auto FORWARDS = Botan::Cipher_Dir::Encryption, BACKWARDS = Botan::Cipher_Dir::Decryption;
#endif

class BotanSession : public Session {
public:
    BotanSession(const std::string &name, size_t key_bytes, bool decrypt)
        : cipher_(Botan::BlockCipher::create_or_throw(name)), key_bytes_(key_bytes),
          decrypt_(decrypt)
    {
    }

    void rekey(const uint8_t *key) override
    {
        cipher_->set_key(key, key_bytes_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        if (decrypt_)
            cipher_->decrypt_n(in, out, blocks);
        else
            cipher_->encrypt_n(in, out, blocks);
    }

private:
    std::unique_ptr<Botan::BlockCipher> cipher_;
    size_t key_bytes_;
    bool decrypt_;
};

class BotanCounterSession : public Session {
public:
    BotanCounterSession(const std::string &name, size_t key_bytes, size_t block_bytes)
        : cipher_(Botan::StreamCipher::create_or_throw("CTR-BE(" + name + ")")), key_bytes_(key_bytes),
          block_bytes_(block_bytes)
    {
    }

    void rekey(const uint8_t *key) override
    {
        cipher_->set_key(key, key_bytes_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        cipher_->set_iv(ZERO, block_bytes_);
        cipher_->cipher(in, out, blocks * block_bytes_);
    }

private:
    std::unique_ptr<Botan::StreamCipher> cipher_;
    size_t key_bytes_;
    size_t block_bytes_;
};

class BotanStreamSession : public Session {
public:
    BotanStreamSession(const std::string &name, size_t key_bytes)
        : cipher_(Botan::StreamCipher::create_or_throw(name)), key_bytes_(key_bytes)
    {
    }

    void rekey(const uint8_t *key) override
    {
        cipher_->set_key(key, key_bytes_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t bytes) override
    {
        cipher_->cipher(in, out, bytes);
    }

private:
    std::unique_ptr<Botan::StreamCipher> cipher_;
    size_t key_bytes_;
};

class BotanChainSession : public Session {
public:
    BotanChainSession(const std::string &name, size_t key_bytes, size_t block_bytes, bool decrypt)
        : mode_(Botan::Cipher_Mode::create_or_throw(name + "/CBC/NoPadding", decrypt ? BACKWARDS : FORWARDS)),
          key_bytes_(key_bytes), block_bytes_(block_bytes)
    {
    }

    void rekey(const uint8_t *key) override
    {
        mode_->set_key(key, key_bytes_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        const size_t bytes = blocks * block_bytes_;
        if (in != out)
            std::memcpy(out, in, bytes);
        mode_->start(ZERO, block_bytes_);
        mode_->process(out, bytes);
    }

private:
    std::unique_ptr<Botan::Cipher_Mode> mode_;
    size_t key_bytes_;
    size_t block_bytes_;
};

std::unique_ptr<Session> open(const std::string &mode, const std::string &name, size_t key_bytes,
                              size_t block_bytes, bool decrypt)
{
    if (mode == "ecb")
        return std::make_unique<BotanSession>(name, key_bytes, decrypt);
    if (mode == "cbc")
        return std::make_unique<BotanChainSession>(name, key_bytes, block_bytes, decrypt);
    if (decrypt)
        return nullptr;
    return std::make_unique<BotanCounterSession>(name, key_bytes, block_bytes);
}

}  // namespace

void add_botan(Peers &peers)
{
    auto add = [&peers](const char *cipher, size_t block_bytes, const std::string &name) {
        // Some have the key's length in their names, in place of a "#".
        const size_t mark = name.find('#');
        const std::string first = mark == std::string::npos ? name : name.substr(0, mark) + "128";
        if (!Botan::BlockCipher::create(first))
            return;  // left out when this Botan was built
        auto add_mode = [&](const char *mode, const char *includes) {
            auto opener = [=](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
                const std::string bits = std::to_string(8 * key_bytes);
                const std::string full = mark == std::string::npos ? name : name.substr(0, mark) + bits;
                return open(mode, full, key_bytes, block_bytes, decrypt);
            };
            const std::string version = Botan::short_version_string();
            peers.push_back({"Botan", version, cipher, mode, block_bytes, includes, opener});
        };
        add_mode("ecb", "encrypt_n, decrypt_n");
        add_mode("ctr", "StreamCipher: set_iv, cipher");
        add_mode("cbc", "copy, Cipher_Mode: start, process in place");
    };
    add("rijndael", 16, "AES-#");
    add("serpent", 16, "Serpent");
    add("twofish", 16, "Twofish");
    add("cast-256", 16, "CAST-256");
    add("blowfish", 8, "Blowfish");
    add("des", 8, "DES");
    add("triple-des", 8, "TripleDES");
    add("aria", 16, "ARIA-#");
    add("camellia", 16, "Camellia-#");
    add("cast-128", 8, "CAST-128");
    add("idea", 8, "IDEA");
    add("kasumi", 8, "KASUMI");
    add("kuznyechik", 16, "Kuznyechik");
    add("misty1", 8, "MISTY1");
    add("noekeon:indirect=1", 16, "Noekeon");
    add("seed", 16, "SEED");
    add("sm4", 16, "SM4");
    add("xtea", 8, "XTEA");
    if (Botan::StreamCipher::create("RC4")) {
        auto open_rc4 = [](size_t key_bytes, bool) { return std::make_unique<BotanStreamSession>("RC4", key_bytes); };
        const std::string version = Botan::short_version_string();
        peers.push_back({"Botan", version, "rc4", "stream", 1, "StreamCipher: cipher", open_rc4});
    }
}
