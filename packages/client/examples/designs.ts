/** Templates of the block editor, and their versions. */
import { unwrap, type SendloomClient } from '../src/index.js';

/** Creates a template from a design, changes it, and restores its first version. */
export async function designTemplate(sendloom: SendloomClient, from: string) {
  const { id, body } = unwrap(
    await sendloom.POST('/templates', {
      body: {
        name: 'Welcome',
        subject: 'Welcome',
        from,
        type: 'MARKETING',
        design: {
          version: 1,
          blocks: [
            { id: 'title', type: 'heading', level: 1, content: [{ type: 'text', text: 'Welcome' }] },
            { id: 'end', type: 'footer' },
          ],
        },
      },
    }),
  );
  const path = { id };
  unwrap(await sendloom.PATCH('/templates/{id}', { params: { path }, body: { body: '<p>Written by hand</p>' } }));
  const { data } = unwrap(await sendloom.GET('/templates/{id}/versions', { params: { path } }));
  const params = { path: { id, version: '1' } };
  const first = unwrap(await sendloom.GET('/templates/{id}/versions/{version}', { params }));
  const restored = unwrap(await sendloom.POST('/templates/{id}/versions/{version}/restore', { params }));
  unwrap(await sendloom.DELETE('/templates/{id}', { params: { path } }));
  return { versions: data.length, hasSameBody: restored.body === body, editors: [first.editor, restored.editor] };
}

/** Saves a signature, renames it, and writes a template with a copy of it. */
export async function savedBlocks(sendloom: SendloomClient, from: string) {
  const signature = { id: 'signature', type: 'text' as const, content: [{ type: 'text' as const, text: 'Your team' }] };
  const { id } = unwrap(await sendloom.POST('/saved-blocks', { body: { name: 'Signature', blocks: [signature] } }));
  const params = { path: { id } };
  unwrap(await sendloom.PATCH('/saved-blocks/{id}', { params, body: { name: 'Our signature' } }));
  const { data } = unwrap(await sendloom.GET('/saved-blocks'));
  const { body } = unwrap(
    await sendloom.POST('/templates', {
      body: {
        name: 'Signed',
        subject: 'Signed',
        from,
        type: 'MARKETING',
        design: { version: 1, blocks: data.flatMap(({ blocks }) => blocks) },
      },
    }),
  );
  unwrap(await sendloom.DELETE('/saved-blocks/{id}', { params }));
  return { names: data.map(({ name }) => name), isSigned: body?.includes('Your team') };
}
