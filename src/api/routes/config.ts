/** The public configuration, which a dashboard reads before the login. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Config } from '../../config.js';
import type { ApiContext } from '../../context.js';
import { signInProviders } from '../../domain/accounts/providers.js';
import { MAX_IMAGE_BYTES } from '../../domain/uploads/uploads.js';
import { packageVersion } from '../../package-folder.js';
import { MAX_RECIPIENTS } from './send.js';
import { withTypes } from '../typed.js';

const MEGABYTE = 1024 * 1024;

const ConfigReply = z
  .object({
    version: z.string(),
    environment: z.string(),
    urls: z.object({ api: z.string(), dashboard: z.string() }),
    features: z.object({
      billing: z.boolean(),
      storage: z
        .boolean()
        .describe('Whether uploads are stored in object storage. Otherwise, they are stored on the local disk.'),
      authProviders: z.object({ google: z.boolean(), github: z.boolean() }),
      smtp: z.boolean(),
      signups: z.boolean(),
    }),
    limits: z.object({
      importBytes: z.int().describe('The size of an imported file.'),
      imageBytes: z.int().describe('The size of an uploaded image.'),
      attachments: z.int().describe('The attachments of an email.'),
      attachmentBytes: z.int().describe('The decoded size of all attachments of an email together.'),
      recipients: z.int().describe('The recipients of one `POST /v1/send`.'),
    }),
    links: z.object({
      docs: z.string().describe('The API reference.'),
      inbox: z.string().nullable().describe('The inbox of the embedded SMTP server, or null without it.'),
      temporal: z
        .string()
        .nullable()
        .describe("Temporal's Web UI: that of the embedded server or `TEMPORAL_UI_URL`, otherwise null."),
      temporalWorkflows: z
        .string()
        .nullable()
        .describe("The start of the address of a workflow in Temporal's Web UI. The id follows, percent-encoded."),
    }),
  })
  .meta({ id: 'Configuration' });

export const configRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const { config } = ctx;
  const version = packageVersion();

  withTypes(instance).get(
    '/config',
    {
      config: { auth: 'none' },
      schema: {
        tags: ['Configuration'],
        summary: 'Retrieve the configuration',
        description: 'What this installation offers, its limits, and its pages. Requires no credential.',
        response: { 200: ConfigReply },
      },
    },
    async () => ({
      version,
      environment: config.NODE_ENV,
      urls: { api: config.PUBLIC_URL, dashboard: config.DASHBOARD_URL },
      features: {
        billing: Boolean(config.STRIPE_SECRET_KEY),
        storage: Boolean(config.UPLOADS_URL?.startsWith('s3:')),
        authProviders: signInProviders(config),
        smtp: Boolean(config.SMTP_URL),
        signups: !config.DISABLE_SIGNUPS,
      },
      limits: {
        importBytes: config.IMPORT_MAX_MB * MEGABYTE,
        imageBytes: MAX_IMAGE_BYTES,
        attachments: config.MAX_ATTACHMENTS,
        attachmentBytes: config.MAX_ATTACHMENTS_MB * MEGABYTE,
        recipients: MAX_RECIPIENTS,
      },
      links: {
        docs: `${config.PUBLIC_URL}/docs`,
        inbox: config.INBOX_URL ?? null,
        temporal: config.TEMPORAL_UI_URL ?? null,
        temporalWorkflows: workflowsAddress(config),
      },
    }),
  );
};

const workflowsAddress = ({ TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: Config): string | null =>
  TEMPORAL_UI_URL === undefined
    ? null
    : `${TEMPORAL_UI_URL.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(TEMPORAL_NAMESPACE)}/workflows/`;
