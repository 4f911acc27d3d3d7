/** One open stream: messages in the format of server-sent events, and limits for clients that do not read. */

/** The transport of a stream. */
export interface Transport {
  write(chunk: Buffer | string): void;
  /** Bytes that were written and not yet accepted by the client's connection. */
  bufferedBytes(): number;
  /** Ends the stream after the written messages. */
  end(): void;
  /** Cuts the connection. */
  destroy(): void;
  /** Resolves when no bytes are buffered, or when the connection is closed. */
  drained(): Promise<void>;
}

/**
 * A client that leaves more unread is disconnected. It resumes with Last-Event-ID, so it misses nothing, and the memory
 * of the process does not grow with slow clients.
 */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** The time for a client to read a page when it resumes. */
const DRAIN_TIMEOUT_MS = 30_000;

export interface Message {
  topic: string;
  /** For activity: the position after it. */
  id?: string;
  /** JSON without line breaks. */
  data: string;
}

export const formatMessage = ({ topic, id, data }: Message): string =>
  `event: ${topic}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;

/** Sets the client's Last-Event-ID without a message. */
export const formatPosition = (id: string): string => `id: ${id}\n\n`;

export class Connection {
  #closed = false;

  constructor(private readonly transport: Transport) {}

  get isClosed(): boolean {
    return this.#closed;
  }

  write(chunk: Buffer | string): void {
    if (this.#closed || chunk.length === 0) return;
    this.transport.write(chunk);
    if (this.transport.bufferedBytes() > MAX_BUFFERED_BYTES) this.cut();
  }

  /** Waits until the client has read everything. Disconnects it if that takes too long. */
  async drained(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), DRAIN_TIMEOUT_MS);
      timer.unref();
    });
    if ((await Promise.race([this.transport.drained(), timeout])) === 'late') this.cut();
    clearTimeout(timer);
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.transport.end();
  }

  cut(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.transport.destroy();
  }

  /** Marks the stream as closed by the client. */
  markClosed(): void {
    this.#closed = true;
  }
}
