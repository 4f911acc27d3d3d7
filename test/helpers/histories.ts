/** Recorded histories of Temporal workflows, as JSON in test/histories. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';
import { z } from 'zod';

const { History } = proto.temporal.api.history.v1;

export type RecordedHistory = proto.temporal.api.history.v1.IHistory;

export const HISTORIES = fileURLToPath(new URL('../histories/', import.meta.url));

const Events = z.object({ events: z.array(z.record(z.string(), z.json())) });
const Recording = z.object({ workflowId: z.string(), history: Events });

const MACHINE = new Set(['identity', 'workerVersion', 'binaryChecksum', 'stackTrace']);
/** A worker's own queue carries its process id and host. */
const OWN_QUEUE = /^\d+@[\w.-]+/;

/** A history as plain JSON, one event per entry: without the names of machines and without paths. */
export function plainEvents(history: RecordedHistory): unknown[] {
  const plain = History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String });
  const kept = Events.parse(
    JSON.parse(JSON.stringify(plain), (key, value: unknown) => {
      if (MACHINE.has(key)) return undefined;
      return typeof value === 'string' ? value.replace(OWN_QUEUE, 'own-queue') : value;
    }),
  );
  return kept.events;
}

/** A history as it is kept, with a line for each event. */
export function toRecording(workflowId: string, history: RecordedHistory): string {
  const events = plainEvents(history).map((event) => JSON.stringify(event));
  return `{"workflowId":${JSON.stringify(workflowId)},"history":{"events":[\n${events.join(',\n')}\n]}}\n`;
}

/** Names of what is recorded. */
export const recordedNames = (): string[] =>
  readdirSync(HISTORIES)
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.basename(file, '.json'))
    .sort();

/** The text of a recording, as it is kept. */
export const readRecording = (name: string): string => readFileSync(path.join(HISTORIES, `${name}.json`), 'utf8');

export function parseRecording(text: string): { workflowId: string; history: RecordedHistory } {
  const { workflowId, history } = Recording.parse(JSON.parse(text));
  return { workflowId, history: History.fromObject(history) };
}
