/** The layout of designs in Chromium, on a phone and on a desktop, in light and in dark mode. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toHtml } from '../../packages/email-blocks/src/index.js';
import { renderTemplate } from '../../src/mail/render.js';
import { hasChromium, launchChromium } from '../helpers/chromium.js';
import { BRAND, EVERY_BLOCK, RIGHT_TO_LEFT } from '../helpers/designs.js';

const LONG_WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
/** A wide image, so that images must be scaled down. */
const IMAGE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="600"><rect width="1200" height="600"/></svg>';

describe.runIf(hasChromium())('in Chromium', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage();
    await page.route('**/*', (route) => route.fulfill({ contentType: 'image/svg+xml', body: IMAGE }));
  });
  afterAll(() => browser.close());

  const show = async (design: typeof EVERY_BLOCK, width: number, colorScheme: 'light' | 'dark' = 'light') => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const variables = { firstName: LONG_WORD, data: { plan: 'pro "%}" <b>' } };
    await page.setContent(renderTemplate(toHtml(design, BRAND), variables, { escape: 'html' }), { waitUntil: 'load' });
  };
  const styleOf = (selector: string, property: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`);
  const boxOf = async (text: string) => {
    const box = await page.getByText(text, { exact: true }).boundingBox();
    if (!box) throw new Error(`"${text}" is not shown.`);
    return box;
  };

  test.each([320, 375, 600, 1200])('nothing is wider than a screen of %i pixels', async (width) => {
    for (const design of [EVERY_BLOCK, RIGHT_TO_LEFT]) {
      await show(design, width);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const images = await page.locator('img').all();
      for (const image of images)
        expect((await image.boundingBox())?.width ?? 0).toBeLessThanOrEqual(Math.min(width, 552));
    }
  });

  test('columns are side by side on 600 pixels', async () => {
    await show(EVERY_BLOCK, 600);
    const [one, two, three] = [await boxOf('One'), await boxOf('Two'), await boxOf('Three')];
    expect(two.x).toBeGreaterThanOrEqual(one.x + one.width);
    expect(three.x).toBeGreaterThanOrEqual(two.x + two.width);
    expect(Math.abs(two.y - three.y)).toBeLessThan(1);
    // The text of the first and of the last column end at the sides of the content.
    expect([one.x, three.x + three.width]).toEqual([24, 576]);
  });

  test('columns are one below the other, over the whole width, on 320 pixels', async () => {
    await show(EVERY_BLOCK, 320);
    const boxes = [await boxOf('One'), await boxOf('Two'), await boxOf('Three')];
    for (const box of boxes) expect([box.x, box.width]).toEqual([24, 272]);
    const tops = boxes.map(({ y }) => y);
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    expect(new Set(tops).size).toBe(3);
  });

  test('a design from right to left begins at the right', async () => {
    await show(RIGHT_TO_LEFT, 600);
    expect(await styleOf('h2', 'textAlign')).toBe('right');
    const button = await page.getByRole('link', { name: 'شراء' }).boundingBox();
    expect(button?.x).toBe(24);
  });

  test.each(['light', 'dark'] as const)('all text can be read in %s mode', async (mode) => {
    await show(EVERY_BLOCK, 600, mode);
    const texts = await page.evaluate<Array<{ text: string; contrast: number }>>(MEASURE_CONTRAST);
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
  });

  test('dark mode darkens page and content, and keeps the background of a block', async () => {
    await show(EVERY_BLOCK, 600, 'dark');
    expect(await styleOf('body', 'backgroundColor')).toBe('rgb(17, 17, 19)');
    expect(await styleOf('.sl-content', 'backgroundColor')).toBe('rgb(28, 28, 31)');
    expect(await styleOf('td[bgcolor="#fef3c7"]', 'backgroundColor')).toBe('rgb(254, 243, 199)');
  });

  test('the preheader is not visible', async () => {
    await page.setContent(toHtml(EVERY_BLOCK, BRAND, { preheader: 'New ferns' }));
    expect(await page.getByText('New ferns').isVisible()).toBe(false);
  });
});

/** Returns the WCAG contrast of each text with the closest background. */
const MEASURE_CONTRAST = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    const color = parse(getComputedStyle(element).backgroundColor);
    return color.length === 4 && color[3] === 0 ? backgroundOf(element.parentElement) : color;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (data.trim().replaceAll('\\u200b', '') === '' || !parentElement.checkVisibility()) continue;
    const [a, b] = [luminance(parse(getComputedStyle(parentElement).color)), luminance(backgroundOf(parentElement))];
    texts.push({ text: data, contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) });
  }
  return texts;
})()`;
