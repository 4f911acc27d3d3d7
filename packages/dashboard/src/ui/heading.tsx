/** The heading of a page, which has the focus after the page has changed. */
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** The last place whose heading was shown. */
let shownPlace: string | undefined;

interface Props {
  title: string;
  /** Distinguishes pages that one address shows one after the other, such as a form and its result. */
  step?: string;
  className: string;
}

/**
 * An `h1` that has the focus after a change of pages, so that screen readers read it, and Tab leads into the page. The
 * first page keeps the focus of the browser, and a field that has the focus keeps it.
 */
export function Heading({ title, step, className }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (path === undefined) return;
    const place = `${path} ${step ?? ''}`;
    const isFirst = shownPlace === undefined;
    if (place === shownPlace) return;
    shownPlace = place;
    // Toasts are dialogs that are not modal.
    const isKept =
      document.activeElement?.closest('main') ??
      document.querySelector('[role=alertdialog], [role=dialog]:not([aria-modal=false])');
    if (!isFirst && !isKept) heading.current?.focus({ preventScroll: true });
  }, [path, step]);
  return (
    <h1 ref={heading} tabIndex={-1} className={`w-fit max-w-full rounded-sm outline-offset-0 ${className}`}>
      {title}
    </h1>
  );
}
