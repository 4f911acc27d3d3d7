/** Password hashes: scrypt with its parameters and salt in the hash, so that they can be raised later. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

/**
 * 2^15 and three passes: 32 MiB and about 150 ms; one of the settings of equal strength in OWASP's password storage
 * cheat sheet.
 */
const COST = { log2N: 15, r: 8, p: 3 };
const BYTES = 32;

/**
 * A hash that no password has, of the same cost: what an unknown address is checked against, so that it takes as long
 * as a known one.
 */
export const NO_HASH = encode(Buffer.alloc(16), Buffer.alloc(BYTES));

function encode(salt: Buffer, hash: Buffer): string {
  return `$scrypt$ln=${COST.log2N},r=${COST.r},p=${COST.p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

function derive(password: string, salt: Buffer, length: number, cost: typeof COST): Promise<Buffer> {
  const N = 2 ** cost.log2N;
  const options: ScryptOptions = { N, r: cost.r, p: cost.p, maxmem: 256 * N * cost.r };
  return new Promise((resolve, reject) => {
    // One password can be typed in several normal forms of Unicode.
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return encode(salt, await derive(password, salt, BYTES, COST));
}

/** Whether a password has this hash, in a time that doesn't tell where they differ. */
export async function verifyPassword(password: string, encoded: string): Promise<boolean> {
  const [, log2N, r, p, salt, hash] = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(encoded) ?? [];
  if (!log2N || !r || !p || !salt || !hash) throw new Error('A stored password hash is not readable');
  const expected = Buffer.from(hash, 'base64');
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, {
    log2N: Number(log2N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(actual, expected);
}
