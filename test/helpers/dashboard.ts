/** The dashboard in Chromium, served by a real API on a database of its own. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { build } from '../../scripts/build.mjs';
import { useApi, type TestApi } from './api.js';
import { launchChromium } from './chromium.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Dashboard {
  api: TestApi;
  /** Opens a page of the dashboard in a browser without cookies: `/auth/login`. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Builds the dashboard, and sets up an API and a browser for a test file. A message in a page's console fails the file. */
export function useDashboard(): Dashboard {
  const api = useApi();
  const messages: string[] = [];
  let browser: Browser | undefined;
  let origin = '';
  beforeAll(async () => {
    await build();
    origin = await api.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    expect(messages).toEqual([]);
  });
  return {
    api,
    async open(path, options = {}) {
      if (!browser) throw new Error('The browser is started in beforeAll');
      const context = await browser.newContext({ locale: 'en-US', ...options });
      const page = await context.newPage();
      page.on('pageerror', (error) => messages.push(String(error)));
      page.on('console', (message) => {
        // Chromium reports every response with an error status, which the pages show themselves.
        const isStatus = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isStatus) messages.push(message.text());
      });
      await page.goto(`${origin}/app${path}`);
      return page;
    },
  };
}

/** Returns the accessibility problems that axe finds in a page. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  // The policy of the pages forbids script elements, but not what the browser's debugger evaluates.
  await page.evaluate(AXE);
  const violations = Violations.parse(await page.evaluate('axe.run().then(({ violations }) => violations)'));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const Violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));
