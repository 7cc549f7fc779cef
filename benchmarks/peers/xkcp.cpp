// XKCP, the Keccak Team's own permutations: of many states at once those for AVX-512, whose states lie side by side
// in vectors, and what brings whole lanes of all states there and back; what is left of a message, one by one.
#include "peer.hpp"

extern "C" {
#include "align.h"
#include "KeccakP-1600-SnP.h"
#include "KeccakP-1600-times8-SnP.h"
#include "Xoodoo-SnP.h"
#include "Xoodoo-times16-SnP.h"
}

// It has no releases: the year and month of the checkout.
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

namespace {

struct Keccak {
    static constexpr const char *name = "keccak-f1600";
    static constexpr size_t together = 8, lanes = 25, bytes = 200;

    static void all(const uint8_t *in, uint8_t *out)
    {
        KeccakP1600times8_states states;
        KeccakP1600times8_OverwriteLanesAll(&states, in, lanes, lanes);
        KeccakP1600times8_PermuteAll_24rounds(&states);
        KeccakP1600times8_ExtractLanesAll(&states, out, lanes, lanes);
    }

    static void one(const uint8_t *in, uint8_t *out)
    {
        KeccakP1600_state state;
        KeccakP1600_OverwriteBytes(&state, in, 0, bytes);
        KeccakP1600_Permute_24rounds(&state);
        KeccakP1600_ExtractBytes(&state, out, 0, bytes);
    }
};

struct Xoodoo {
    static constexpr const char *name = "xoodoo";
    static constexpr size_t together = 16, lanes = 12, bytes = 48;

    static void all(const uint8_t *in, uint8_t *out)
    {
        Xoodootimes16_states states;
        Xoodootimes16_OverwriteLanesAll(&states, in, lanes, lanes);
        Xoodootimes16_PermuteAll_12rounds(&states);
        Xoodootimes16_ExtractLanesAll(&states, out, lanes, lanes);
    }

    static void one(const uint8_t *in, uint8_t *out)
    {
        Xoodoo_state state;
        Xoodoo_OverwriteBytes(&state, in, 0, bytes);
        Xoodoo_Permute_12rounds(&state);
        Xoodoo_ExtractBytes(&state, out, 0, bytes);
    }
};

template <typename Permutation> class PermutationSession : public Session {
public:
    void rekey(const uint8_t *) override {}

    void crypt(const uint8_t *in, uint8_t *out, size_t blocks) override
    {
        constexpr size_t bytes = Permutation::bytes, together = Permutation::together;
        for (; blocks >= together; blocks -= together, in += together * bytes, out += together * bytes)
            Permutation::all(in, out);
        for (; blocks; blocks--, in += bytes, out += bytes)
            Permutation::one(in, out);
    }
};

template <typename Permutation> void add(Peers &peers)
{
    auto open = [](size_t, bool decrypt) -> std::unique_ptr<Session> {
        return decrypt ? nullptr : std::make_unique<PermutationSession<Permutation>>();
    };
    const char *includes = "OverwriteLanesAll, PermuteAll, ExtractLanesAll";
    peers.push_back({"XKCP", TEXT(XKCP_VERSION), Permutation::name, "ecb", Permutation::bytes, includes, open});
}

}  // namespace

void add_xkcp(Peers &peers)
{
    add<Keccak>(peers);
    add<Xoodoo>(peers);
}
