/** Small complete images. */
const of = (base64: string): Buffer => Buffer.from(base64, 'base64');

export const IMAGES = {
  png: of('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  jpg: of(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
  ),
  gif: of('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs='),
  webp: of('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'),
} as const;

/** A PNG with a text chunk of this content and without a valid checksum. */
export function pngWith(text: string): Buffer {
  const content = Buffer.from(text);
  const chunk = Buffer.alloc(12 + content.length);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write('tEXt', 4, 'latin1');
  content.copy(chunk, 8);
  // After IHDR.
  return Buffer.concat([IMAGES.png.subarray(0, 33), chunk, IMAGES.png.subarray(33)]);
}
