// Packaged libraries' block ciphers behind one plain C interface, so that they can be measured by
// the same loops as Finalist's own programs. The functions' types are those of measure/clock.c.
#include "peer.hpp"

#include <exception>

static Peers all_peers()
{
    Peers peers;
#ifdef PEER_BOTAN
    add_botan(peers);
#endif
#ifdef PEER_CRYPTOPP
    add_cryptopp(peers);
#endif
#ifdef PEER_IPSECMB
    add_ipsecmb(peers);
#endif
#ifdef PEER_LIBGCRYPT
    add_libgcrypt(peers);
#endif
#ifdef PEER_LIBTOMCRYPT
    add_libtomcrypt(peers);
#endif
#ifdef PEER_LIBMCRYPT
    add_libmcrypt(peers);
#endif
#ifdef PEER_NETTLE
    add_nettle(peers);
#endif
#ifdef PEER_OPENSSL
    add_openssl(peers);
#endif
#ifdef PEER_RUSTCRYPTO
    add_rustcrypto(peers);
#endif
#ifdef PEER_XKCP
    add_xkcp(peers);
#endif
    return peers;
}

static const Peers &peers()
{
    static const Peers all = all_peers();
    return all;
}

static const Peer &peer(int index)
{
    return peers().at(static_cast<size_t>(index));
}

extern "C" {

int peer_count(void)
{
    return static_cast<int>(peers().size());
}

// The next six want 0 <= index < peer_count().

const char *peer_library(int index)
{
    return peer(index).library.c_str();
}

const char *peer_version(int index)
{
    return peer(index).version.c_str();
}

const char *peer_cipher(int index)
{
    return peer(index).cipher.c_str();
}

const char *peer_mode(int index)
{
    return peer(index).mode.c_str();
}

size_t peer_block_bytes(int index)
{
    return peer(index).block_bytes;
}

const char *peer_includes(int index)
{
    return peer(index).includes.c_str();
}

// A handle for peer_crypt, or null where the library does not have this key length or direction.
void *peer_open(int index, const uint8_t *key, size_t key_bytes, int decrypt)
{
    try {
        std::unique_ptr<Session> session = peer(index).open(key_bytes, decrypt != 0);
        if (session)
            session->rekey(key);
        return session.release();
    } catch (const std::exception &) {
        return nullptr;
    }
}

// A `kernel`: all blocks through the handle.
void peer_crypt(const void *handle, const uint8_t *in, uint8_t *out, size_t blocks)
{
    static_cast<Session *>(const_cast<void *>(handle))->crypt(in, out, blocks);
}

// A `setup`: the library's key schedule, into a handle opened with a key of the same length.
void peer_setup(const uint8_t *key, void *handle)
{
    static_cast<Session *>(handle)->rekey(key);
}

void peer_close(void *handle)
{
    delete static_cast<Session *>(handle);
}

}  // extern "C"
