/** UPLOADS_URL: `file:<folder>` or `s3://bucket/prefix?endpoint=…&region=…`. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DiskLocation {
  kind: 'disk';
  /** Absolute. */
  folder: string;
}

export interface S3Location {
  kind: 's3';
  bucket: string;
  /** Prepended to every key. Empty, or ends with a slash. */
  prefix: string;
  /** The address of a server other than Amazon's. */
  endpoint: string | null;
  region: string;
}

/** @throws Error with the valid forms of UPLOADS_URL */
export function parseUploadsUrl(text: string): DiskLocation | S3Location {
  if (text.startsWith('file:')) {
    const folder = text.startsWith('file://') ? fileURLToPath(text) : text.slice('file:'.length);
    if (folder !== '') return { kind: 'disk', folder: path.resolve(folder) };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || url.hostname === '')
    throw new Error('must be file:<folder>, or s3://bucket?endpoint=…&region=…');
  if (url.username !== '' || url.password !== '')
    throw new Error(
      'must not contain credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use the role of the machine.',
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
