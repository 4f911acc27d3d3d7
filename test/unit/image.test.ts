import { describe, expect, test } from 'vitest';
import { imageTypeOf } from '../../src/domain/uploads/image.js';
import { IMAGES, pngWith } from '../helpers/images.js';

const FORMATS = Object.keys(IMAGES) as Array<keyof typeof IMAGES>;
const ZIP_END = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);

describe('what an upload is, by its content', () => {
  test.each(FORMATS)('a whole %s is one', async (format) => {
    expect((await imageTypeOf(IMAGES[format]))?.extension).toBe(format);
  });

  test.each(FORMATS)(
    'a %s that is cut off anywhere behind its signature is one, and so is one that is filled up with zeros',
    async (format) => {
      for (const bytes of [
        IMAGES[format].subarray(0, 16),
        IMAGES[format].subarray(0, -3),
        Buffer.concat([IMAGES[format].subarray(0, 16), Buffer.alloc(5000)]),
        Buffer.concat([IMAGES[format], Buffer.alloc(5000)]),
      ]) {
        expect((await imageTypeOf(bytes))?.extension).toBe(format);
      }
      expect(await imageTypeOf(IMAGES[format].subarray(0, 2))).toBeNull();
    },
  );

  test.each(FORMATS)('a %s with an archive, a page or a program behind it is none', async (format) => {
    const tails = [
      ZIP_END,
      Buffer.from('Rar!\x1a\x07\x01\0', 'latin1'),
      Buffer.from('\x7fELF\x02\x01\x01', 'latin1'),
      Buffer.from('<html onload=alert(1)></html>'),
      Buffer.from('%PDF-1.7\n'),
    ];
    for (const tail of tails)
      for (const gap of [0, 9])
        expect(
          await imageTypeOf(Buffer.concat([IMAGES[format], Buffer.alloc(gap), tail])),
          tail.toString('latin1'),
        ).toBeNull();
  });

  test.each(FORMATS)(
    'a %s with bytes behind it that nobody knows is one: what phones write behind a photo, what fills a file up',
    async (format) => {
      const film = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypmp42\0\0\0\0mp42isom')]);
      for (const tail of [
        Buffer.from('x'),
        Buffer.from('\n'),
        Buffer.alloc(5000, 0xff),
        Buffer.alloc(5000, 'a'),
        Buffer.from('\0\0\x01\x0aSEFHe\0\0\0SEFT', 'latin1'),
        film,
        IMAGES.jpg,
      ]) {
        expect((await imageTypeOf(Buffer.concat([IMAGES[format], tail])))?.extension).toBe(format);
      }
    },
  );

  test('a file of which only the signature is an image is taken for one, and shown as nothing else', async () => {
    const starts = {
      png: '\x89PNG\r\n\x1a\n',
      jpg: '\xff\xd8\xff\xe0\0\x10JFIF\0',
      gif: 'GIF89a',
      webp: 'RIFF\0\0\0\0WEBPVP8 ',
    };
    for (const format of FORMATS)
      expect((await imageTypeOf(Buffer.from(`${starts[format]} and no more of it`, 'latin1')))?.extension).toBe(format);
  });

  test('a file that is a page or a PDF for whoever looks for one is none, though its blocks are those of an image', async () => {
    for (const text of [
      '<script>alert(1)</script>',
      '<?php system($_GET[0]);',
      '<svg onload=alert(1)>',
      '%PDF-1.4',
      '<HTML>',
      `${' '.repeat(5000)}<script>`,
    ])
      expect(await imageTypeOf(pngWith(text)), text).toBeNull();
    expect(await imageTypeOf(Buffer.concat([Buffer.from('GIF89a/*'), Buffer.from('*/=1;alert(1)//')]))).toBeNull();
  });

  test('an archive in the last block of an image is one too', async () => {
    expect(await imageTypeOf(pngWith(ZIP_END.toString('latin1')))).toBeNull();
  });

  test('what cameras write is an image: metadata, a second JPEG behind the first, zeros at the end', async () => {
    expect(await imageTypeOf(pngWith('<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">'))).not.toBeNull();
    expect(await imageTypeOf(Buffer.concat([IMAGES.jpg, IMAGES.jpg, Buffer.alloc(16)]))).not.toBeNull();
  });

  test('nothing else is: SVG, text, BMP, PDF, nothing', async () => {
    for (const text of [
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
      'hello',
      'BM6\0\0\0',
      '%PDF-1.4\n',
      '',
    ])
      expect(await imageTypeOf(Buffer.from(text)), text).toBeNull();
  });
});
