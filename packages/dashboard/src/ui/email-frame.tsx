/** An email in a frame that runs no scripts and loads remote images only on request. */
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useWords } from '../words/words.js';
import { Button } from './button.js';

/** A tracked web link of an email, with its place in the frame in pixels. */
export interface FrameLink {
  url: string;
  /** Its attribute `data-link`. */
  label: string | null;
  box: { top: number; left: number; width: number; height: number };
}

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
  /**
   * Receives the places of the links when they change. The frame is then as wide as the email, and its place scrolls
   * sideways. Keep it stable with useCallback.
   */
  onLinks?: ((links: FrameLink[]) => void) | undefined;
  /** Drawn over the email. Only with `onLinks`. */
  children?: ReactNode;
}

const MIN_HEIGHT = 240;

/** The policy and the style of the frame come before everything that the email brings. */
function frameOf(html: string, { hasImages, isDark }: { hasImages: boolean; isDark: boolean }): string {
  const images = hasImages ? 'https: http: data:' : 'data:';
  const policy = `default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src ${images}`;
  const scheme = isDark ? '<style>:root{color-scheme:dark}</style>' : '';
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><base target="_blank">${scheme}${html}`;
}

export function EmailFrame({ title, html, width, isDark = false, hasImages = false, onLinks, children }: Props) {
  const { common } = useWords();
  const [isAllowed, allow] = useState(hasImages);
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(MIN_HEIGHT);
  const [minWidth, setMinWidth] = useState(0);
  const measure = useCallback((): void => {
    const root = frame.current?.contentDocument?.documentElement;
    if (!root) return;
    setHeight(Math.max(MIN_HEIGHT, root.scrollHeight));
    if (!onLinks) return;
    if (root.scrollWidth > root.clientWidth) setMinWidth(root.scrollWidth);
    onLinks(
      [...root.querySelectorAll('a[href]:not([data-no-track])')].map(linkOf).filter(({ url }) => /^https?:/i.test(url)),
    );
  }, [onLinks]);
  useEffect(() => {
    if (!frame.current || !onLinks) return;
    // Another width moves the links.
    const resize = new ResizeObserver(measure);
    resize.observe(frame.current);
    return () => resize.disconnect();
  }, [measure, onLinks]);
  // Without allow-scripts, the same origin only lets this page measure the email.
  const email = (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      srcDoc={frameOf(html, { hasImages: isAllowed, isDark })}
      onLoad={measure}
      style={{ height, width: width ?? '100%', colorScheme: isDark ? 'dark' : 'light' }}
      className={`mx-auto max-w-full rounded-lg border border-line ${isDark ? 'bg-[#121212]' : 'bg-white'}`}
    />
  );
  return (
    <div className="grid min-w-0 gap-2">
      {!isAllowed && /<img\b|background=|url\(/i.test(html) && (
        <Button className="justify-self-start" onClick={() => allow(true)}>
          {common.showImages}
        </Button>
      )}
      {onLinks ? (
        <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={title}>
          <div className="relative" style={{ minWidth }}>
            {email}
            {/* Inside of the border. */}
            <div className="@container absolute inset-px overflow-hidden rounded-lg">{children}</div>
          </div>
        </div>
      ) : (
        email
      )}
    </div>
  );
}

/** A linked picture is higher than the line of its link. */
function linkOf(link: Element): FrameLink {
  const boxes = [link, ...link.querySelectorAll('*')]
    .map((element) => element.getBoundingClientRect())
    .filter(({ width, height }) => width > 0 && height > 0);
  const top = Math.min(...boxes.map((box) => box.top));
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.right));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  const label = link.getAttribute('data-link')?.trim();
  return {
    url: (link.getAttribute('href') ?? '').trim(),
    label: label === undefined || label === '' ? null : label,
    box: boxes.length === 0 ? NOWHERE : { top, left, width: right - left, height: bottom - top },
  };
}

/** Hidden links, such as those of a hidden version of the email. */
const NOWHERE = { top: 0, left: 0, width: 0, height: 0 };
