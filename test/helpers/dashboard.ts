/** The dashboard in Chromium, served by a real API on a database of its own. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { buildDashboard } from '../../scripts/build.mjs';
import type { ApiContext } from '../../src/context.js';
import { insertProject, useApi, type TestApi, type TestProject } from './api.js';
import { launchChromium } from './chromium.js';
import type { Cluster } from './cluster.js';
import { eventually } from './eventually.js';
import { PASSWORD } from './session.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Dashboard {
  /** The API of the pages. With a worker, it is a process of its own. */
  origin: () => string;
  ctx: () => ApiContext;
  /** The API in this process; undefined with a worker. */
  api: TestApi | undefined;
  /** Opens a page of the dashboard in a browser without cookies: `/auth/login`. */
  open: (path: string, options?: BrowserContextOptions) => Promise<Page>;
  /** A new user with a project, which has a verified domain. */
  member: (options?: { role?: 'OWNER' | 'ADMIN' | 'MEMBER' }) => Promise<Member>;
}

/** A signed-in user and a project. */
export interface Member {
  email: string;
  project: TestProject;
  /** A request with the secret key of the project. @throws unless it succeeds */
  call: <Data>(method: string, path: string, body?: unknown) => Promise<Data>;
  /** Opens a page of the project as this user: `/contacts`. */
  open: (path?: string, options?: BrowserContextOptions) => Promise<Page>;
}

/** What Chromium says when the frame of an email blocks a script or a remote image, as it must. */
const BLOCKED_IN_EMAIL = /^Blocked script execution in 'about:srcdoc'|directive: "img-src data:"/;

/** How long a test waits for something on a page: as long as `expect.poll`, for a loaded machine. */
const PATIENCE_MS = 30_000;

/** Pages whose stream is connected. */
const livePages = new WeakSet<Page>();

/**
 * Builds the dashboard, and sets up an API and a browser for a test file. An error in a page's console fails the file.
 *
 * @param cluster returns a running cluster, for pages that need a worker: `useDashboard(useCluster())`. Its processes
 *   run `dist/`, which the test run builds first.
 */
export function useDashboard(cluster?: () => Cluster): Dashboard {
  const messages: string[] = [];
  // Before the API, which serves the files only if they exist when it starts.
  if (!cluster) beforeAll(async () => void (await buildDashboard()));
  const api = cluster ? undefined : useApi();
  let browser: Browser | undefined;
  let origin = '';
  beforeAll(async () => {
    origin = cluster?.().api.url ?? (await api?.app.listen({ host: '127.0.0.1', port: 0 })) ?? '';
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    expect(messages).toEqual([]);
  });

  const openContext = async (options: BrowserContextOptions): Promise<BrowserContext> => {
    if (!browser) throw new Error('The browser is started in beforeAll');
    const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    context.on('page', (page) => {
      page.on('pageerror', (error) => messages.push(String(error)));
      page.on('console', (message) => {
        // Chromium reports every response with an error status, which the pages show themselves.
        const isStatus = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isStatus && !BLOCKED_IN_EMAIL.test(message.text()))
          messages.push(message.text());
      });
    });
    return context;
  };
  const openPage = async (context: BrowserContext, path: string): Promise<Page> => {
    const page = await context.newPage();
    page.on('response', (response) => {
      if (response.ok() && /\/projects\/[^/]+\/stream\?/.test(response.url())) livePages.add(page);
    });
    await page.goto(`${origin}/app${path}`);
    return page;
  };
  const ctx = (): ApiContext => {
    const found = cluster?.().ctx ?? api?.ctx;
    if (!found) throw new Error('The API is set up in beforeAll');
    return found;
  };

  return {
    api,
    origin: () => origin,
    ctx,
    open: async (path, options = {}) => openPage(await openContext(options), path),
    async member({ role = 'OWNER' } = {}) {
      const email = `${randomBytes(6).toString('hex')}@users.test`;
      const { id, token } = await signUp(origin, email);
      const project = await insertProject(ctx());
      await ctx().prisma.membership.create({ data: { userId: id, projectId: project.id, role } });
      return {
        email,
        project,
        call: (method, path, body) => call(`${origin}${path}`, method, project.secret, body),
        async open(path = '', options = {}) {
          const context = await openContext(options);
          await context.addCookies([{ name: 'token', value: token, url: origin, httpOnly: true, sameSite: 'Lax' }]);
          return openPage(context, `/projects/${project.id}${path}`);
        },
      };
    },
  };
}

async function signUp(origin: string, email: string): Promise<{ id: string; token: string }> {
  const response = await fetch(`${origin}/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const text = await response.text();
  const token = /\btoken=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1];
  if (!response.ok || token === undefined) throw new Error(`The sign-up failed: ${response.status} ${text}`);
  return { ...z.object({ id: z.string() }).parse(JSON.parse(text)), token };
}

async function call<Data>(url: string, method: string, secret: string, body: unknown): Promise<Data> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  // The test names the type that the API documents.
  return (text === '' ? undefined : JSON.parse(text)) as Data;
}

/** Waits until the stream of a page is connected. What happens from then on is shown without a reload. */
export async function untilLive(page: Page): Promise<void> {
  await expect.poll(() => livePages.has(page)).toBe(true);
}

/** Waits until a page and its frames have loaded everything. */
export async function untilComplete(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await expect.poll(() => page.locator('.animate-pulse').count()).toBe(0);
  // Repeated, because a page may replace a frame in the meantime.
  await eventually(async () => {
    for (const frame of page.frames()) await frame.waitForLoadState('load');
  });
}

/** Fails if the page is wider than the window, as on a phone, and names the page and what is too wide. */
export async function expectNoOverflow(page: Page): Promise<void> {
  // A chart takes its new width after the window has changed.
  await expect.poll(() => findOverflow(page)).toEqual([]);
}

/** Returns the page and what is wider than the window; nothing if all of it fits. */
export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(`document.documentElement.scrollWidth <= innerWidth ? [] : [
    location.pathname,
    ...[...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .slice(0, 5).map((element) => element.outerHTML.slice(0, 120)),
  ]`);

/** A phone, for `open`. */
export const PHONE = { viewport: { width: 390, height: 844 } };

/** Writes a picture of the page into the folder of the environment variable SHOTS, if it is set. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

const AXE_TRIES = 4;
const AXE_PAUSE_MS = 500;

/**
 * Returns the accessibility problems that axe finds in a page and that last: a control that is enabled during the analysis is
 * measured in both states.
 *
 * @param rules default: all
 */
export async function findAccessibilityProblems(page: Page, rules?: string[]): Promise<string[]> {
  let problems = await runAxe(page, rules);
  for (let tries = 1; tries < AXE_TRIES && problems.length > 0; tries++) {
    await page.waitForTimeout(AXE_PAUSE_MS);
    problems = await runAxe(page, rules);
  }
  return problems;
}

async function runAxe(page: Page, rules?: string[]): Promise<string[]> {
  // A color in the middle of a transition has another contrast.
  const countTransitions = (): Promise<unknown> =>
    page.evaluate('document.getAnimations().filter((one) => one instanceof CSSTransition).length');
  await expect.poll(countTransitions).toBe(0);
  // The policy of the pages forbids script elements, but not what the browser's debugger evaluates.
  await page.evaluate(AXE);
  const violations = Violations.parse(
    await page.evaluate(
      `axe.run(${JSON.stringify(rules ? { runOnly: rules } : {})}).then(({ violations }) => violations)`,
    ),
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const Violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));
