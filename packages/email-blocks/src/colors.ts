/** Contrast of colors, for text on colored backgrounds and for dark mode. Colors are `#rgb` or `#rrggbb`. */

type Rgb = readonly [number, number, number];

/** WCAG 2.2, criterion 1.4.3: the minimum contrast of text. */
const MIN_CONTRAST = 4.5;
const STEP = 0.05;

/** Returns `#rrggbb` in lower case. */
export const normalizeColor = (color: string): string => toHex(parse(color));

/** Returns black or white, whichever is easier to read on a background. */
export const readableOn = (background: string): string =>
  contrast('#ffffff', background) >= contrast('#111113', background) ? '#ffffff' : '#111113';

/** Returns a color, lightened until text of that color can be read on a dark background. */
export function lightenFor(background: string, color: string): string {
  const rgb = parse(color);
  for (let share = 0; share < 1; share += STEP) {
    const mixed = toHex([mix(rgb[0], share), mix(rgb[1], share), mix(rgb[2], share)]);
    if (contrast(mixed, background) >= MIN_CONTRAST) return mixed;
  }
  return '#ffffff';
}

/** The contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [first, second] = [luminance(parse(one)), luminance(parse(other))];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

const mix = (channel: number, share: number): number => Math.round(channel + (255 - channel) * share);

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parse(color: string): Rgb {
  const digits = color.slice(1);
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const channel = (index: number): number => Number.parseInt(full.slice(index * 2, index * 2 + 2), 16);
  return [channel(0), channel(1), channel(2)];
}

const toHex = (rgb: Rgb): string => `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
