// Crypto++: cipher objects, driven through AdvancedProcessBlocks, which is what its ECB mode calls; its mode
// objects for the others.
#include "peer.hpp"

// Else the header of a broken cipher warns of that.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1

#include <cryptopp/arc4.h>
#include <cryptopp/aria.h>
#include <cryptopp/blowfish.h>
#include <cryptopp/camellia.h>
#include <cryptopp/cast.h>
#include <cryptopp/chacha.h>
#include <cryptopp/des.h>
#include <cryptopp/hight.h>
#include <cryptopp/idea.h>
#include <cryptopp/lea.h>
#include <cryptopp/mars.h>
#include <cryptopp/modes.h>
#include <cryptopp/rc2.h>
#include <cryptopp/rc5.h>
#include <cryptopp/rc6.h>
#include <cryptopp/rijndael.h>
#include <cryptopp/seed.h>
#include <cryptopp/serpent.h>
#include <cryptopp/simon.h>
#include <cryptopp/skipjack.h>
#include <cryptopp/sm4.h>
#include <cryptopp/speck.h>
#include <cryptopp/tea.h>
#include <cryptopp/threefish.h>
#include <cryptopp/twofish.h>

namespace {

template <class Cipher> class CryptoppSession : public Session {
public:
    explicit CryptoppSession(size_t key_bytes) : key_bytes_(key_bytes) {}

    void rekey(const uint8_t *key) override
    {
        cipher_.SetKey(key, key_bytes_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        // Public in the base class alone, of some ciphers.
        const CryptoPP::BlockTransformation &cipher = cipher_;
        cipher.AdvancedProcessBlocks(in, nullptr, out, blocks * Cipher::BLOCKSIZE,
                                     CryptoPP::BlockTransformation::BT_AllowParallel);
    }

private:
    size_t key_bytes_;
    Cipher cipher_;
};

template <class Mode> class CryptoppModeSession : public Session {
public:
    CryptoppModeSession(size_t key_bytes, size_t block_bytes)
        : key_bytes_(key_bytes), block_bytes_(block_bytes)
    {
    }

    void rekey(const uint8_t *key) override
    {
        mode_.SetKeyWithIV(key, key_bytes_, zero, block_bytes_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        mode_.Resynchronize(zero, static_cast<int>(block_bytes_));
        mode_.ProcessData(out, in, blocks * block_bytes_);
    }

private:
    static constexpr uint8_t zero[16] = {};

    size_t key_bytes_;
    size_t block_bytes_;
    Mode mode_;
};

template <class Cipher>
std::unique_ptr<Session> open(const std::string &mode, size_t key_bytes, bool decrypt)
{
    if (Cipher::StaticGetValidKeyLength(key_bytes) != key_bytes || (decrypt && mode == "ctr"))
        return nullptr;
    const size_t size = Cipher::BLOCKSIZE;
    if (mode == "ctr")
        return std::make_unique<
            CryptoppModeSession<typename CryptoPP::CTR_Mode<Cipher>::Encryption>>(key_bytes, size);
    if (mode == "cbc" && decrypt)
        return std::make_unique<
            CryptoppModeSession<typename CryptoPP::CBC_Mode<Cipher>::Decryption>>(key_bytes, size);
    if (mode == "cbc")
        return std::make_unique<
            CryptoppModeSession<typename CryptoPP::CBC_Mode<Cipher>::Encryption>>(key_bytes, size);
    if (decrypt)
        return std::make_unique<CryptoppSession<typename Cipher::Decryption>>(key_bytes);
    return std::make_unique<CryptoppSession<typename Cipher::Encryption>>(key_bytes);
}

std::unique_ptr<Session> open_triple_des(const std::string &mode, size_t key_bytes, bool decrypt)
{
    return key_bytes == 16 ? open<CryptoPP::DES_EDE2>(mode, key_bytes, decrypt)
                           : open<CryptoPP::DES_EDE3>(mode, key_bytes, decrypt);
}

// With a tweak of 16 bytes after the key.
template <class Cipher> class CryptoppTweakSession : public Session {
public:
    void rekey(const uint8_t *key) override
    {
        const size_t size = Cipher::BLOCKSIZE;
        const CryptoPP::ConstByteArrayParameter tweak(key + size, 16);
        cipher_.SetKey(key, size, CryptoPP::MakeParameters(CryptoPP::Name::Tweak(), tweak));
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        const CryptoPP::BlockTransformation &cipher = cipher_;
        cipher.AdvancedProcessBlocks(in, nullptr, out, blocks * Cipher::BLOCKSIZE,
                                     CryptoPP::BlockTransformation::BT_AllowParallel);
    }

private:
    Cipher cipher_;
};

template <class Cipher>
std::unique_ptr<Session> open_tweaked(const std::string &mode, size_t key_bytes, bool decrypt)
{
    if (mode != "ecb" || key_bytes != Cipher::BLOCKSIZE + 16)
        return nullptr;
    if (decrypt)
        return std::make_unique<CryptoppTweakSession<typename Cipher::Decryption>>();
    return std::make_unique<CryptoppTweakSession<typename Cipher::Encryption>>();
}

// A key stream by counter: nonce and counter after the key, in the order of the cipher's definition.
template <class Cipher> class CryptoppStreamSession : public Session {
public:
    CryptoppStreamSession(size_t key_bytes, size_t nonce_at, size_t nonce_bytes, size_t counter_at)
        : key_bytes_(key_bytes), nonce_at_(nonce_at), nonce_(nonce_bytes), counter_at_(counter_at)
    {
    }

    void rekey(const uint8_t *key) override
    {
        const uint8_t *place = key + key_bytes_;
        nonce_.assign(place + nonce_at_, place + nonce_at_ + nonce_.size());
        counter_ = 0;
        for (size_t n = 16 - nonce_.size(); n-- > 0;)
            counter_ = counter_ << 8 | place[counter_at_ + n];
        cipher_.SetKeyWithIV(key, key_bytes_, nonce_.data(), nonce_.size());
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        cipher_.Resynchronize(nonce_.data(), static_cast<int>(nonce_.size()));
        cipher_.Seek(counter_ * 64);
        cipher_.ProcessData(out, in, blocks * 64);
    }

private:
    size_t key_bytes_;
    size_t nonce_at_;
    std::vector<uint8_t> nonce_;
    size_t counter_at_;
    uint64_t counter_ = 0;
    typename Cipher::Encryption cipher_;
};

std::unique_ptr<Session> open_chacha20(size_t key_bytes, bool)
{
    if (key_bytes != 48)
        return nullptr;
    return std::make_unique<CryptoppStreamSession<CryptoPP::ChaChaTLS>>(32, 4, 12, 0);
}

class CryptoppRc4Session : public Session {
public:
    explicit CryptoppRc4Session(size_t key_bytes) : key_bytes_(key_bytes) {}

    void rekey(const uint8_t *key) override
    {
        cipher_.SetKey(key, key_bytes_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t bytes) override
    {
        cipher_.ProcessData(out, in, bytes);
    }

private:
    size_t key_bytes_;
    CryptoPP::Weak::ARC4::Encryption cipher_;
};

std::string version()
{
    const int version = CryptoPP::LibraryVersion();
    return std::to_string(version / 100) + "." + std::to_string(version / 10 % 10) + "." +
           std::to_string(version % 10);
}

}  // namespace

void add_cryptopp(Peers &peers)
{
    auto add = [&peers](const char *cipher, size_t block_bytes, auto open_in) {
        auto add_mode = [&](const char *mode, const char *includes) {
            auto opener = [=](size_t key_bytes, bool decrypt) { return open_in(mode, key_bytes, decrypt); };
            peers.push_back({"Crypto++", version(), cipher, mode, block_bytes, includes, opener});
        };
        add_mode("ecb", "AdvancedProcessBlocks");
        add_mode("ctr", "CTR_Mode: Resynchronize, ProcessData");
        add_mode("cbc", "CBC_Mode: Resynchronize, ProcessData");
    };
    add("rijndael", 16, open<CryptoPP::Rijndael>);
    add("serpent", 16, open<CryptoPP::Serpent>);
    add("twofish", 16, open<CryptoPP::Twofish>);
    add("rc6", 16, open<CryptoPP::RC6>);
    add("mars", 16, open<CryptoPP::MARS>);
    add("cast-256", 16, open<CryptoPP::CAST256>);
    add("blowfish", 8, open<CryptoPP::Blowfish>);
    add("des", 8, open<CryptoPP::DES>);
    add("triple-des", 8, open_triple_des);
    add("aria", 16, open<CryptoPP::ARIA>);
    add("camellia", 16, open<CryptoPP::Camellia>);
    add("cast-128", 8, open<CryptoPP::CAST128>);
    add("hight", 8, open<CryptoPP::HIGHT>);
    add("idea", 8, open<CryptoPP::IDEA>);
    add("lea", 16, open<CryptoPP::LEA>);
    add("rc2:effective-bits=1024", 8, open<CryptoPP::RC2>);
    add("rc5:r=16", 8, open<CryptoPP::RC5>);
    add("seed", 16, open<CryptoPP::SEED>);
    add("simon", 16, open<CryptoPP::SIMON128>);
    add("simon:block-bits=64", 8, open<CryptoPP::SIMON64>);
    add("skipjack", 8, open<CryptoPP::SKIPJACK>);
    add("sm4", 16, open<CryptoPP::SM4>);
    add("speck", 16, open<CryptoPP::SPECK128>);
    add("speck:block-bits=64", 8, open<CryptoPP::SPECK64>);
    add("xtea", 8, open<CryptoPP::XTEA>);
    add("threefish", 64, open_tweaked<CryptoPP::Threefish512>);
    add("threefish:block-bits=256", 32, open_tweaked<CryptoPP::Threefish256>);
    add("threefish:block-bits=1024", 128, open_tweaked<CryptoPP::Threefish1024>);
    auto open_rc4 = [](size_t key_bytes, bool) { return std::make_unique<CryptoppRc4Session>(key_bytes); };
    peers.push_back({"Crypto++", version(), "rc4", "stream", 1, "ProcessData", open_rc4});
    peers.push_back({"Crypto++", version(), "chacha20", "stream", 64, "Resynchronize, Seek, ProcessData",
                     open_chacha20});
}
