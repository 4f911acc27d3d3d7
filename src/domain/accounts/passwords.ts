/** Password hashes: scrypt, with its parameters and salt in the hash, so that the parameters can be raised later. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import pLimit from 'p-limit';

/**
 * With log2 N = 15, the default of PASSWORD_HASH_LOG2N, a hash takes 32 MiB and about 150 ms: one of the equivalent
 * settings in OWASP's password storage cheat sheet.
 */
const COST = { r: 8, p: 3 };
const HASH_BYTES = 32;

/** Concurrent hashes. They leave half of libuv's four threads to DKIM signing, DNS lookups, and files. */
const MAX_CONCURRENT_HASHES = 2;
const limitHashes = pLimit(MAX_CONCURRENT_HASHES);

/**
 * Returns a hash that no password has. Checking an unknown address against it takes as long as checking a known one.
 *
 * @param log2N the cost of the hashes of known addresses
 */
export const unmatchedHash = (log2N: number): string => encode(Buffer.alloc(16), Buffer.alloc(HASH_BYTES), log2N);

function encode(salt: Buffer, hash: Buffer, log2N: number): string {
  return `$scrypt$ln=${log2N},r=${COST.r},p=${COST.p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

function derive(
  password: string,
  salt: Buffer,
  length: number,
  cost: { log2N: number; r: number; p: number },
): Promise<Buffer> {
  const N = 2 ** cost.log2N;
  const options: ScryptOptions = { N, r: cost.r, p: cost.p, maxmem: 256 * N * cost.r };
  return limitHashes(
    () =>
      new Promise((resolve, reject) => {
        // The same password can be typed in several Unicode normalization forms.
        scrypt(password.normalize('NFKC'), salt, length, options, (error, key) =>
          error ? reject(error) : resolve(key),
        );
      }),
  );
}

/** @param log2N the cost: the binary logarithm of scrypt's N */
export async function hashPassword(password: string, log2N: number): Promise<string> {
  const salt = randomBytes(16);
  return encode(salt, await derive(password, salt, HASH_BYTES, { ...COST, log2N }), log2N);
}

/** Returns whether a password has this hash, in constant time. */
export async function verifyPassword(password: string, encoded: string): Promise<boolean> {
  const [, log2N, r, p, salt, hash] = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(encoded) ?? [];
  if (!log2N || !r || !p || !salt || !hash) throw new Error('A stored password hash is malformed.');
  const expected = Buffer.from(hash, 'base64');
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, {
    log2N: Number(log2N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(actual, expected);
}
