/**
 * Adds tracking to an email's HTML: links become redirects, and a pixel is inserted before the end of the body.
 *
 * The places are found once, in the template, and marked with a random text. If the template does not show the final
 * HTML (a value is HTML itself), the places are found in each rendered email.
 */
import { randomBytes } from 'node:crypto';
import { decodeHTMLAttribute } from 'entities';
import { Tokenizer } from 'htmlparser2';
import type { Segment } from './render.js';
import { scanTemplate, type Piece } from './template-scan.js';
import type { EmailTracking } from './tracking-links.js';

/** The sign after a mark tells what it marks: the start (`<`) or end (`>`) of a link, or the pixel's place (`!`). */
const MARK = `\uE000${randomBytes(8).toString('hex')}\uE001`;
const [BEGIN, END, PIXEL] = [`${MARK}<`, `${MARK}>`, `${MARK}!`];

/** The sign between the label and the target of a marked link. */
const LABEL_END = '\uE002';

/** An attribute that excludes a link from tracking. It is removed from the sent HTML. */
const OPT_OUT = 'data-no-track';
/** An attribute with the label of a link in the reports of its campaign. */
const LABEL = 'data-link';
const MAX_LABEL_LENGTH = 64;

/** A replacement of a range of the source. */
interface Edit {
  at: number;
  remove: number;
  insert: string;
}

/**
 * Marks the links to track and the pixel's place in a template. Returns null if only the rendered HTML shows them.
 *
 * Links are the `href` of `a`, of `area`, and of the VML shapes that Outlook reads in conditional comments.
 *
 * @throws TemplateError of kind `parse`
 */
export function markTemplate(source: string): string | null {
  const pieces = scanTemplate(source).filter((piece) => piece.kind !== 'text');
  const found = findPlaces(maskPieces(source, pieces));
  if (
    pieces.some(
      (piece) =>
        printsHtml(piece) && !found.values.some(({ begin, end }) => begin <= piece.offset && piece.offset < end),
    )
  )
    return null;
  return mark(source, found, ({ begin, end }) => {
    const isFixed = !pieces.some(({ offset }) => begin <= offset && offset < end);
    const value = source.slice(begin, end);
    // Links that cannot be web links, and links to our own pages, are not marked.
    return isFixed ? /^\s*https?:/i.test(decode(value)) : !OWN_LINK.test(value);
  });
}

/** Adds tracking to an email that was rendered from a marked template. */
export function trackMarked(printed: string, email: EmailTracking): string {
  const [first = '', ...rest] = printed.split(MARK);
  return rest.reduce((html, part) => {
    const text = part.slice(1);
    if (part.startsWith('!')) return `${html}${pixel(email)}${text}`;
    return html + (part.startsWith('<') ? trackLink(text, email) : text);
  }, first);
}

/** A part of a marked template: HTML, an output, or the parts of a tracked link whose target contains outputs. */
export type TrackedSegment = Segment | { link: Segment[] };

/** Adds tracking to the segments of a marked template. Links without outputs become text. */
export function trackSegments(marked: readonly Segment[], email: EmailTracking): TrackedSegment[] {
  const tracked: TrackedSegment[] = [];
  let link: Segment[] | null = null;
  for (const segment of marked) {
    if (typeof segment !== 'string') {
      (link ?? tracked).push(segment);
      continue;
    }
    const [first = '', ...rest] = segment.split(MARK);
    (link ?? tracked).push(first);
    for (const part of rest) {
      const text = part.slice(1);
      if (part.startsWith('<')) {
        link = [text];
        continue;
      }
      if (part.startsWith('!')) tracked.push(pixel(email));
      else if (link) tracked.push(link.every(isText) ? trackLink(link.join(''), email) : { link });
      link = null;
      tracked.push(text);
    }
  }
  return tracked;
}

const isText = (segment: Segment): segment is string => typeof segment === 'string';

/** Returns the redirect for a marked link, or its target if the link is not tracked. */
export function trackLink(marked: string, email: EmailTracking): string {
  const labelEnd = marked.indexOf(LABEL_END);
  const value = marked.slice(labelEnd + 1);
  const label = decode(marked.slice(0, Math.max(0, labelEnd)))
    .trim()
    .slice(0, MAX_LABEL_LENGTH);
  return email.clickUrl(decode(value), label) ?? value;
}

/** Adds tracking to a rendered email whose template could not be marked. */
export function trackPrinted(printed: string, email: EmailTracking): string {
  return trackMarked(
    mark(printed, findPlaces(printed), () => true),
    email,
  );
}

/** The pixel is not hidden by a style, because some email clients do not load hidden images. */
const pixel = (email: EmailTracking): string =>
  `<img src="${email.pixelUrl()}" width="1" height="1" alt="" style="border:0;width:1px;height:1px" />`;

/** Decodes the character references of an attribute's value. */
const decode = (value: string): string => (value.includes('&') ? decodeHTMLAttribute(value) : value);

const OWN_LINK = /^\s*\{\{-?\s*(?:unsubscribeUrl|subscribeUrl|manageUrl)\s*-?\}\}\s*$/;

/** Whether a piece can print tags or captures text for later. */
function printsHtml(piece: Piece): boolean {
  if (piece.kind === 'output') return piece.raw || /\|\s*raw\b/.test(piece.expression);
  return /^\{%-?\s*(?:capture|raw|liquid|echo)\b/.test(piece.text);
}

/**
 * Masks a template as HTML of the same length: outputs become words, tags become spaces.
 *
 * @throws TemplateError of kind `parse`
 */
export const maskTemplate = (source: string): string =>
  maskPieces(
    source,
    scanTemplate(source).filter((piece) => piece.kind !== 'text'),
  );

function maskPieces(source: string, pieces: Piece[]): string {
  let html = '';
  let at = 0;
  for (const { kind, text, offset } of pieces) {
    html += source.slice(at, offset) + (kind === 'output' ? 'x' : ' ').repeat(text.length);
    at = offset + text.length;
  }
  return html + source.slice(at);
}

interface Range {
  begin: number;
  end: number;
}

/** The value of a link. */
interface LinkRange extends Range {
  /** The value of its label. */
  label?: Range;
}

interface Places {
  links: LinkRange[];
  optOuts: Range[];
  /** The values of all attributes. */
  values: Range[];
  /** The pixel's place. */
  end: number;
}

function mark(source: string, { links, optOuts, end }: Places, isTracked: (value: Range) => boolean): string {
  const edits: Edit[] = [
    { at: end, remove: 0, insert: PIXEL },
    ...optOuts.map(({ begin, end: to }) => ({ at: begin, remove: to - begin, insert: '' })),
  ];
  const labelOf = ({ label }: LinkRange): string => (label ? source.slice(label.begin, label.end) + LABEL_END : '');
  for (const value of links)
    if (isTracked(value))
      edits.push(
        { at: value.begin, remove: 0, insert: BEGIN + labelOf(value) },
        { at: value.end, remove: 0, insert: END },
      );
  let marked = '';
  let at = 0;
  for (const edit of edits.sort((a, b) => a.at - b.at)) {
    marked += source.slice(at, edit.at) + edit.insert;
    at = edit.at + edit.remove;
  }
  return marked + source.slice(at);
}

/** Finds the tags of HTML as a browser does, also in malformed HTML. */
function findPlaces(html: string): Places {
  const places: Places = { links: [], optOuts: [], values: [], end: html.length };
  let bodyEnd = -1;
  let documentEnd = -1;
  readTags(html, 0, places, (name, at) => {
    if (name === 'body') bodyEnd = at;
    else if (name === 'html') documentEnd = at;
  });
  places.end = bodyEnd === -1 ? (documentEnd === -1 ? html.length : documentEnd) : bodyEnd;
  return places;
}

const CONDITIONAL = /^\[if [^\]]*\]>/;
const isLinkTag = (name: string): boolean => name === 'a' || name === 'area' || name.startsWith('v:');
const ignore = (): void => undefined;

function readTags(html: string, shift: number, places: Places, onClose: (name: string, at: number) => void): void {
  let tag = '';
  let links: Range[] = [];
  let label: Range | undefined;
  let optedOut = false;
  let attribute: Range = { begin: 0, end: 0 };
  let value: Range | null = null;
  const slice = ({ begin, end }: Range): string => html.slice(begin, end).toLowerCase();
  const shifted = ({ begin, end }: Range): Range => ({ begin: begin + shift, end: end + shift });
  const endTag = (): void => {
    if (!optedOut)
      places.links.push(...links.map((link) => ({ ...shifted(link), ...(label && { label: shifted(label) }) })));
    [tag, links, label, optedOut] = ['', [], undefined, false];
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(begin, end) {
        tag = slice({ begin, end });
      },
      onattribname(begin, end) {
        attribute = { begin, end };
        value = null;
      },
      onattribdata(begin, end) {
        value = { begin: value?.begin ?? begin, end };
      },
      onattribend(_quote, end) {
        if (value) places.values.push(shifted(value));
        if (!isLinkTag(tag)) return;
        const name = slice(attribute);
        if (name === 'href' && value) links.push(value);
        if (name === LABEL && value) label = value;
        if (name !== OPT_OUT) return;
        optedOut = true;
        // Includes its value and the preceding space.
        places.optOuts.push(
          shifted({ begin: attribute.begin - (/\s/.test(html.charAt(attribute.begin - 1)) ? 1 : 0), end }),
        );
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag(begin, end) {
        onClose(slice({ begin, end }), html.lastIndexOf('</', begin) + shift);
      },
      oncomment(begin, end, endOffset) {
        const comment = html.slice(begin, end - endOffset);
        const head = CONDITIONAL.exec(comment)?.[0];
        if (head !== undefined) readTags(comment.slice(head.length), shift + begin + head.length, places, ignore);
      },
      onattribentity: ignore,
      oncdata: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
