import { describe, expect, test } from 'vitest';
import { imageTypeOf } from '../../src/domain/uploads/image.js';
import { IMAGES, pngWith } from '../helpers/images.js';

const FORMATS = Object.keys(IMAGES) as Array<keyof typeof IMAGES>;
const ZIP_END = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);

describe('the type of an upload by its content', () => {
  test.each(FORMATS)('detects a complete %s', async (format) => {
    expect((await imageTypeOf(IMAGES[format]))?.extension).toBe(format);
  });

  test.each(FORMATS)('accepts a %s that is truncated after its signature or padded with zeros', async (format) => {
    for (const bytes of [
      IMAGES[format].subarray(0, 16),
      IMAGES[format].subarray(0, -3),
      Buffer.concat([IMAGES[format].subarray(0, 16), Buffer.alloc(5000)]),
      Buffer.concat([IMAGES[format], Buffer.alloc(5000)]),
    ]) {
      expect((await imageTypeOf(bytes))?.extension).toBe(format);
    }
    expect(await imageTypeOf(IMAGES[format].subarray(0, 2))).toBeNull();
  });

  test.each(FORMATS)('a %s followed by an archive, a page, or a PDF is not an image', async (format) => {
    const tails = [ZIP_END, Buffer.from('<html onload=alert(1)></html>'), Buffer.from('%PDF-1.7\n')];
    for (const tail of tails)
      for (const gap of [0, 9])
        expect(
          await imageTypeOf(Buffer.concat([IMAGES[format], Buffer.alloc(gap), tail])),
          tail.toString('latin1'),
        ).toBeNull();
  });

  test.each(FORMATS)(
    'accepts a %s followed by unknown bytes, such as the data that phones append to photos',
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

  test('accepts a file that has only the signature of an image', async () => {
    const starts = {
      png: '\x89PNG\r\n\x1a\n',
      jpg: '\xff\xd8\xff\xe0\0\x10JFIF\0',
      gif: 'GIF89a',
      webp: 'RIFF\0\0\0\0WEBPVP8 ',
    };
    for (const format of FORMATS)
      expect((await imageTypeOf(Buffer.from(`${starts[format]} and no more of it`, 'latin1')))?.extension).toBe(format);
  });

  test('rejects an image that contains a page, a script, or a PDF', async () => {
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

  test('rejects an image with an archive in its last chunk', async () => {
    expect(await imageTypeOf(pngWith(ZIP_END.toString('latin1')))).toBeNull();
  });

  test('accepts images of cameras: with metadata, a second JPEG, or trailing zeros', async () => {
    expect(await imageTypeOf(pngWith('<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">'))).not.toBeNull();
    expect(await imageTypeOf(Buffer.concat([IMAGES.jpg, IMAGES.jpg, Buffer.alloc(16)]))).not.toBeNull();
  });

  test('rejects SVG, text, BMP, PDF, and an empty file', async () => {
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
