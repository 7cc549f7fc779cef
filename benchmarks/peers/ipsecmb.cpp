// Intel's Multi-Buffer Crypto for IPsec: its burst interface, with one message at a time, without checks.
#include "peer.hpp"

#include <algorithm>
#include <intel-ipsec-mb.h>
#include <stdexcept>

namespace {

class IpsecSession : public Session {
public:
    IpsecSession(IMB_CIPHER_MODE mode, size_t key_bytes, bool decrypt)
        : manager_(alloc_mb_mgr(0)), mode_(mode), decrypt_(decrypt)
    {
        if (!manager_)
            throw std::runtime_error("IPsec-MB has no manager");
        init_mb_mgr_auto(manager_, nullptr);
        job_.key_len_in_bytes = key_bytes;
        job_.enc_keys = encryption_;
        job_.dec_keys = decryption_;
        job_.iv = zero;
        job_.iv_len_in_bytes = mode == IMB_CIPHER_ECB ? 0 : 16;
        job_.cipher_mode = mode;
        job_.cipher_direction = decrypt ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
        job_.hash_alg = IMB_AUTH_NULL;
        job_.chain_order = IMB_ORDER_CIPHER_HASH;
    }

    ~IpsecSession() override
    {
        free_mb_mgr(manager_);
    }

    IpsecSession(const IpsecSession &) = delete;
    IpsecSession &operator=(const IpsecSession &) = delete;

    void rekey(const uint8_t *key) override
    {
        if (job_.key_len_in_bytes == 16)
            IMB_AES_KEYEXP_128(manager_, key, encryption_, decryption_);
        else if (job_.key_len_in_bytes == 24)
            IMB_AES_KEYEXP_192(manager_, key, encryption_, decryption_);
        else
            IMB_AES_KEYEXP_256(manager_, key, encryption_, decryption_);
    }

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        const bool chained = mode_ == IMB_CIPHER_CBC && !decrypt_;
        const size_t most = chained ? longest_chain : blocks;
        job_.iv = zero;
        for (size_t done = 0; done < blocks; done += most) {
            job_.src = in + 16 * done;
            job_.dst = out + 16 * done;
            job_.msg_len_to_cipher_in_bytes = 16 * std::min(most, blocks - done);
            IMB_SUBMIT_CIPHER_BURST_NOCHECK(manager_, &job_, 1, mode_, job_.cipher_direction,
                                            static_cast<IMB_KEY_SIZE_BYTES>(job_.key_len_in_bytes));
            job_.iv = out + 16 * (done + most - 1);
        }
    }

private:
    static constexpr uint8_t zero[16] = {};
    static constexpr size_t longest_chain = 4095;  // blocks: a job that waits for others has lengths of 16 bits

    IMB_MGR *manager_;
    IMB_CIPHER_MODE mode_;
    bool decrypt_;
    IMB_JOB job_ = {};
    alignas(64) uint32_t encryption_[60];
    alignas(64) uint32_t decryption_[60];
};

}  // namespace

void add_ipsecmb(Peers &peers)
{
    auto add = [&](const char *name, IMB_CIPHER_MODE mode) {
        auto opener = [mode](size_t key_bytes, bool decrypt) -> std::unique_ptr<Session> {
            if (mode == IMB_CIPHER_CNTR && decrypt)
                return nullptr;
            return std::make_unique<IpsecSession>(mode, key_bytes, decrypt);
        };
        const char *includes = "IMB_SUBMIT_CIPHER_BURST_NOCHECK of one job";
        peers.push_back({"IPsec-MB", imb_get_version_str(), "rijndael", name, 16, includes, opener});
    };
    add("ecb", IMB_CIPHER_ECB);
    add("ctr", IMB_CIPHER_CNTR);
    add("cbc", IMB_CIPHER_CBC);
}
