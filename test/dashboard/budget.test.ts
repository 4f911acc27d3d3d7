/** The sizes of the dashboard's files, compressed with gzip, from Vite's manifest. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { buildDashboard } from '../../scripts/build.mjs';

const DIST = fileURLToPath(new URL('../../packages/dashboard/dist/', import.meta.url));
const Chunk = z.object({
  file: z.string(),
  imports: z.array(z.string()).default([]),
  css: z.array(z.string()).default([]),
});
const Manifest = z.record(z.string(), Chunk);

let chunks: z.infer<typeof Manifest> = {};

beforeAll(async () => {
  await buildDashboard();
  chunks = Manifest.parse(JSON.parse(readFileSync(path.join(DIST, '.vite/manifest.json'), 'utf8')));
});

/** Returns a module's chunk and all that it imports statically. */
function chunksOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = chunks[name];
  if (!chunk) throw new Error(`The manifest has no ${name}`);
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of chunk.imports) chunksOf(imported, found);
  return found;
}

const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + statSync(path.join(DIST, `${file}.gz`)).size, 0) / 1024;

const scriptsOf = (names: Iterable<string>): string[] => [...names].map((name) => chunks[name]?.file ?? '');

/** What a user has loaded after the sign-in and on the start page. */
const initialChunks = (): Set<string> => {
  const found = new Set<string>();
  for (const name of ['index.html', 'src/features/accounts/pages.tsx']) chunksOf(name, found);
  return found;
};

test('the application takes at most 180 KB until the frame of the pages is shown', () => {
  expect(kilobytes(scriptsOf(initialChunks()))).toBeLessThanOrEqual(180);
});

test('the styles take at most 20 KB', () => {
  const styles = new Set(Object.values(chunks).flatMap(({ css }) => css));
  expect(kilobytes(styles)).toBeLessThanOrEqual(20);
});

test.each([
  ['the list of contacts', ['src/features/contacts/page.tsx'], 60],
  ['a segment', ['src/features/segments/editor.tsx'], 60],
  ['the chart of the start page', ['../../node_modules/uplot/dist/uPlot.esm.js'], 40],
  ['a workflow with its graph', ['src/features/workflows/detail.tsx', 'src/features/graph/flow.tsx'], 110],
])('%s adds no more than its budget', (_name, modules, limit) => {
  const initial = initialChunks();
  const own = new Set(modules.flatMap((name) => [...chunksOf(name)]).filter((name) => !initial.has(name)));
  expect(kilobytes(scriptsOf(own))).toBeLessThanOrEqual(limit);
});

test.each([
  ['blocks', 'src/features/editor/blocks/blocks-editor.tsx', 180],
  ['HTML', 'src/features/editor/code/code-editor.tsx', 190],
])('the editor of %s adds no more than its budget to the page of a template', (_name, module, limit) => {
  const page = chunksOf('src/features/templates/detail.tsx');
  const own = [...chunksOf(module)].filter((name) => !page.has(name));
  expect(kilobytes(scriptsOf(own))).toBeLessThanOrEqual(limit);
});
