/**
 * What a file holds behind the image that it begins as.
 *
 * A sniffer looks at the beginning alone. A file that begins as an image and goes on as something else (an archive, a
 * page, a program) is two things at once: whoever reads it from its end, or looks for what they know, finds the other
 * one. So the blocks of each format are walked to where the image ends. An image that is cut off is one: browsers show
 * what there is of it.
 */

export type ImageFormat = 'png' | 'jpg' | 'gif' | 'webp';

/** What follows on the image, without the zeros that it may be filled up with; mostly nothing. */
export function behindImage(format: ImageFormat, bytes: Buffer): Buffer {
  try {
    const rest = bytes.subarray(WALKS[format](bytes));
    const start = rest.findIndex((byte) => byte !== 0);
    return start < 0 ? rest.subarray(rest.length) : rest.subarray(start);
  } catch (error) {
    // A length that leads out of the file.
    if (error instanceof RangeError) return bytes.subarray(bytes.length);
    throw error;
  }
}

/** Each says where the image ends, or ceases to be one. */
const WALKS: Record<ImageFormat, (bytes: Buffer) => number> = {
  png: endOfPng,
  jpg: endOfJpegs,
  gif: endOfGif,
  webp: endOfWebp,
};

/** PNG (ISO 15948, 5.3): the signature, then chunks of length, type, data and CRC, the last of which is IEND. */
function endOfPng(bytes: Buffer): number {
  for (let at = 8; ;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (at === 8 && type !== 'IHDR') return at;
    at += 12 + length;
    if (type === 'IEND') return at;
  }
}

/** Cameras put further JPEGs behind the first one (a gain map, a preview), and fill with zeros. */
function endOfJpegs(bytes: Buffer): number {
  let at = endOfJpeg(bytes, 0);
  while (at < bytes.length - 1) {
    if (bytes[at] === 0) at += 1;
    else if (bytes.readUInt16BE(at) === 0xffd8) at = endOfJpeg(bytes, at);
    else break;
  }
  return at;
}

/**
 * JPEG (ITU T.81, annex B): segments of marker and length; entropy-coded data, in which FF is followed by 00 or a
 * restart marker, follows each SOS.
 */
function endOfJpeg(bytes: Buffer, start: number): number {
  for (let at = start + 2; ;) {
    if (bytes.readUInt8(at) !== 0xff) return at;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker === 0xd9) return at + 2;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else {
      at += 2 + bytes.readUInt16BE(at + 2);
      if (marker === 0xda) at = endOfScan(bytes, at);
    }
  }
}

function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw new RangeError('The scan does not end');
}

/** GIF89a: header, screen and colour table, then blocks until the trailer. */
function endOfGif(bytes: Buffer): number {
  let at = 13 + colourTable(bytes.readUInt8(10));
  for (;;) {
    const block = bytes.readUInt8(at);
    if (block === 0x3b) return at + 1;
    if (block === 0x21) at = endOfSubBlocks(bytes, at + 2);
    else if (block === 0x2c) at = endOfSubBlocks(bytes, at + 11 + colourTable(bytes.readUInt8(at + 9)));
    else return at;
  }
}

const colourTable = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);

function endOfSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += 1 + length;
  return at + 1;
}

/** WebP: one RIFF chunk, whose length is the file's. */
function endOfWebp(bytes: Buffer): number {
  return 8 + bytes.readUInt32LE(4);
}
