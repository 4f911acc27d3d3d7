/** Rendering of content for previews. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { normalizeAddress } from '../../address.js';
import type { ApiContext } from '../../context.js';
import { createRenderThreads } from '../../domain/content/render-threads.js';
import { renderContent } from '../../domain/content/render.js';
import { editorFields } from '../design-schema.js';
import { Problem } from '../draft-schema.js';
import { ContactData, EmailType, Preheader } from '../schemas.js';
import { withTypes } from '../typed.js';

/** Text of a draft. Empty text counts as missing. */
const text = z
  .string()
  .nullish()
  .transform((value) => value || null);

const RenderBody = z.object({
  subject: text.describe('A template. A missing subject is a problem and not an error.'),
  body: text.describe('HTML with `{{ variable }}` placeholders. Ignored with a `design`.'),
  design: editorFields.design,
  preheader: Preheader,
  type: EmailType.default('MARKETING').describe('MARKETING adds the unsubscribe footer.'),
  from: text
    .transform((value) => (value && normalizeAddress(value)) || null)
    .describe('The address of the sender. Its form and its domain are checked.'),
  contactId: z.string().optional().describe('The contact whose data is printed.'),
  data: ContactData.optional().describe(
    'Values that are printed, as in `POST /v1/send`. They override the data of the contact and are not stored.',
  ),
});

const part = z.string().nullable();

const Rendering = z
  .object({
    subject: part.describe('One line. Null if the subject is missing or does not parse.'),
    html: part.describe('Complete, with preheader and footer, and without tracking. Null if the body does not parse.'),
    text: part.describe('The text alternative that is sent with the HTML.'),
    bytes: z.int().nullable().describe('The size of `html` in UTF-8.'),
    problems: z.array(Problem),
  })
  .meta({ id: 'Rendering' });

export const renderRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const threads = createRenderThreads();
  instance.addHook('onClose', () => threads.close());

  app.post(
    '/render',
    {
      config: { effect: 'read' },
      schema: {
        tags: ['Templates'],
        summary: 'Render a content',
        description:
          'Returns a content as it would be sent, and its problems. Nothing is written or sent. A template that does ' +
          'not parse is a problem with its line and column, and not an error. Problems with the level `error` ' +
          '(`template_syntax`, `missing_subject`, `missing_body`, `missing_sender`, `unverified_sender`) prevent ' +
          'sending. The others are `unknown_variable` (neither a contact of a sample nor `data` has it), ' +
          '`no_unsubscribe_link` (HEADLESS), `missing_postal_address` (MARKETING), `image_without_alt`, ' +
          '`insecure_link`, `empty_link`, and `clipped` (over 102 KB as it is sent, where Gmail clips); at most 20 ' +
          'of each. Links to the pages of a contact lead to the home page, so that a preview cannot unsubscribe ' +
          'anyone. An unknown contact returns 404.',
        body: RenderBody,
        response: { 200: Rendering },
      },
    },
    async ({ project, body: { preheader, ...body } }) =>
      renderContent(ctx, threads, project, { ...body, preheader: preheader ?? null }),
  );
};
