/** Examples for the keys page. */

export const curlSnippet = (url: string, publicKey: string): string =>
  `curl ${url}/v1/track \\
  -H 'Authorization: Bearer ${publicKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"event": "signed_up", "email": "ada@example.com"}'`;

export const clientSnippet = (url: string, publicKey: string): string =>
  `import { createSendloom, unwrap } from '@sendloom/client';

const sendloom = createSendloom({
  baseUrl: '${url}',
  key: '${publicKey}',
});
unwrap(
  await sendloom.POST('/v1/track', {
    body: { event: 'signed_up', email: 'ada@example.com' },
  }),
);`;

/** Standard Webhooks: HMAC-SHA256 of the id, the time, and the body. */
export const verifySnippet = `import { createHmac, timingSafeEqual } from 'node:crypto';

function isFromSendloom(headers, body, secret) {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = \`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\${body}\`;
  const wanted = Buffer.from('v1,' + createHmac('sha256', key).update(signed).digest('base64'));
  return headers['webhook-signature'].split(' ').some((one) => {
    const found = Buffer.from(one);
    return found.length === wanted.length && timingSafeEqual(found, wanted);
  });
}`;
