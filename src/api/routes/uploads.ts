/** Images for the bodies of templates. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { MAX_IMAGE_BYTES, openUpload, uploadImage } from '../../domain/uploads/uploads.js';
import { readFormFile, takeForms, type FileRules } from '../form-file.js';
import { withTypes } from '../typed.js';

const FILE: FileRules = {
  part: 'image',
  maxBytes: MAX_IMAGE_BYTES,
  tooLarge: 'The image is larger than 10 MB.',
  once: 'one image is one upload',
};

const UploadReply = z
  .object({
    url: z.string().describe('Where anybody can have it, for as long as the project is there'),
    key: z.string(),
    filename: z.string().describe('As the client named it, without a path'),
    contentType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']).describe('By its content'),
    size: z.int().describe('In bytes'),
  })
  .meta({ id: 'Upload' });

/** For the document: a form is read by the handler. */
const ImageForm = z.unknown().meta({
  id: 'ImageForm',
  type: 'object',
  required: ['image'],
  properties: { image: { type: 'string', format: 'binary' } },
});

const Image = { schema: z.unknown().meta({ type: 'string', format: 'binary' }) };
const Images = { 'image/png': Image, 'image/jpeg': Image, 'image/gif': Image, 'image/webp': Image };

/**
 * The content of an address never changes, and is never anything but an image: no reader may take it for a page, or run
 * what is in it.
 */
const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // Mail programs in browsers show it in pages of their own.
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/**
 * Whether a reader that has these versions needs none (RFC 9110, 13.1.2): proxies that compress make an ETag a weak
 * one.
 */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) ?? false;

const tags = ['Uploads'];

export const uploadRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  await instance.register(async (scope) => {
    await takeForms(scope, FILE);
    withTypes(scope).post(
      '/uploads/image',
      {
        schema: {
          tags,
          summary: 'Upload an image for the bodies of templates',
          description:
            'A form (`multipart/form-data`) with the image in the part `image`: PNG, JPEG, GIF or WebP by its content, at most 10 MB (else 413). SVG, anything else, and a file that is something else besides an image ' +
            '(an archive behind it, a page in its comment) is a 415. The answer has the address for `<img src>`; it stays until the project is deleted.',
          consumes: ['multipart/form-data'],
          body: ImageForm,
          response: { 201: UploadReply },
        },
      },
      async (request, reply) =>
        reply.code(201).send(await uploadImage(ctx, request.project.id, await readFormFile(request, FILE))),
    );
  });

  withTypes(instance).get(
    '/uploads/:folder/:file',
    {
      config: { auth: 'none' },
      schema: {
        tags,
        summary: 'An uploaded image',
        description:
          'What `url` of an upload leads to. Needs no key. May be kept for ever; with `If-None-Match` it is a 304.',
        params: z.object({ folder: z.string(), file: z.string() }),
        response: {
          200: { description: 'The image.', content: Images },
          304: z.null().describe('The client has this version.'),
        },
      },
    },
    async (request, reply) => {
      const { folder, file } = request.params;
      const { body, size, contentType } = await openUpload(ctx, folder, file);
      const etag = `"${file}"`;
      void reply.headers({ ...HEADERS, ETag: etag, 'Content-Disposition': `inline; filename="${file}"` });
      if (isKnown(request.headers['if-none-match'], etag)) {
        body.destroy();
        return reply.code(304).send(null);
      }
      return reply
        .headers({ 'Content-Type': contentType, ...(size !== null && { 'Content-Length': size }) })
        .send(body);
    },
  );
};
