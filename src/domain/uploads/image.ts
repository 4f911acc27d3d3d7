/** What an upload is, by its content: its name and what the client says of it count for nothing. */
import { fileTypeFromBuffer } from 'file-type';
import { behindImage, type ImageFormat } from './walk.js';

export interface ImageType {
  extension: ImageFormat;
  contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
}

const PNG: ImageType = { extension: 'png', contentType: 'image/png' };

/** PNG (ISO 15948, 5.2). */
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** By what the sniffer says. An animated PNG is a PNG. */
const TYPES = new Map<string, ImageType>([
  ['image/png', PNG],
  ['image/apng', PNG],
  ['image/jpeg', { extension: 'jpg', contentType: 'image/jpeg' }],
  ['image/gif', { extension: 'gif', contentType: 'image/gif' }],
  ['image/webp', { extension: 'webp', contentType: 'image/webp' }],
]);

/** Where browsers and other readers look for what they know, and what they know: a page, a script, a drawing, a PDF. */
const HEAD = 1024;
const FOREIGN_HEAD = /<svg|<html|<head|<body|<\?php|%PDF-|<!--|<script|^GIF8[79]a\/\*/i;
const FOREIGN = /<script[\s>]|<\?php\s|<!doctype\s/i;
/** The end of a ZIP archive (APPNOTE 4.3.16) is 22 bytes and a comment of up to 65,535. */
const ZIP_END = Buffer.from('PK\x05\x06', 'latin1');
const ZIP_TAIL = 22 + 65_535;
/** Phones put more behind their photos: a film, a preview, notes of their own kind. */
const HARMLESS = /^(image|video|audio)\//;

/** The type of an image that is nothing else besides; null for anything that is not a PNG, JPEG, GIF or WebP. */
export async function imageTypeOf(bytes: Buffer): Promise<ImageType | null> {
  const sniffed = await fileTypeFromBuffer(bytes);
  // The sniffer asks for the chunks of a PNG, too.
  const type = bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE) ? PNG : sniffed && TYPES.get(sniffed.mime);
  if (!type || isSomethingElse(bytes) || (await isForeign(behindImage(type.extension, bytes)))) return null;
  return type;
}

const isSomethingElse = (bytes: Buffer): boolean =>
  startsForeign(bytes) || FOREIGN.test(bytes.toString('latin1')) || bytes.subarray(-ZIP_TAIL).includes(ZIP_END);
const startsForeign = (bytes: Buffer): boolean => FOREIGN_HEAD.test(bytes.toString('latin1', 0, HEAD));

/** Whether what is behind an image is a page, an archive, a program. What nobody knows is nothing to anybody. */
async function isForeign(bytes: Buffer): Promise<boolean> {
  if (bytes.length === 0) return false;
  const found = await fileTypeFromBuffer(bytes);
  return startsForeign(bytes) || (found !== undefined && !HARMLESS.test(found.mime));
}
