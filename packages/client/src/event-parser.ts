/** The format of server-sent events (WHATWG HTML, "Server-sent events"). */

export interface ServerSentEvent {
  event: string;
  data: string;
  /** The id of this event, or the last one before it. */
  lastEventId: string | undefined;
}

/** Splits a stream of text into events. Keeps the last id and the retry time of the stream. */
export class EventParser {
  /** The id of the last event, also of one without data. */
  lastEventId: string | undefined;
  /** The time to wait before a reconnection, in milliseconds. */
  retryMs: number | undefined;
  #rest = '';
  #event = '';
  #id: string | undefined;
  #data: string[] = [];

  /** @param text the next part of the stream, cut anywhere */
  parse(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    // A carriage return at the end may be the first half of a line break.
    const held = text.endsWith('\r') ? '\r' : '';
    const lines = (this.#rest + text.slice(0, text.length - held.length)).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? '') + held;
    for (const line of lines) {
      if (line !== '') this.#readField(line);
      else {
        const event = this.#dispatch();
        if (event) events.push(event);
      }
    }
    return events;
  }

  #readField(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): ServerSentEvent | null {
    if (this.#id !== undefined) this.lastEventId = this.#id;
    const event = { event: this.#event || 'message', data: this.#data.join('\n'), lastEventId: this.lastEventId };
    const hasData = this.#data.length > 0;
    this.#event = '';
    this.#data = [];
    return hasData ? event : null;
  }
}
