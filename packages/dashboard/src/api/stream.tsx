/**
 * The live stream of a project, shared by all tabs of the browser: a browser opens only six connections per host, so one
 * tab holds the connection and passes the messages on.
 */
import { createContext, use, useEffect, useState, type ReactNode } from 'react';
import { openStream, type StreamMessage, type StreamStatus, type StreamTopic } from '../../../client/src/index.js';
import { useProject } from './project.js';

type Listener = (message: StreamMessage) => void;

/** What tabs tell each other. */
type Note =
  | { kind: 'message'; message: StreamMessage }
  | { kind: 'status'; status: StreamStatus; isResumed: boolean }
  | { kind: 'wants'; tab: string; topics: StreamTopic[] }
  | { kind: 'asks' };

/** Every connection has these. They cost nothing while nothing happens. */
const BASE_TOPICS: StreamTopic[] = ['activity', 'campaigns', 'jobs', 'domains', 'reputation'];

export interface LiveStream {
  /** Receives all messages until the returned function is called. */
  listen: (listener: Listener) => () => void;
  /** Subscribes to a further topic, such as `workflow:<id>`, until the returned function is called. */
  want: (topic: StreamTopic) => () => void;
  /** Calls back with whether the stream is connected or about to be, now and at each change. */
  watch: (onChange: (isOpen: boolean) => void) => () => void;
  close: () => void;
}

/**
 * Joins the stream of a project.
 *
 * @param onStatus receives each status of the connection, and whether a connection continues an earlier one
 */
export function joinStream(
  projectId: string,
  onStatus: (status: StreamStatus, isResumed: boolean) => void,
): LiveStream {
  const tab = crypto.randomUUID();
  const channel = new BroadcastChannel(`sendloom-stream-${projectId}`);
  const closing = new AbortController();
  const listeners = new Set<Listener>();
  const watchers = new Set<(isOpen: boolean) => void>();
  const own = new Map<StreamTopic, number>();
  const wanted = new Map<string, StreamTopic[]>();
  let isOpen = true;
  let reconnect: (() => void) | undefined;
  /** Of the last message, also if another tab received it: this tab continues there when the other one is closed. */
  let lastEventId: string | undefined;
  /** The status of the connection that this tab holds. */
  let held: Note | undefined;

  const receive = (note: Note): void => {
    if (note.kind === 'message') {
      lastEventId = note.message.lastEventId ?? lastEventId;
      for (const listener of listeners) listener(note.message);
    }
    if (note.kind === 'status') {
      isOpen = note.status === 'open' || note.status === 'connecting';
      onStatus(note.status, note.isResumed);
      for (const watcher of watchers) watcher(isOpen);
    }
    if (note.kind === 'wants') {
      const before = topicsOf(wanted).join(' ');
      wanted.set(note.tab, note.topics);
      if (topicsOf(wanted).join(' ') !== before) reconnect?.();
    }
    if (note.kind === 'asks') {
      channel.postMessage({ kind: 'wants', tab, topics: [...own.keys()] } satisfies Note);
      if (held) channel.postMessage(held);
    }
  };
  /** To the other tabs and to this one. */
  const tell = (note: Note): void => {
    channel.postMessage(note);
    receive(note);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Note>) => receive(data));
  const announce = (): void => tell({ kind: 'wants', tab, topics: [...own.keys()] });

  /** Holds the connection while this tab has the lock, and connects again when other topics are wanted. */
  const lead = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const tellStatus = (status: StreamStatus): void => {
        held = { kind: 'status', status, isResumed: connection.lastEventId !== undefined };
        tell(held);
      };
      const connection = openStream({
        baseUrl: location.origin,
        projectId,
        topics: [...BASE_TOPICS, ...topicsOf(wanted)],
        ...(lastEventId !== undefined && { lastEventId }),
        signal: closing.signal,
        // A stream that this tab has closed is opened again immediately.
        onStatus: (status) => status !== 'closed' && tellStatus(status),
      });
      reconnect = () => connection.close();
      try {
        for await (const message of connection) tell({ kind: 'message', message });
      } catch {
        // The session ended, or the project is gone: requests of the page say so.
        if (!closing.signal.aborted) tellStatus('closed');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      lastEventId = connection.lastEventId ?? lastEventId;
    }
  };
  // The other tabs tell which topics they want, and whether one of them is connected.
  channel.postMessage({ kind: 'asks' } satisfies Note);
  void navigator.locks.request(`sendloom-stream-${projectId}`, { signal: closing.signal }, lead).catch(() => {
    // Closed before this tab had the lock.
  });

  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    want(topic) {
      own.set(topic, (own.get(topic) ?? 0) + 1);
      announce();
      return () => {
        const count = (own.get(topic) ?? 1) - 1;
        if (count > 0) own.set(topic, count);
        else own.delete(topic);
        announce();
      };
    },
    watch(onChange) {
      watchers.add(onChange);
      onChange(isOpen);
      return () => void watchers.delete(onChange);
    },
    close() {
      own.clear();
      announce();
      closing.abort();
      channel.close();
    },
  };
}

const RETRY_MS = 5000;

const topicsOf = (wanted: Map<string, StreamTopic[]>): StreamTopic[] =>
  [...new Set([...wanted.values()].flat())].sort();

const StreamContext = createContext<LiveStream | null>(null);

/** Joins the project's stream while its pages are open. */
export function StreamProvider({ children }: { children: ReactNode }) {
  const { projectId, cache, gate } = useProject();
  const [stream, setStream] = useState<LiveStream | null>(null);
  useEffect(() => {
    const joined = joinStream(projectId, (status, isResumed) => void gate.follow(status, isResumed, cache));
    setStream(joined);
    return () => {
      joined.close();
      gate.close();
    };
  }, [projectId, cache, gate]);
  return <StreamContext value={stream}>{children}</StreamContext>;
}

/** Calls back with each message of a topic while the component is shown. Keep `onMessage` stable with useCallback. */
export function useStream<Topic extends StreamTopic>(
  topic: Topic,
  onMessage: (message: StreamMessage<Topic>) => void,
): void {
  const stream = use(StreamContext);
  useEffect(() => {
    if (!stream) return;
    const isBase = BASE_TOPICS.includes(topic);
    const release = isBase ? undefined : stream.want(topic);
    const stop = stream.listen((message) => {
      if (isOfTopic(message, topic)) onMessage(message);
    });
    return () => {
      stop();
      release?.();
    };
  }, [stream, topic, onMessage]);
}

/** The type of a message follows from its topic. */
const isOfTopic = <Topic extends StreamTopic>(
  message: { topic: StreamTopic },
  topic: Topic,
): message is StreamMessage<Topic> => message.topic === topic;

/** Whether the stream is connected. */
export function useIsLive(): boolean {
  const stream = use(StreamContext);
  const [isLive, setLive] = useState(true);
  useEffect(() => stream?.watch(setLive), [stream]);
  return isLive;
}
