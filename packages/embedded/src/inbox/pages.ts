/** The inbox's pages: plain HTML from the server. All text of a mail passes through `markup`, which escapes it. */
import type { ParsedMail } from './mail.js';
import type { MailPage } from './store.js';

/** Markup that needs no escaping. */
class Markup {
  constructor(readonly text: string) {}
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escape = (value: string): string => value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

type Part = string | number | Markup | Markup[];

/** Builds markup and escapes every value that is not markup. (The formatter reformats templates tagged `markup`.) */
function markup(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  const render = (part: Part): string => {
    if (part instanceof Markup) return part.text;
    if (Array.isArray(part)) return part.map((one) => one.text).join('');
    return escape(String(part));
  };
  return new Markup(strings.reduce((text, string, i) => text + render(parts[i - 1] ?? '') + string));
}

export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #888; --accent: #2563eb; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
a { color: var(--accent); }
h1 { font-size: 1.2rem; overflow-wrap: anywhere; margin: .5rem 0; }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; }
input, button { font: inherit; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .4rem; }
input { flex: 1 1 10rem; min-width: 0; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
ul.mails { list-style: none; margin: 1rem 0; padding: 0; border-top: 1px solid var(--line); }
ul.mails a { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .6rem .25rem; }
ul.mails a { border-bottom: 1px solid var(--line); color: inherit; text-decoration: none; }
ul.mails a:hover, ul.mails a:focus { background: #8881; }
ul.mails b, ul.mails span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
ul.mails b { grid-column: 1 / 3; }
ul.mails .from { color: var(--soft); font-size: .85rem; }
time { white-space: nowrap; }
time, .soft { color: var(--soft); font-size: .85rem; }
iframe { width: 100%; height: 70vh; border: 1px solid var(--line); border-radius: .4rem; background: #fff; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .15rem .75rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
td, th { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; overflow-wrap: anywhere; }
td, th { border-bottom: 1px solid var(--line); font-size: .9rem; }
#news { display: block; margin-top: 1rem; padding: .5rem; text-align: center; }
#news { border: 1px solid var(--accent); border-radius: .4rem; }
#news[hidden] { display: none; }
`;

/** Offers to show mails that arrived after the page was loaded. A reload would discard what the user is typing. */
export const SCRIPT = `
const news = document.getElementById('news');
const shown = Number(news?.dataset.count);
async function checkCount() {
  const { count } = await (await fetch('/api/count')).json();
  news.hidden = count === shown;
  news.textContent = count > shown ? 'Show ' + (count - shown) + ' new' : 'The list has changed. Show it';
}
if (news) setInterval(() => { if (!document.hidden) checkCount().catch(() => { news.hidden = true; }); }, 3000);
`;

function page(title: string, body: Markup): string {
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <main>${body}</main>
        <script src="/app.js" defer></script>
      </body>
    </html>`.text;
}

/** The list, newest first. `count` is the number of all mails, also during a search. */
export function listPage(
  found: MailPage,
  options: { to: string; subject: string; paged: boolean; count: number },
): string {
  const { to, subject, paged, count } = options;
  const query = (more: Record<string, string>): string =>
    `/?${new URLSearchParams({ ...(to && { to }), ...(subject && { subject }), ...more }).toString()}`;
  const searched = to !== '' || subject !== '';
  const emptyText = searched ? 'No mail matches.' : 'No mail yet. The next mail that is sent appears here.';
  return page(
    `Inbox (${count})`,
    markup`<header>
        <h1>
          <a href="/">Inbox</a> <span class="soft">${searched ? `${found.total} of ${count}` : countMails(count)}</span>
        </h1>
        <details>
          <summary>Delete all</summary>
          <form method="post" action="/delete"><button>Delete ${countMails(count)}</button></form>
        </details>
      </header>
      <form method="get" action="/" role="search">
        <input name="to" value="${to}" placeholder="Address" aria-label="Part of an address" /><input
          name="subject"
          value="${subject}"
          placeholder="Subject"
          aria-label="Part of the subject"
        /><button>Search</button>
      </form>
      <a id="news" href="${query({})}" data-count="${count}" hidden></a>
      <ul class="mails">
        ${found.messages.map(
          (mail) =>
            markup`<li>
              <a href="/messages/${mail.id}"
                ><b>${mail.subject || '(no subject)'}</b
                ><span class="from">to ${mail.to.join(', ')} · from ${mail.from}</span
                ><time datetime="${mail.date}">${shortDate(mail.date)}</time></a
              >
            </li>`,
        )}
      </ul>
      ${found.messages.length === 0 ? markup`<p class="soft">${emptyText}</p>` : ''}
      <p>
        ${paged ? markup`<a href="${query({})}">Newest</a> ` : ''}
        ${found.cursor ? markup`<a href="${query({ cursor: found.cursor })}">Older</a>` : ''}
      </p>`,
  );
}

/** One mail with all its parts. `images` lets the HTML view load images from other servers. */
export function mailPage(mail: ParsedMail, { images }: { images: boolean }): string {
  return page(
    mail.subject || '(no subject)',
    markup`<p><a href="/">← Inbox</a></p>
      <h1>${mail.subject || '(no subject)'}</h1>
      <dl>
        <dt>From</dt>
        <dd>${mail.from}</dd>
        <dt>To</dt>
        <dd>${mail.to.join(', ')}</dd>
        <dt>Arrived</dt>
        <dd>${shortDate(mail.date)}</dd>
        <dt>Size</dt>
        <dd>${bytes(mail.size)}, <a href="/api/messages/${mail.id}/source">source</a></dd>
      </dl>
      ${mail.html === null ? '' : htmlFrame(mail.id, images)}
      <details ${mail.html === null ? markup`open` : ''}>
        <summary>Text</summary>
        <pre>${mail.text ?? 'This mail has no text part.'}</pre>
      </details>
      <details>
        <summary>Headers</summary>
        <table>
          ${mail.headers.map(
            ({ name, value }) =>
              markup`<tr>
                <th>${name}</th>
                <td>${value}</td>
              </tr>`,
          )}
        </table>
      </details>
      <ul>
        ${mail.attachments.map(
          (file) =>
            markup`<li>
              <a href="/api/messages/${mail.id}/attachments/${file.index}"
                >${file.filename ?? `part ${file.index + 1}`}</a
              >
              <span class="soft">${file.contentType}, ${bytes(file.size)}</span>
            </li>`,
        )}
      </ul>`,
  );
}

const htmlFrame = (id: string, images: boolean): Markup =>
  markup`<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"
      title="The mail"
      src="/messages/${id}/html${images ? '?images=1' : ''}"
    ></iframe>
    <p class="soft">
      ${
        images
          ? 'Images from other servers are shown. The sender may see that the mail was opened.'
          : markup`<a href="/messages/${id}?images=1">Load images from other servers</a> (counts as an open)`
      }
    </p>`;

/** The HTML part for the frame. Links open a new page. The response's headers and the sandbox restrict it. */
export function framedHtml(mail: ParsedMail): string {
  return `<base target="_blank">${mail.html ?? ''}`;
}

export function messagePage(title: string, text: string): string {
  return page(
    title,
    markup`<h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/">← Inbox</a></p>`,
  );
}

const countMails = (count: number): string => (count === 1 ? '1 mail' : `${count} mails`);

const shortDate = (date: string): string => `${date.slice(0, 10)} ${date.slice(11, 19)} UTC`;

function bytes(size: number): string {
  if (size < 1024) return `${size} bytes`;
  return size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} kB` : `${(size / 1024 / 1024).toFixed(1)} MB`;
}
