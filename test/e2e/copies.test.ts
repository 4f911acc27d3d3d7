/** Copies (`cc` and `bcc`) with a worker and a mail server: one SMTP transaction each, with the same bytes. */
import { expect, test } from 'vitest';
import { parse, useDelivery } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';

const delivery = useDelivery();

test('the recipient and each address in cc and bcc receive the same bytes, in this order', async () => {
  const project = await delivery.project();
  await delivery.send(project, {
    to: { name: 'Ada', email: 'ada@x.test' },
    cc: [{ name: 'Grace Hopper', email: 'grace@x.test' }],
    bcc: ['archive@x.test', 'ada@x.test'],
    subject: 'Hello {{ name }}',
    body: '<p>Hi {{ name }}, <a href="https://shop.example.com">look</a></p>',
    data: { name: 'Ada' },
  });
  const { mails } = delivery.sink;
  await eventually(() => expect(mails).toHaveLength(4));
  expect(mails.map(({ to }) => to)).toEqual(['ada@x.test', 'grace@x.test', 'archive@x.test', 'ada@x.test']);
  expect(new Set(mails.map(({ raw }) => raw.toString()))).toHaveProperty('size', 1);
  const [first] = mails;
  if (!first) throw new Error('No mail');
  const { to, cc, bcc, subject } = await parse(first);
  expect([to, cc].flat().map((field) => field?.text)).toEqual(['"Ada" <ada@x.test>', '"Grace Hopper" <grace@x.test>']);
  expect(bcc).toBeUndefined();
  expect(subject).toBe('Hello Ada');
});

test('a copy that is refused fails alone', async () => {
  const project = await delivery.project();
  delivery.sink.answer((to) => (to === 'full@x.test' ? { code: 552, message: 'Mailbox full' } : null));
  const ids = await delivery.send(project, { to: 'ada@x.test', cc: ['full@x.test', 'eve@x.test'] });
  await eventually(async () =>
    expect(await Promise.all(ids.map(async (id) => (await delivery.email(project, id)).status))).toEqual([
      'SENT',
      'FAILED',
      'SENT',
    ]),
  );
});
