/** Stores uploads in a bucket of S3 or of a compatible server. The library is loaded at the first use. */
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { checkFolder, checkKey, type Storage } from './storage.js';
import type { S3Location } from './url.js';

type Library = typeof import('@aws-sdk/client-s3');

const MAX_CONCURRENT_DELETES = 20;

export function createS3Storage({ bucket, prefix, endpoint, region }: S3Location): Storage {
  let loading: Promise<{ library: Library; client: S3Client }> | null = null;

  const load = async (): Promise<{ library: Library; client: S3Client }> => {
    const library = await import('@aws-sdk/client-s3');
    const client = new library.S3Client({
      region,
      // Most compatible servers require the bucket in the path and reject the library's new default checksums.
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 3000, requestTimeout: 15_000 },
    });
    return { library, client };
  };
  const s3 = (): Promise<{ library: Library; client: S3Client }> => (loading ??= load());

  return {
    async put(key, content, contentType) {
      const { library, client } = await s3();
      await client.send(
        new library.PutObjectCommand({
          Bucket: bucket,
          Key: prefix + checkKey(key),
          Body: content,
          ContentType: contentType,
          ContentLength: content.length,
        }),
      );
    },

    async get(key) {
      const { library, client } = await s3();
      try {
        const { Body, ContentLength } = await client.send(
          new library.GetObjectCommand({ Bucket: bucket, Key: prefix + checkKey(key) }),
        );
        if (!(Body instanceof Readable)) throw new Error('The object storage returned no content');
        return { body: Body, size: ContentLength ?? null };
      } catch (error) {
        if (
          error instanceof library.NoSuchKey ||
          (error instanceof library.S3ServiceException && error.$metadata.httpStatusCode === 404)
        )
          return null;
        throw error;
      }
    },

    async removeFolder(folder) {
      const { library, client } = await s3();
      for (;;) {
        const { Contents } = await client.send(
          new library.ListObjectsV2Command({
            Bucket: bucket,
            Prefix: `${prefix}${checkFolder(folder)}/`,
            MaxKeys: 1000,
          }),
        );
        if (!Contents?.length) return;
        // One by one: bulk deletion requires a checksum that some servers do not support.
        for (let offset = 0; offset < Contents.length; offset += MAX_CONCURRENT_DELETES) {
          await Promise.all(
            Contents.slice(offset, offset + MAX_CONCURRENT_DELETES).map(({ Key }) =>
              client.send(new library.DeleteObjectCommand({ Bucket: bucket, Key })),
            ),
          );
        }
      }
    },
  };
}
