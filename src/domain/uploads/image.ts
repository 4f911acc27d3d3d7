/** Detects the type of an uploaded image by its content. The file name and the client's type are ignored. */
import { fileTypeFromBuffer } from 'file-type';

export interface ImageType {
  extension: 'png' | 'jpg' | 'gif' | 'webp';
  contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
}

const PNG: ImageType = { extension: 'png', contentType: 'image/png' };

/** ISO 15948, section 5.2. */
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** By the MIME type that file-type detects. An animated PNG is a PNG. */
const TYPES = new Map<string, ImageType>([
  ['image/png', PNG],
  ['image/apng', PNG],
  ['image/jpeg', { extension: 'jpg', contentType: 'image/jpeg' }],
  ['image/gif', { extension: 'gif', contentType: 'image/gif' }],
  ['image/webp', { extension: 'webp', contentType: 'image/webp' }],
]);

const HEAD_LENGTH = 1024;
/** Other formats that some readers recognize near the beginning of a file. */
const FOREIGN_HEAD = /<svg|<html|<head|<body|<\?php|%PDF-|<!--|<script|^GIF8[79]a\/\*/i;
const FOREIGN = /<script[\s>]|<\?php\s|<!doctype\s/i;
/** The end of a ZIP archive (APPNOTE 4.3.16) is 22 bytes and a comment of up to 65,535 bytes. */
const ZIP_END = Buffer.from('PK\x05\x06', 'latin1');
const ZIP_TAIL_LENGTH = 22 + 65_535;

/**
 * Returns the type of a PNG, JPEG, GIF, or WebP image; null for anything else.
 *
 * It rejects images that obviously are a page, a script, a PDF, or a ZIP archive as well. That is a courtesy only: the
 * headers of the download (a fixed type, `nosniff`, and a CSP sandbox) make other contents harmless.
 */
export async function imageTypeOf(bytes: Buffer): Promise<ImageType | null> {
  // file-type reports a PNG only if its chunks are complete.
  const isPng = bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
  const type = isPng ? PNG : TYPES.get((await fileTypeFromBuffer(bytes))?.mime ?? '');
  return type && !isForeign(bytes) ? type : null;
}

const isForeign = (bytes: Buffer): boolean =>
  FOREIGN_HEAD.test(bytes.toString('latin1', 0, HEAD_LENGTH)) ||
  FOREIGN.test(bytes.toString('latin1')) ||
  bytes.subarray(-ZIP_TAIL_LENGTH).includes(ZIP_END);
