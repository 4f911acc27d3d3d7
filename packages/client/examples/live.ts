/** Live updates: `GET /projects/:id/stream`. */
import { openStream, type SendloomOptions } from '../src/index.js';

/** Shows what happens in a project until the given event was tracked. @returns the lines and the last position */
export async function watchUntil(options: SendloomOptions & { projectId: string }, eventName: string) {
  const stream = openStream({ ...options, topics: ['activity', 'campaigns', 'jobs'] });
  const lines: string[] = [];
  for await (const message of stream) {
    switch (message.topic) {
      case 'activity':
        lines.push(`${message.data.type} ${message.data.contactEmail ?? ''}`);
        // Leaving the loop closes the stream.
        if (message.data.metadata.eventName === eventName) return { lines, lastEventId: stream.lastEventId };
        break;
      case 'campaigns':
        lines.push(`${message.data.sentCount} of ${message.data.totalRecipients} sent`);
        break;
      case 'jobs':
        lines.push(`${message.data.kind} ${message.data.progress}%`);
    }
  }
  return { lines, lastEventId: stream.lastEventId };
}

/** Continues where an earlier stream ended, for example after a page was reloaded. @returns the next activity */
export async function nextActivity(options: SendloomOptions & { projectId: string }, lastEventId: string | undefined) {
  for await (const { data } of openStream({ ...options, topics: ['activity'], lastEventId })) return data;
  return null;
}
