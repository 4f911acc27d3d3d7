/** The socket of an SMTP connection: plain, with TLS, or upgraded to TLS. */
import net from 'node:net';
import tls from 'node:tls';
import type { SmtpServerOptions } from './url.js';

export interface WireEvents {
  /** Receives input, which is valid only during the call. */
  onInput: (input: Buffer) => void;
  /** Called when either side has closed the socket, or with an error. Can be called several times. */
  onClosed: (error: Error | null) => void;
}

// Plain sockets share a read buffer, without a stream in between: input is parsed in the callback and not kept.
const SHARED_BUFFER = Buffer.allocUnsafe(64 * 1024);
const TLS_BUFFER_BYTES = 16 * 1024;

export class Wire {
  readonly #options: SmtpServerOptions;
  readonly #events: WireEvents;
  #socket: net.Socket;
  #plain: net.Socket | null = null;

  constructor(options: SmtpServerOptions, events: WireEvents) {
    this.#options = options;
    this.#events = events;
    const { host, port } = options;
    const onread = {
      buffer: options.secure ? Buffer.allocUnsafe(TLS_BUFFER_BYTES) : SHARED_BUFFER,
      callback: (length: number, buffer: Uint8Array) => {
        events.onInput(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        return true;
      },
    };
    const target = { host, port, noDelay: true, onread };
    this.#socket = options.secure ? tls.connect({ ...this.#tlsOptions(), ...target }) : net.connect(target);
    this.#listen(this.#socket);
  }

  /** Upgrades a plain socket. @param onSecured called after the handshake; a failure is `onClosed` */
  upgrade(onSecured: () => void): void {
    this.#plain = this.#socket;
    // An upgraded socket does not support `onread`.
    const socket = tls.connect({ socket: this.#plain, ...this.#tlsOptions() }, onSecured);
    socket.on('data', (input: Buffer) => this.#events.onInput(input));
    this.#listen(socket);
    this.#socket = socket;
  }

  #tlsOptions(): tls.ConnectionOptions {
    const { host, tls: options } = this.#options;
    return { ...(net.isIP(host) === 0 && { servername: host }), ...options };
  }

  #listen(socket: net.Socket): void {
    socket.on('error', (error) => this.#events.onClosed(error));
    socket.on('end', () => this.#events.onClosed(null));
    socket.on('close', () => this.#events.onClosed(null));
  }

  get canWrite(): boolean {
    return this.#socket.writable;
  }

  /** Whether the kernel has accepted all writes. */
  get isFlushed(): boolean {
    return this.#socket.writableLength === 0;
  }

  /** @param onFlushed called when the kernel has accepted the data; not called after an error */
  write(data: string | Buffer, onFlushed?: () => void): void {
    if (onFlushed) this.#socket.write(data, (error) => (error ? undefined : onFlushed()));
    else this.#socket.write(data);
  }

  destroy(): void {
    this.#socket.destroy();
    this.#plain?.destroy();
  }
}
