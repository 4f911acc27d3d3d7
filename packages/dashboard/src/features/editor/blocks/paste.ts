/** Cleans pasted HTML: keeps the structure of word processors and mail programs, and removes their junk. */

/** Elements that say nothing of the content. */
const JUNK = 'style, script, meta, link, title, xml, o\\:p, head, noscript, object, iframe, form, input, button, svg';
const BLOCKS = 'p, div, h1, h2, h3, h4, h5, h6, ul, ol, table, hr, blockquote, pre';

/** Returns clean HTML with headings, paragraphs, lists, links, images, and simple formatting. */
export function cleanPaste(html: string): string {
  // The editor's own blocks come back as they are.
  if (/data-block=/.test(html)) return html;
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  removeComments(body);
  for (const element of body.querySelectorAll(JUNK)) element.remove();
  convertWordLists(body);
  for (const element of body.querySelectorAll<HTMLElement>('*')) if (isHidden(element)) element.remove();
  unwrapTables(body);
  for (const bold of body.querySelectorAll<HTMLElement>('b'))
    // The frame of pastes from Google Docs.
    if (/^(normal|400)$/.test(bold.style.fontWeight)) unwrap(bold);
  convertStyles(body);
  for (const image of body.querySelectorAll('img')) if (!isShownImage(image)) image.remove();
  for (const wrapper of body.querySelectorAll('font, center, article, section, main, blockquote, span:not([style])'))
    unwrap(wrapper);
  splitLines(body);
  for (const division of [...body.querySelectorAll('div')].reverse())
    if (division.querySelector(BLOCKS)) unwrap(division);
  flattenLists(body);
  for (const element of body.querySelectorAll('*')) removeAttributes(element);
  for (const element of [...body.querySelectorAll('p, div, span, a, h1, h2, h3, h4, h5, h6, li')].reverse())
    if (isEmpty(element)) element.remove();
  return body.innerHTML.trim();
}

function removeComments(root: HTMLElement): void {
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const comments: Node[] = [];
  while (walker.nextNode()) comments.push(walker.currentNode);
  for (const comment of comments) comment.parentNode?.removeChild(comment);
}

const isHidden = ({ style, hidden }: HTMLElement): boolean => Boolean(hidden) || style.display === 'none';

/** Word writes lists as paragraphs with a bullet or a number in front. */
function convertWordLists(root: HTMLElement): void {
  for (const paragraph of root.querySelectorAll<HTMLElement>('p')) {
    const style = paragraph.getAttribute('style') ?? '';
    if (!/mso-list:\s*l\d/i.test(style)) continue;
    const marker = paragraph.querySelector<HTMLElement>('[style*="mso-list:Ignore" i], [style*="mso-list: Ignore" i]');
    const isOrdered = /^\s*(?:\d+|[a-z]{1,3})[.)]/i.test(marker?.textContent ?? '');
    marker?.remove();
    const item = root.ownerDocument.createElement('li');
    item.append(...paragraph.childNodes);
    const previous = paragraph.previousElementSibling;
    const isSameList = previous?.matches(`${isOrdered ? 'ol' : 'ul'}[data-word]`);
    const list = isSameList && previous ? previous : root.ownerDocument.createElement(isOrdered ? 'ol' : 'ul');
    list.setAttribute('data-word', '');
    list.append(item);
    if (isSameList) paragraph.remove();
    else paragraph.replaceWith(list);
  }
}

/** Lists have one level: the items of inner lists follow the item around them. */
function flattenLists(root: HTMLElement): void {
  for (const list of [...root.querySelectorAll('li ul, li ol')].reverse()) {
    list.closest('li')?.after(...list.children);
    list.remove();
  }
  for (const block of root.querySelectorAll('li > p, li > div')) unwrap(block);
}

/** Tables are layout in emails: their cells become paragraphs. */
function unwrapTables(root: HTMLElement): void {
  for (const table of [...root.querySelectorAll('table')].reverse()) {
    const cells = [...table.querySelectorAll('td, th')].flatMap((cell) => {
      if (cell.querySelector(BLOCKS)) return [...cell.childNodes];
      const paragraph = root.ownerDocument.createElement('p');
      paragraph.append(...cell.childNodes);
      return [paragraph];
    });
    table.replaceWith(...cells);
  }
}

/** Formatting by style becomes elements. */
function convertStyles(root: HTMLElement): void {
  for (const span of root.querySelectorAll<HTMLElement>('span[style]')) {
    const { fontWeight, fontStyle, textDecorationLine, textDecoration } = span.style;
    const line = `${textDecorationLine} ${textDecoration}`;
    const names = [
      /^(bold|[6-9]00)$/.test(fontWeight) && 'b',
      fontStyle === 'italic' && 'i',
      /underline/.test(line) && span.closest('a') === null && span.querySelector('a') === null && 'u',
      /line-through/.test(line) && 's',
    ].filter((name) => name !== false);
    for (const name of names) {
      const element = root.ownerDocument.createElement(name);
      element.append(...span.childNodes);
      span.append(element);
    }
    unwrap(span);
  }
}

/** Gmail and plain texts separate paragraphs by two line breaks. */
function splitLines(root: HTMLElement): void {
  for (const block of root.querySelectorAll('p, div')) {
    if (block.querySelector(BLOCKS)) continue;
    const parts: Node[][] = [[]];
    const nodes = [...block.childNodes].filter((node) => node.nodeType !== Node.TEXT_NODE || node.textContent !== '\n');
    nodes.forEach((node, index) => {
      const isBreak = (one: Node | undefined): boolean => one?.nodeName === 'BR';
      if (!isBreak(node)) parts.at(-1)?.push(node);
      else if (isBreak(nodes[index - 1])) return;
      else if (isBreak(nodes[index + 1])) parts.push([]);
      else if (index < nodes.length - 1) parts.at(-1)?.push(node);
    });
    if (parts.length === 1) continue;
    block.replaceWith(
      ...parts.map((part) => {
        const paragraph = root.ownerDocument.createElement('p');
        paragraph.append(...part);
        return paragraph;
      }),
    );
  }
}

const isShownImage = (image: HTMLImageElement): boolean =>
  /^https?:/i.test(image.getAttribute('src') ?? '') && image.width !== 1 && image.height !== 1;

const KEPT: Record<string, readonly string[]> = { A: ['href'], IMG: ['src', 'alt', 'width'] };

function removeAttributes(element: Element): void {
  for (const name of element.getAttributeNames())
    if (!KEPT[element.tagName]?.includes(name)) element.removeAttribute(name);
  const href = element.tagName === 'A' ? (element.getAttribute('href') ?? '') : null;
  if (href !== null && !/^(https?:|mailto:|tel:|sms:)/i.test(href)) unwrap(element);
}

const isEmpty = (element: Element): boolean =>
  (element.textContent ?? '').replaceAll(' ', ' ').trim() === '' && element.querySelector('img, hr') === null;

function unwrap(element: Element): void {
  element.replaceWith(...element.childNodes);
}
