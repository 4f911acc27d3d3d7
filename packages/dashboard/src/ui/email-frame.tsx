/** An email in a frame that runs no scripts and loads remote images only on request. */
import { useRef, useState } from 'react';
import { useWords } from '../words/words.js';
import { Button } from './button.js';

interface Props {
  /** The accessible name of the frame. */
  title: string;
  html: string;
  /** In pixels; default: as wide as its place. */
  width?: number;
  /** Shows what email clients with a dark appearance make of it. */
  isDark?: boolean;
  /** Whether remote images are loaded without a question, as for the user's own drafts. */
  hasImages?: boolean;
}

const MIN_HEIGHT = 240;

/** The policy and the style of the frame come before everything that the email brings. */
function frameOf(html: string, { hasImages, isDark }: { hasImages: boolean; isDark: boolean }): string {
  const images = hasImages ? 'https: http: data:' : 'data:';
  const policy = `default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src ${images}`;
  const scheme = isDark ? '<style>:root{color-scheme:dark}</style>' : '';
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><base target="_blank">${scheme}${html}`;
}

export function EmailFrame({ title, html, width, isDark = false, hasImages = false }: Props) {
  const { common } = useWords();
  const [isAllowed, allow] = useState(hasImages);
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(MIN_HEIGHT);
  const fit = (): void =>
    setHeight(Math.max(MIN_HEIGHT, frame.current?.contentDocument?.documentElement.scrollHeight ?? 0));
  return (
    <div className="grid min-w-0 gap-2">
      {!isAllowed && /<img\b|background=|url\(/i.test(html) && (
        <Button className="justify-self-start" onClick={() => allow(true)}>
          {common.showImages}
        </Button>
      )}
      {/* Without allow-scripts, the same origin only lets this page measure the height. */}
      <iframe
        ref={frame}
        title={title}
        sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        srcDoc={frameOf(html, { hasImages: isAllowed, isDark })}
        onLoad={fit}
        style={{ height, width: width ?? '100%', colorScheme: isDark ? 'dark' : 'light' }}
        className={`mx-auto max-w-full rounded-lg border border-line ${isDark ? 'bg-[#121212]' : 'bg-white'}`}
      />
    </div>
  );
}
