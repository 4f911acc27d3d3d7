/** The layout of the public pages: no scripts, no external resources, readable on a phone. */
import { html, type Html } from './html.js';

const STYLE: Html = {
  html: `
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;padding:24px 16px;font:17px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:#1f2328;background:#f4f5f7;
overflow-wrap:anywhere}
main{max-width:34rem;margin:6vh auto 0;padding:28px 24px;background:#fff;border:1px solid #d8dce1;border-radius:12px}
h1{margin:0 0 12px;font-size:1.5rem;line-height:1.25}
p{margin:0 0 16px}
form{margin:20px 0}
fieldset{margin:20px 0 0;padding:0;border:0}
legend{padding:0;margin-bottom:8px}
label{display:block;margin-bottom:6px}
input{display:block;width:100%;min-height:48px;padding:10px 12px;font:inherit;color:inherit;background:transparent;
border:1px solid #8b949e;border-radius:8px}
button{display:block;width:100%;min-height:48px;margin:0 0 10px;padding:10px 18px;font:inherit;font-weight:600;color:#fff;
background:#1f4fd8;border:1px solid #1f4fd8;border-radius:8px;cursor:pointer}
button.plain{color:#1f2328;background:#fff;border-color:#8b949e}
button:focus-visible,a:focus-visible,input:focus-visible{outline:3px solid #f0a020;outline-offset:2px}
a{color:#1f4fd8}
.state{padding:12px 14px;background:#e9f2ec;border-radius:8px}
@media (prefers-color-scheme:dark){
body{color:#e6e8eb;background:#15181c}
main{background:#1f2328;border-color:#3a4049}
button.plain{color:#e6e8eb;background:#1f2328}
a{color:#9db8ff}
.state{background:#22382b}
}
`,
};

/** A whole page. */
export const layout = (language: string, title: string, content: Html): string =>
  html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.html;
