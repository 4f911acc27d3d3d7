/**
 * Puts tracking into a mail's HTML: links become redirects, and a pixel comes before the end of the body.
 *
 * Where they stand is found once, in the template; marks that nobody can guess keep the places until a mail is printed.
 * Where the template doesn't show the HTML that will be printed (a value that is HTML itself), they are found in each
 * printed mail by the same way.
 */
import { randomBytes } from 'node:crypto';
import { decodeHTMLAttribute } from 'entities';
import { Tokenizer } from 'htmlparser2';
import { scanTemplate, type Piece } from './template-scan.js';
import type { EmailTracking } from './tracking-links.js';

/**
 * What stands between two marks, by the sign behind the first: the value of a link (`<` … `>`), or nothing, where the
 * pixel goes (`!`).
 */
const MARK = `\uE000${randomBytes(8).toString('hex')}\uE001`;
const [BEGIN, END, PIXEL] = [`${MARK}<`, `${MARK}>`, `${MARK}!`];

/** Keeps a link as its author wrote it; the attribute itself is not sent. */
const OPT_OUT = 'data-no-track';

/** A change of the source at one place: what is taken away there, and what comes in its stead. */
interface Edit {
  at: number;
  remove: number;
  insert: string;
}

/**
 * The template with marks around the links that are to be tracked and where the pixel goes; null when only the printed
 * HTML shows that.
 *
 * Links are the `href` of `a`, `area`, and of the VML shapes that Outlook reads in conditional comments.
 *
 * @throws TemplateError of kind `parse`
 */
export function markTemplate(source: string): string | null {
  const pieces = scanTemplate(source).filter((piece) => piece.kind !== 'text');
  const found = findPlaces(masked(source, pieces));
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
    // What can't be a link to the web, or is always one of our own pages, costs nothing more.
    return isFixed ? /^\s*https?:/i.test(decode(value)) : !OWN_LINK.test(value);
  });
}

/** Prints the tracking into a mail that was printed from a marked template. */
export function trackMarked(printed: string, email: EmailTracking): string {
  const [first = '', ...rest] = printed.split(MARK);
  return rest.reduce((html, part) => {
    const text = part.slice(1);
    if (part.startsWith('!')) return `${html}${pixel(email)}${text}`;
    return html + (part.startsWith('<') ? (email.clickUrl(decode(text)) ?? text) : text);
  }, first);
}

/** Tracks a mail whose template says too little. */
export function trackPrinted(printed: string, email: EmailTracking): string {
  return trackMarked(
    mark(printed, findPlaces(printed), () => true),
    email,
  );
}

/** Not hidden by style: some mail programs don't load what isn't shown. */
const pixel = (email: EmailTracking): string =>
  `<img src="${email.pixelUrl()}" width="1" height="1" alt="" style="border:0;width:1px;height:1px" />`;

/** An attribute's value as it stands in HTML. */
const decode = (value: string): string => (value.includes('&') ? decodeHTMLAttribute(value) : value);

const OWN_LINK = /^\s*\{\{-?\s*(?:unsubscribeUrl|subscribeUrl|manageUrl)\s*-?\}\}\s*$/;

/** Whether a piece may print tags, or keeps what stands in it for later. */
function printsHtml(piece: Piece): boolean {
  if (piece.kind === 'output') return piece.raw || /\|\s*raw\b/.test(piece.expression);
  return /^\{%-?\s*(?:capture|raw|liquid|echo)\b/.test(piece.text);
}

/** The template as HTML of the same length: an output looks like a word, a tag like space. */
function masked(source: string, pieces: Piece[]): string {
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

interface Places {
  /** The values of links, and the opt-outs that are to go. */
  links: Range[];
  optOuts: Range[];
  /** All values of attributes. */
  values: Range[];
  /** Where the pixel goes. */
  end: number;
}

function mark(source: string, { links, optOuts, end }: Places, isTracked: (value: Range) => boolean): string {
  const edits: Edit[] = [
    { at: end, remove: 0, insert: PIXEL },
    ...optOuts.map(({ begin, end: to }) => ({ at: begin, remove: to - begin, insert: '' })),
  ];
  for (const value of links)
    if (isTracked(value))
      edits.push({ at: value.begin, remove: 0, insert: BEGIN }, { at: value.end, remove: 0, insert: END });
  let marked = '';
  let at = 0;
  for (const edit of edits.sort((a, b) => a.at - b.at)) {
    marked += source.slice(at, edit.at) + edit.insert;
    at = edit.at + edit.remove;
  }
  return marked + source.slice(at);
}

/** Reads the tags of HTML as a browser would, however odd it is. */
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
  let optedOut = false;
  let attribute: Range = { begin: 0, end: 0 };
  let value: Range | null = null;
  const slice = ({ begin, end }: Range): string => html.slice(begin, end).toLowerCase();
  const shifted = ({ begin, end }: Range): Range => ({ begin: begin + shift, end: end + shift });
  const endTag = (): void => {
    if (!optedOut) places.links.push(...links.map(shifted));
    [tag, links, optedOut] = ['', [], false];
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
        if (name !== OPT_OUT) return;
        optedOut = true;
        // With its value, and the space before it.
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
