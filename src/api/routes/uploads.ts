/** Images for the bodies of templates. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { MAX_IMAGE_BYTES, openUpload, uploadImage } from '../../domain/uploads/uploads.js';
import { readFormFile, acceptForms, type FileRules } from '../form-file.js';
import { withTypes } from '../typed.js';

const FILE: FileRules = {
  part: 'image',
  maxBytes: MAX_IMAGE_BYTES,
  tooLarge: 'The image is larger than 10 MB.',
  once: 'upload one image per request',
};

const UploadReply = z
  .object({
    url: z.string().describe('The public URL of the image. It is valid until the project is deleted.'),
    key: z.string(),
    filename: z.string().describe('The file name that the client sent, without a path.'),
    contentType: z
      .enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
      .describe('The type, detected from the content.'),
    size: z.int().describe('In bytes.'),
  })
  .meta({ id: 'Upload' });

/** For the OpenAPI document only: the handler reads the form. */
const ImageForm = z.unknown().meta({
  id: 'ImageForm',
  type: 'object',
  required: ['image'],
  properties: { image: { type: 'string', format: 'binary' } },
});

const Image = { schema: z.unknown().meta({ type: 'string', format: 'binary' }) };
const Images = { 'image/png': Image, 'image/jpeg': Image, 'image/gif': Image, 'image/webp': Image };

/** The content of a URL never changes. Browsers must not render it as a page or run scripts in it. */
const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // Webmail shows the image on its own pages.
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Returns whether If-None-Match matches (RFC 9110, 13.1.2). Compressing proxies make an ETag weak. */
const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) ?? false;

const tags = ['Uploads'];

export const uploadRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  await instance.register(async (scope) => {
    await acceptForms(scope, FILE);
    withTypes(scope).post(
      '/uploads/image',
      {
        schema: {
          tags,
          summary: 'Upload an image',
          description:
            'Uploads an image for the bodies of templates. Send a form (`multipart/form-data`) with the image in ' +
            'the part `image`: PNG, JPEG, GIF, or WebP, detected from the content, at most 10 MB (413 ' +
            'otherwise). Other content, such as SVG, returns 415. Use the `url` of the response in `<img src>`. ' +
            'It is valid until the project is deleted.',
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
        summary: 'Retrieve an uploaded image',
        description:
          'The target of `url` of an upload. Requires no key. The response may be cached forever, and ' +
          '`If-None-Match` returns 304.',
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
      if (matchesEtag(request.headers['if-none-match'], etag)) {
        body.destroy();
        return reply.code(304).send(null);
      }
      return reply
        .headers({ 'Content-Type': contentType, ...(size !== null && { 'Content-Length': size }) })
        .send(body);
    },
  );
};
