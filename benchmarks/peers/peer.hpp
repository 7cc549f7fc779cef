// What a library offers to be measured beside Finalist; one source file a library fills it in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// A keyed cipher of one library, in one direction and one mode.
struct Session {
    virtual ~Session() = default;

    // Set another key, of the same length.
    virtual void rekey(const uint8_t *key) = 0;

    // Work on all blocks of a message, by the library's fastest interface for many blocks; in == out is allowed.
    // Counter or chain begin with a block of zeros.
    virtual void crypt(const uint8_t *in, uint8_t *out, size_t blocks) = 0;
};

// A cipher that a library has. `mode` is "ecb", "ctr" (for encryption alone) or "cbc", of a stream cipher "stream",
// whose every message begins its key stream anew where that goes by a nonce, and else goes on with it. What is
// public, a tweak or a nonce, comes after the key.
// `includes` says in words what one crypt() is.
struct Peer {
    std::string library;
    std::string version;
    std::string cipher;  // as Finalist names it
    std::string mode;
    size_t block_bytes;
    std::string includes;
    // Throws, or returns nothing, for key lengths and directions that the library does not have.
    std::function<std::unique_ptr<Session>(size_t key_bytes, bool decrypt)> open;
};

using Peers = std::vector<Peer>;

// Each defined in the file of that library, which is only compiled where the library is found.
void add_botan(Peers &);
void add_cryptopp(Peers &);
void add_ipsecmb(Peers &);
void add_libgcrypt(Peers &);
void add_libmcrypt(Peers &);
void add_libtomcrypt(Peers &);
void add_nettle(Peers &);
void add_openssl(Peers &);
void add_rustcrypto(Peers &);
void add_xkcp(Peers &);
