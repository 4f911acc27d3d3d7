/** UPLOADS_URL: `file:<folder>` or `s3://bucket/prefix?endpoint=…&region=…`. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DiskPlace {
  kind: 'disk';
  /** Absolute. */
  folder: string;
}

export interface S3Place {
  kind: 's3';
  bucket: string;
  /** Before every key; empty, or with a slash at its end. */
  prefix: string;
  /** Of a server that is not Amazon's. */
  endpoint: string | null;
  region: string;
}

/** @throws Error that says what an UPLOADS_URL looks like */
export function parseUploadsUrl(text: string): DiskPlace | S3Place {
  if (text.startsWith('file:')) {
    const folder = text.startsWith('file://') ? fileURLToPath(text) : text.slice('file:'.length);
    if (folder !== '') return { kind: 'disk', folder: path.resolve(folder) };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || url.hostname === '')
    throw new Error('must be file:<folder>, or s3://bucket?endpoint=…&region=…');
  if (url.username !== '' || url.password !== '')
    throw new Error(
      'must not hold credentials: they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from where the machine has them',
    );
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    throw new Error('its endpoint must be an http or https address');
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? 'us-east-1',
  };
}
