/** Stores the file of an import in parts while it arrives, so that memory does not depend on its size. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { newId } from '../../ids.js';
import type { JobRef } from '../jobs/sql.js';
import { EncodingCheck } from './encoding.js';
import { deleteImportFile, insertImportPart } from './file-sql.js';

const PART_BYTES = 1024 * 1024;
/** The beginning of the file in which the header must end. A row has at most 256 KiB characters. */
const HEAD_BYTES = 1024 * 1024;

/** Runs `work`, and discards the upload if it fails. */
export async function discardingOnError<T>(upload: ImportUpload, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await upload.discard();
    throw error;
  }
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const isBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

/**
 * A file on its way into the database. All full parts are committed as they arrive; no transaction is open while the
 * client sends. `finish` stores the last part with the job. If the process dies before that, housekeeping deletes the
 * parts (deleteInterruptedUploads).
 */
export class ImportUpload {
  readonly job: JobRef;
  readonly #ctx: Context;
  readonly #encoding = new EncodingCheck();
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #parts = 0;
  #head: Buffer = Buffer.alloc(0);
  #isWhole = true;
  #bytes = 0;

  constructor(ctx: Context, projectId: string) {
    this.#ctx = ctx;
    this.job = { jobId: newId(), projectId };
  }

  /** The beginning of the file, without a BOM and empty lines. */
  get head(): Buffer {
    return this.#head;
  }

  /** Whether `head` is the whole rest of the file. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** @returns why the file is not a text in UTF-8; null if it is */
  encodingProblem(): string | null {
    return this.#encoding.problem();
  }

  async write(chunk: Buffer): Promise<void> {
    this.#encoding.add(chunk);
    this.#addToHead(chunk);
    this.#bytes += chunk.length;
    for (let at = 0; at < chunk.length; at += PART_BYTES) {
      const piece = chunk.subarray(at, at + PART_BYTES);
      this.#pending.push(piece);
      this.#pendingBytes += piece.length;
      if (this.#pendingBytes >= PART_BYTES) await this.#storePart(this.#ctx.pool);
    }
  }

  /** Stores the rest of the file in the transaction that inserts the job. */
  async finish(tx: Queryable): Promise<void> {
    if (this.#pendingBytes > 0 || this.#parts === 0) await this.#storePart(tx);
  }

  /** Deletes the stored parts of a rejected or interrupted upload. */
  async discard(): Promise<void> {
    if (this.#parts > 0) await deleteImportFile(this.#ctx.pool, this.job);
  }

  async #storePart(db: Queryable): Promise<void> {
    const part = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    await insertImportPart(db, this.job, this.#parts++, part);
  }

  #addToHead(chunk: Buffer): void {
    let begin = this.#bytes === 0 && chunk.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    if (this.#head.length === 0) while (isBreak(chunk[begin])) begin++;
    const added = chunk.subarray(begin, begin + HEAD_BYTES - this.#head.length);
    this.#isWhole &&= begin + added.length === chunk.length;
    if (added.length > 0) this.#head = Buffer.concat([this.#head, added]);
  }
}
