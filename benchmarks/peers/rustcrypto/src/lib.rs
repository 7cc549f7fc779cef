//! RustCrypto's ciphers in ECB, CTR and CBC, behind a C interface.
//!
//! A handle is a keyed cipher in one mode and direction. Counters and chains begin at zero in each call.

use cipher::{
    array::Array,
    consts::{U16, U20, U24, U32},
    Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt,
    BlockSizeUser, InnerIvInit, KeyInit, StreamCipher, StreamCipherCoreWrapper,
};
use std::ffi::{c_char, CStr};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// What the C interface calls: see `Session` in peer.hpp.
pub trait Session {
    fn rekey(&mut self, key: &[u8]);
    fn crypt(&mut self, input: *const u8, output: *mut u8, blocks: usize);
}

/// Whether the input is where the output goes, so that only one of them may be borrowed.
fn in_place(input: *const u8, output: *mut u8) -> bool {
    input == output as *const u8
}

/// The blocks of a message from C, and where they go.
unsafe fn between<'a, C: BlockSizeUser>(
    input: *const u8,
    output: *mut u8,
    blocks: usize,
) -> (&'a [Block<C>], &'a mut [Block<C>]) {
    (
        from_raw_parts(input.cast(), blocks),
        from_raw_parts_mut(output.cast(), blocks),
    )
}

unsafe fn within<'a, C: BlockSizeUser>(output: *mut u8, blocks: usize) -> &'a mut [Block<C>] {
    from_raw_parts_mut(output.cast(), blocks)
}

macro_rules! session {
    ($name:ident, $($bound:path),+; |$cipher:ident, $input:ident, $output:ident| $between:expr, |$same:ident| $within:expr) => {
        struct $name<C>(C);

        impl<C: KeyInit $(+ $bound)+> Session for $name<C> {
            fn rekey(&mut self, key: &[u8]) {
                self.0 = C::new_from_slice(key).expect("a key of the same length");
            }

            fn crypt(&mut self, input: *const u8, output: *mut u8, blocks: usize) {
                let $cipher = &self.0;
                // The caller gives whole blocks, in one place or in two that do not overlap.
                unsafe {
                    if in_place(input, output) {
                        let $same = within::<C>(output, blocks);
                        $within;
                    } else {
                        let ($input, $output) = between::<C>(input, output, blocks);
                        $between;
                    }
                }
            }
        }
    };
}

session!(EcbEncrypt, BlockCipherEncrypt; |c, i, o| c.encrypt_blocks_b2b(i, o).unwrap(), |s| c.encrypt_blocks(s));
session!(EcbDecrypt, BlockCipherDecrypt; |c, i, o| c.decrypt_blocks_b2b(i, o).unwrap(), |s| c.decrypt_blocks(s));
session!(CbcEncrypt, BlockCipherEncrypt;
    |c, i, o| cbc::Encryptor::inner_iv_init(c, &Array::default()).encrypt_blocks_b2b(i, o).unwrap(),
    |s| cbc::Encryptor::inner_iv_init(c, &Array::default()).encrypt_blocks(s));
session!(CbcDecrypt, BlockCipherDecrypt;
    |c, i, o| cbc::Decryptor::inner_iv_init(c, &Array::default()).decrypt_blocks_b2b(i, o).unwrap(),
    |s| cbc::Decryptor::inner_iv_init(c, &Array::default()).decrypt_blocks(s));

/// Counter mode; ciphers of other blocks than 128 bits are left out of it.
struct Ctr<C>(C);

impl<C> Session for Ctr<C>
where
    C: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>,
{
    fn rekey(&mut self, key: &[u8]) {
        self.0 = C::new_from_slice(key).expect("a key of the same length");
    }

    fn crypt(&mut self, input: *const u8, output: *mut u8, blocks: usize) {
        let core =
            ctr::CtrCore::<&C, ctr::flavors::Ctr128BE>::inner_iv_init(&self.0, &Array::default());
        let mut stream = StreamCipherCoreWrapper::from_core(core);
        unsafe {
            let target = from_raw_parts_mut(output, 16 * blocks);
            if in_place(input, output) {
                stream.apply_keystream(target);
            } else {
                stream.apply_keystream_b2b(from_raw_parts(input, 16 * blocks), target);
            }
        }
    }
}

fn open<C>(mode: &str, key: &[u8], decrypt: bool) -> Option<Box<dyn Session>>
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + 'static,
{
    let cipher = C::new_from_slice(key).ok()?;
    Some(match (mode, decrypt) {
        ("ecb", false) => Box::new(EcbEncrypt(cipher)),
        ("ecb", true) => Box::new(EcbDecrypt(cipher)),
        ("cbc", false) => Box::new(CbcEncrypt(cipher)),
        ("cbc", true) => Box::new(CbcDecrypt(cipher)),
        _ => return None,
    })
}

fn open_wide<C>(mode: &str, key: &[u8], decrypt: bool) -> Option<Box<dyn Session>>
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + 'static,
    C: BlockSizeUser<BlockSize = U16>,
{
    match (mode, decrypt) {
        ("ctr", false) => Some(Box::new(Ctr(C::new_from_slice(key).ok()?))),
        _ => open::<C>(mode, key, decrypt),
    }
}

/// A handle, or null where there is no such cipher, mode or key length.
///
/// # Safety
/// `cipher` and `mode` are texts of C, `key` has `length` bytes.
#[no_mangle]
pub unsafe extern "C" fn rustcrypto_open(
    cipher: *const c_char,
    mode: *const c_char,
    key: *const u8,
    length: usize,
    decrypt: bool,
) -> *mut Box<dyn Session> {
    let name = CStr::from_ptr(cipher).to_str().unwrap_or("");
    let mode = CStr::from_ptr(mode).to_str().unwrap_or("");
    let key = from_raw_parts(key, length);
    let found = match (name, length) {
        ("rijndael", 16) => open_wide::<aes::Aes128>(mode, key, decrypt),
        ("rijndael", 24) => open_wide::<aes::Aes192>(mode, key, decrypt),
        ("rijndael", 32) => open_wide::<aes::Aes256>(mode, key, decrypt),
        ("rc6", 16) => open_wide::<rc6::RC6<u32, U20, U16>>(mode, key, decrypt),
        ("rc6", 24) => open_wide::<rc6::RC6<u32, U20, U24>>(mode, key, decrypt),
        ("rc6", 32) => open_wide::<rc6::RC6<u32, U20, U32>>(mode, key, decrypt),
        ("serpent", _) => open_wide::<serpent::Serpent>(mode, key, decrypt),
        ("twofish", _) => open_wide::<twofish::Twofish>(mode, key, decrypt),
        ("cast-256", _) => open_wide::<cast6::Cast6>(mode, key, decrypt),
        ("blowfish", _) => open::<blowfish::Blowfish>(mode, key, decrypt),
        ("des", _) => open::<des::Des>(mode, key, decrypt),
        ("triple-des", _) => open::<des::TdesEde3>(mode, key, decrypt),
        _ => None,
    };
    found.map_or(std::ptr::null_mut(), |session| {
        Box::into_raw(Box::new(session))
    })
}

/// # Safety
/// `session` is a handle; `key` has as many bytes as the key that it was opened with.
#[no_mangle]
pub unsafe extern "C" fn rustcrypto_rekey(
    session: *mut Box<dyn Session>,
    key: *const u8,
    length: usize,
) {
    (*session).rekey(from_raw_parts(key, length));
}

/// # Safety
/// `session` is a handle; the places have so many whole blocks, and are one or do not overlap.
#[no_mangle]
pub unsafe extern "C" fn rustcrypto_crypt(
    session: *mut Box<dyn Session>,
    input: *const u8,
    output: *mut u8,
    blocks: usize,
) {
    (*session).crypt(input, output, blocks);
}

/// # Safety
/// `session` is a handle, which is gone then.
#[no_mangle]
pub unsafe extern "C" fn rustcrypto_close(session: *mut Box<dyn Session>) {
    drop(Box::from_raw(session));
}
