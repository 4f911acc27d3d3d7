/** Blocks of designs that are saved under a name. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { Block, checkLimits } from '../../../packages/email-blocks/src/index.js';
import type { ApiContext } from '../../context.js';
import {
  createSavedBlock,
  deleteSavedBlock,
  listSavedBlocks,
  MAX_SAVED_BLOCKS,
  updateSavedBlock,
} from '../../domain/content/saved-blocks.js';
import { IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const SIGNATURE = [{ id: 'signature', type: 'text', content: [{ type: 'text', text: 'Your team at Shop' }] }];

const SavedBlock = z
  .object({
    id: z.string(),
    name: z.string(),
    blocks: z.array(Block).meta({ examples: [SIGNATURE] }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'SavedBlock' });

const name = z.string().trim().min(1).max(100).describe('Unique in the project.');
const blocks = z
  .array(Block)
  .min(1)
  .meta({
    description: 'The limits of a design hold. An error names its place, such as `blocks.0.columns.0.1.src`.',
    examples: [SIGNATURE],
  });

const CreateBody = z.object({ name, blocks }).superRefine(checkLimits);
const UpdateBody = z
  .object({ name: name.optional(), blocks: blocks.optional() })
  .superRefine((body, issues) => checkLimits({ blocks: body.blocks ?? [] }, issues));

const tags = ['Templates'];

export const savedBlockRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/saved-blocks',
    {
      schema: {
        tags,
        summary: 'List saved blocks',
        description: 'Returns all of them by name.',
        response: { 200: z.object({ data: z.array(SavedBlock) }) },
      },
    },
    async ({ project }) => ({ data: await listSavedBlocks(ctx, project.id) }),
  );

  app.post(
    '/saved-blocks',
    {
      schema: {
        tags,
        summary: 'Save blocks',
        description:
          'Saves blocks of a design under a name, to insert copies of them into other designs. Returns 409 if the ' +
          `name exists, or if the project has ${MAX_SAVED_BLOCKS} saved blocks.`,
        body: CreateBody,
        response: { 201: SavedBlock },
      },
    },
    async ({ project, body }, reply) => reply.code(201).send(await createSavedBlock(ctx, project.id, body)),
  );

  app.patch(
    '/saved-blocks/:id',
    {
      schema: {
        tags,
        summary: 'Update saved blocks',
        description: 'Changes only the given fields. Designs that have copies stay the same.',
        params: IdParams,
        body: UpdateBody,
        response: { 200: SavedBlock },
      },
    },
    async ({ project, params, body }) => updateSavedBlock(ctx, project.id, params.id, body),
  );

  app.delete(
    '/saved-blocks/:id',
    {
      schema: {
        tags,
        summary: 'Delete saved blocks',
        description: 'Designs that have copies stay the same.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ project, params }, reply) => {
      await deleteSavedBlock(ctx, project.id, params.id);
      return reply.code(204).send(null);
    },
  );
};
