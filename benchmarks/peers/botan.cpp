// Botan: BlockCipher objects, encrypt_n and decrypt_n.
#include "peer.hpp"

#include <botan/block_cipher.h>
#include <botan/version.h>

namespace {

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

}  // namespace

void add_botan(Peers &peers)
{
    auto add = [&peers](const char *cipher, size_t block_bytes, const std::string &name) {
        if (!Botan::BlockCipher::create(name == "AES" ? "AES-128" : name))
            return;  // left out when this Botan was built
        auto open = [name](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
            const bool is_aes = name == "AES";
            const std::string full = is_aes ? "AES-" + std::to_string(8 * key_bytes) : name;
            return std::make_unique<BotanSession>(full, key_bytes, decrypt);
        };
        peers.push_back({"Botan", Botan::short_version_string(), cipher, "ecb", block_bytes, open});
    };
    add("rijndael", 16, "AES");
    add("serpent", 16, "Serpent");
    add("twofish", 16, "Twofish");
    add("cast-256", 16, "CAST-256");
    add("blowfish", 8, "Blowfish");
    add("des", 8, "DES");
    add("triple-des", 8, "TripleDES");
}
