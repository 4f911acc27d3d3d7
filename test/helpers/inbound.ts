/** An API, a worker with the SMTP listener, a sink, and a DNS that leads test domains to it. */
import { afterAll } from 'vitest';
import { freePort } from '../../packages/embedded/src/ports.js';
import type { TestProject } from './api.js';
import { useDelivery, type Delivery, type ReceivedMail } from './delivery.js';
import { startZone, type TestZone } from './dns.js';
import { eventually } from './eventually.js';
import { sendTo } from './smtp-client.js';

/** The host that return paths and MX records lead to, as PUBLIC_URL says it in tests. */
export const MAIL_HOST = 'mail.sendloom.test';

export interface Inbound extends Delivery {
  port: number;
  zone: TestZone;
  /** A project whose domain's bounces come to the listener, and with `mx` its mail too. */
  receiving: (options?: { mx?: string | null }) => Promise<TestProject>;
  /** Sends a mail to the listener. @returns its answer */
  deliver: (from: string, to: string | string[], mail: string | Buffer) => Promise<string>;
  /** Sends one mail of the project, and waits for what the mail server gets. */
  mailed: (project: TestProject, body?: Record<string, unknown>) => Promise<{ id: string; mail: ReceivedMail }>;
  /** Data and more of the project's events of that name, the oldest first. */
  eventsOf: (
    project: TestProject,
    name?: string,
  ) => Promise<Array<{ contactId: string | null; emailId: string | null; data: Record<string, unknown> }>>;
  contact: (project: TestProject, email: string) => Promise<{ id: string; subscribed: boolean } | null>;
}

/** Call it at the top of a file, awaited: the ports must be known before anything starts. */
export async function useInbound(
  environment: Record<string, string> = {},
  { worker = true }: { worker?: boolean } = {},
): Promise<Inbound> {
  const port = await freePort();
  const zone = await startZone();
  afterAll(() => zone.stop());
  const delivery = useDelivery({
    environment: { INBOUND_SMTP_PORT: String(port), DNS_SERVERS: zone.server, ...environment },
    worker,
  });
  let counter = 0;
  return Object.assign(delivery, {
    port,
    zone,
    async receiving({ mx = MAIL_HOST }: { mx?: string | null } = {}) {
      const project = await delivery.project();
      const records = [
        {
          type: 'CNAME',
          name: `bounces.${project.domain}`,
          value: MAIL_HOST,
          purpose: 'RETURN_PATH',
          required: false,
          status: 'VERIFIED',
        },
      ];
      await delivery.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { records } });
      if (mx !== null) zone.publish([{ name: project.domain, type: 'MX', value: mx, priority: 10 }]);
      return project;
    },
    async deliver(from: string, to: string | string[], mail: string | Buffer) {
      // The worker's listener may still be on its way.
      return eventually(() => sendTo(port, from, to, mail));
    },
    async mailed(project: TestProject, body: Record<string, unknown> = {}) {
      const to = `reader${counter++}@x.test`;
      const [id = ''] = await delivery.send(project, { to, subscribed: true, ...body });
      const mail = await eventually(() => {
        const [first] = delivery.sink.to(to);
        if (!first) throw new Error('Nothing has arrived');
        return first;
      });
      return { id, mail };
    },
    async eventsOf(project: TestProject, name = 'email.received') {
      const rows = await delivery.ctx.prisma.event.findMany({
        where: { projectId: project.id, name },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      return rows.map(({ contactId, emailId, data }) => ({
        contactId,
        emailId,
        data: typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {},
      }));
    },
    contact: (project: TestProject, email: string) =>
      delivery.ctx.prisma.contact.findUnique({
        where: { projectId_email: { projectId: project.id, email } },
        select: { id: true, subscribed: true },
      }),
  });
}
