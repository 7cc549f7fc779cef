"""RC4, as described in RFC 6229 and posted anonymously in 1994 (Rivest 1987)."""

from finalist.language import Array, Facts, StreamCipher, loop, u8, words


def swap(S, i, j):
    S[i], S[j] = S[j], S[i]


class RC4(StreamCipher):
    """RC4 (Rivest 1987): a byte stream from a permutation that is shuffled as it is read."""

    facts = Facts(
        title="RC4",
        year=1987,
        designers="Ron Rivest",
        structure="stream cipher on a permutation of bytes",
        state="broken",
        analysis="key recovery (Fluhrer, Mantin, Shamir, SAC 2001); prohibited in TLS by RFC 7465 (2015)",
    )
    aliases = ("arc4", "arcfour")
    block = words(1, u8)
    key_bits = range(8, 2049, 8)

    def expand_key(self, key):
        S, K, j = Array(256, 8, range(256)), Array.holding(key), Array(1, 8)
        for i in loop(0, 256):
            j[0] = j[0] + S[i] + K[i]  # a place past the end of the key begins anew
            swap(S, i, j[0])
        return {"S": S, "ij": Array(2, 8)}

    def key_stream(self, state):
        S, ij = state["S"], state["ij"]
        i = ij[0] + 1
        j = ij[1] + S[i]
        ij[0], ij[1] = i, j
        swap(S, i, j)
        return [S[S[i] + S[j]]]
