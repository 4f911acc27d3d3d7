/** Which links of an email the figures of a campaign belong to. Pure. */
import type { Schemas } from '../../../../client/src/index.js';

export type LinkFigures = Schemas['CampaignLinks']['data'][number];

interface PlacedLink {
  url: string;
  label: string | null;
}

/** The figures of a link in the email. */
export interface Heat {
  people: number;
  clicks: number;
  /** The clicked links that it stands for: several, if contacts have addresses of their own. */
  links: LinkFigures[];
}

/**
 * Returns the figures of each link of an email, and the clicked links that the email does not have.
 *
 * A clicked link belongs to the links with the same address and label. Otherwise, its address has a variable, such as
 * `?id={{ contact.id }}`, and it belongs to the links whose address differs only in the query and the fragment.
 */
export function heatOf(
  placed: readonly PlacedLink[],
  clicked: readonly LinkFigures[],
): { heats: Heat[]; rest: LinkFigures[] } {
  const known = new Set(placed.map(keyOf));
  const others = clicked.filter((link) => !known.has(keyOf(link)));
  const heats = placed.map((link) => {
    const own = clicked.filter((one) => keyOf(one) === keyOf(link));
    return sum(own.length > 0 ? own : others.filter((one) => stemOf(one) === stemOf(link)));
  });
  const shown = new Set(heats.flatMap(({ links }) => links));
  return { heats, rest: clicked.filter((link) => !shown.has(link)) };
}

const keyOf = ({ url, label }: PlacedLink): string => `${label ?? ''}\n${url}`;
const stemOf = ({ url, label }: PlacedLink): string => `${label ?? ''}\n${url.replace(/[?#].*$/, '')}`;

const sum = (links: LinkFigures[]): Heat => ({
  people: links.reduce((total, { people }) => total + people, 0),
  clicks: links.reduce((total, { clicks }) => total + clicks, 0),
  links,
});
