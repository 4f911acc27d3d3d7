import { describe, expect, test } from 'vitest';
import { heatOf, type LinkFigures } from '../../../packages/dashboard/src/features/campaigns/heat.js';

const clicked = (url: string, people: number, label: string | null = null): LinkFigures => ({
  url,
  label,
  people,
  clicks: people * 2,
  machineClicks: 0,
  firstAt: null,
  lastAt: null,
});
const link = (url: string, label: string | null = null) => ({ url, label });

describe('the clicks of the links of an email', () => {
  test('belong to the link with the same address and label', () => {
    const { heats, rest } = heatOf(
      [link('https://x.test/', 'top'), link('https://x.test/', 'bottom'), link('https://x.test/none')],
      [clicked('https://x.test/', 5, 'bottom'), clicked('https://x.test/', 2, 'top')],
    );
    expect(heats.map(({ people, clicks }) => [people, clicks])).toEqual([
      [2, 4],
      [5, 10],
      [0, 0],
    ]);
    expect(rest).toEqual([]);
  });

  test('are added up for a link whose address each contact has with another query', () => {
    const { heats, rest } = heatOf(
      [link('https://x.test/p?id='), link('https://x.test/q')],
      [clicked('https://x.test/p?id=1', 1), clicked('https://x.test/p?id=2', 1), clicked('https://x.test/q', 3)],
    );
    expect(heats.map(({ people }) => people)).toEqual([2, 3]);
    expect(rest).toEqual([]);
  });

  test('of links that the email does not have are the rest', () => {
    const { heats, rest } = heatOf(
      [link('https://x.test/p?a=1')],
      [clicked('https://x.test/p?a=1', 1), clicked('https://x.test/p?a=2', 4), clicked('https://y.test/', 2)],
    );
    expect(heats.map(({ people }) => people)).toEqual([1]);
    expect(rest.map(({ url }) => url)).toEqual(['https://x.test/p?a=2', 'https://y.test/']);
  });
});
