/** A receiver's answer in the form in which it is kept: bounded, decoded, and such that PostgreSQL takes it. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { TextDecoder } from 'node:util';
import { constants, createBrotliDecompress, createUnzip, type BrotliDecompress, type Unzip } from 'node:zlib';
import type { JsonValue } from '../../../db/predicate.js';
import { toWellFormed } from '../../../mail/template-value.js';

/** Of the body, as sent and as decompressed (contract, section 7). */
const MAX_BYTES = 64 * 1024;
/** Deeper ones are kept as text alone: readers of JSON are recursive, PostgreSQL's too. */
const MAX_DEPTH = 100;
const MAX_HEADER = 1000;
const KEPT_HEADERS = [
  'content-type',
  'content-length',
  'date',
  'location',
  'retry-after',
  'server',
  'www-authenticate',
  'x-request-id',
] as const;

export interface KeptBody {
  body: string;
  /** Where the body is JSON, and complete. */
  json?: JsonValue;
  /** Whether there was more. */
  truncated: boolean;
}

/**
 * Reads the first 64 KiB, and closes the connection then.
 *
 * @throws Node's error when the connection breaks off before
 */
export async function readBody(message: IncomingMessage): Promise<KeptBody> {
  const { bytes, truncated: more } = await readBytes(message);
  const plain = await decompress(bytes, message.headers['content-encoding']);
  const truncated = more || plain.truncated;
  const type = message.headers['content-type'] ?? '';
  const body = toText(plain.bytes, type, truncated);
  const json = truncated ? undefined : toJson(body, type);
  return { body, ...(json !== undefined && { json }), truncated };
}

interface Bytes {
  bytes: Buffer;
  truncated: boolean;
}

async function readBytes(message: IncomingMessage): Promise<Bytes> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('A body without an encoding is read as buffers');
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BYTES) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_BYTES), truncated: size > MAX_BYTES || !message.complete };
}

/** Undoes `Content-Encoding` up to the limit; what is no such data stays as it is, up to the place where it breaks. */
async function decompress(bytes: Buffer, encoding: string | undefined): Promise<Bytes> {
  const decoder = bytes.length > 0 ? decoderFor(encoding?.trim().toLowerCase()) : null;
  if (!decoder) return { bytes, truncated: false };
  const chunks: Buffer[] = [];
  let size = 0;
  decoder.end(bytes);
  try {
    for await (const chunk of decoder) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('A decoder without an encoding gives buffers');
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return size === 0 ? { bytes, truncated: false } : { bytes: Buffer.concat(chunks), truncated: true };
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_BYTES), truncated: size > MAX_BYTES };
}

function decoderFor(encoding: string | undefined): Unzip | BrotliDecompress | null {
  // The input may have been cut: what is there is wanted then, and no error.
  if (encoding === 'gzip' || encoding === 'x-gzip' || encoding === 'deflate')
    return createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
  return encoding === 'br' ? createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }) : null;
}

function toText(bytes: Buffer, type: string, truncated: boolean): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  // What is cut off in the middle of a character ends before it.
  return storable(decoderOf(charset).decode(bytes, { stream: truncated }));
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}

/** PostgreSQL's jsonb has no U+0000, and none of the halves of surrogate pairs that JSON can spell. */
const storable = (text: string): string => toWellFormed(text.replaceAll('\u0000', '\uFFFD'));

function toJson(text: string, type: string): JsonValue | undefined {
  if (!/[/+]json\b/i.test(type) && !/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return storableJson(value, 0);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** undefined where it is nested too deeply. */
function storableJson(value: JsonValue, depth: number): JsonValue | undefined {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return undefined;
  const items = Array.isArray(value)
    ? value.map((item) => storableJson(item, depth + 1))
    : Object.values(value).map((item) => storableJson(item, depth + 1));
  const kept = items.filter((item) => item !== undefined);
  if (kept.length < items.length) return undefined;
  return Array.isArray(value)
    ? kept
    : Object.fromEntries(Object.keys(value).map((key, index) => [storable(key), kept[index] ?? null]));
}

/** The headers that say something to whoever looks into a step's history; no cookies. */
export function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, storable(String(headers[name])).slice(0, MAX_HEADER)]],
    ),
  );
}
