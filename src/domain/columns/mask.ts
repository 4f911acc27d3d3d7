/** Sets of a chunk's contacts: a byte for each, 1 or 0. Pure; four bytes are worked on at a time. */

export interface Mask {
  /** One for each contact, and zeros up to a whole word. */
  bytes: Uint8Array;
  words: Uint32Array;
  contacts: number;
}

export function emptyMask(contacts: number): Mask {
  const words = new Uint32Array(Math.ceil(contacts / 4));
  return { bytes: new Uint8Array(words.buffer), words, contacts };
}

/** Of the others: changes the mask, and gives it back. */
export function invert(mask: Mask): Mask {
  const { words, bytes, contacts } = mask;
  for (let index = 0; index < words.length; index++) words[index] = (words[index] ?? 0) ^ 0x01_01_01_01;
  bytes.fill(0, contacts);
  return mask;
}

/** Of those in both. */
export function intersect(mask: Mask, other: Mask): Mask {
  const [own, others] = [mask.words, other.words];
  for (let index = 0; index < own.length; index++) own[index] = (own[index] ?? 0) & (others[index] ?? 0);
  return mask;
}

/** Of those in either. */
export function unite(mask: Mask, other: Mask): Mask {
  const [own, others] = [mask.words, other.words];
  for (let index = 0; index < own.length; index++) own[index] = (own[index] ?? 0) | (others[index] ?? 0);
  return mask;
}

export function countMask({ words }: Mask): number {
  let count = 0;
  // The product's highest byte is the sum of the four.
  for (let index = 0; index < words.length; index++) count += Math.imul(words[index] ?? 0, 0x01_01_01_01) >>> 24;
  return count;
}
