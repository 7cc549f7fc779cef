// libmcrypt (the last release is of 2007). Some of its ciphers read their bytes in another order than the
// submissions say; finalist.peers finds and names that. It has no way to set a counter or IV for a new message
// under the same key, so that messages go on where the last one ended.
#include "peer.hpp"

#include <cstring>
#include <mcrypt.h>
#include <stdexcept>

namespace {

class McryptSession : public Session {
public:
    McryptSession(const char *name, const char *mode, size_t block_bytes, size_t key_bytes, bool decrypt)
        : thread_(mcrypt_module_open(const_cast<char *>(name), nullptr, const_cast<char *>(mode), nullptr)),
          block_bytes_(block_bytes), key_bytes_(key_bytes), decrypt_(decrypt)
    {
        if (thread_ == MCRYPT_FAILED)
            throw std::runtime_error("libmcrypt has it not");
    }

    ~McryptSession() override
    {
        if (keyed_)
            mcrypt_generic_deinit(thread_);
        mcrypt_module_close(thread_);
    }

    McryptSession(const McryptSession &) = delete;
    McryptSession &operator=(const McryptSession &) = delete;

    void rekey(const uint8_t *key) override
    {
        uint8_t zero[16] = {};
        if (keyed_)
            mcrypt_generic_deinit(thread_);
        const int result = mcrypt_generic_init(
            thread_, const_cast<uint8_t *>(key), static_cast<int>(key_bytes_), zero);
        if (result < 0)
            throw std::runtime_error(mcrypt_strerror(result));
        keyed_ = true;
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        const size_t bytes = blocks * block_bytes_;
        if (in != out)
            std::memcpy(out, in, bytes);
        if (decrypt_)
            mdecrypt_generic(thread_, out, static_cast<int>(bytes));
        else
            mcrypt_generic(thread_, out, static_cast<int>(bytes));
    }

private:
    MCRYPT thread_;
    size_t block_bytes_;
    size_t key_bytes_;
    bool decrypt_;
    bool keyed_ = false;
};

// It would pad a shorter key without a word.
bool takes(const char *name, size_t key_bytes)
{
    int count = 0;
    int *sizes = mcrypt_module_get_algo_supported_key_sizes(const_cast<char *>(name), nullptr, &count);
    const int longest = mcrypt_module_get_algo_key_size(const_cast<char *>(name), nullptr);
    bool found = count == 0 && static_cast<int>(key_bytes) <= longest;
    for (int i = 0; i < count; i++)
        found |= sizes[i] == static_cast<int>(key_bytes);
    mcrypt_free(sizes);
    return found;
}

}  // namespace

void add_libmcrypt(Peers &peers)
{
    auto add = [&](const char *cipher, const char *name, size_t block_bytes) {
        for (const char *mode : {"ecb", "ctr", "cbc"}) {
            auto opener = [=](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
                if (!takes(name, key_bytes) || (decrypt && std::strcmp(mode, "ctr") == 0))
                    return nullptr;
                return std::make_unique<McryptSession>(name, mode, block_bytes, key_bytes, decrypt);
            };
            const char *includes = "copy, mcrypt_generic in place";
            peers.push_back({"libmcrypt", LIBMCRYPT_VERSION, cipher, mode, block_bytes, includes, opener});
        }
    };
    add("rijndael", "rijndael-128", 16);
    add("serpent", "serpent", 16);
    add("twofish", "twofish", 16);
    add("cast-256", "cast-256", 16);
    add("loki97", "loki97", 16);
    add("safer-plus", "saferplus", 16);
    add("blowfish", "blowfish", 8);
    add("des", "des", 8);
    add("triple-des", "tripledes", 8);
    auto open_rc4 = [](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
        if (!takes("arcfour", key_bytes))
            return nullptr;
        return std::make_unique<McryptSession>("arcfour", "stream", 1, key_bytes, decrypt);
    };
    const char *includes = "copy, mcrypt_generic in place";
    peers.push_back({"libmcrypt", LIBMCRYPT_VERSION, "rc4", "stream", 1, includes, open_rc4});
}
