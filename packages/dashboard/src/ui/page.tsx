/** The frame of a page and of its parts. */
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Heading } from './heading.js';

interface PageProps {
  title: string;
  /** Under the title: one line of facts. */
  about?: ReactNode;
  /** Links back: "Campaigns". */
  back?: ReactNode;
  /** Buttons, the most important one last. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its only `h1`, which is also the title of the browser's tab. */
export function Page({ title, about, back, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Sendloom`;
  }, [title]);
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 grow basis-72 sm:flex-1">
          {back && <div className="text-sm">{back}</div>}
          <Heading title={title} className="text-2xl font-semibold break-words" />
          {about && <div className="text-muted">{about}</div>}
        </div>
        {actions && (
          // The command palette offers them too.
          <div data-page-actions className="flex flex-wrap items-center gap-2">
            {actions}
          </div>
        )}
      </div>
      {children}
    </>
  );
}

interface CardProps {
  title?: string;
  actions?: ReactNode;
  /** Whether its title has the focus when it appears, because it is the result of an action. */
  takesFocus?: boolean;
  className?: string;
  children: ReactNode;
}

/** A bordered part of a page. With a title, it is a region of that name. */
export function Card({ title, actions, takesFocus = false, className = '', children }: CardProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={`grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-3 rounded-xl border border-line bg-surface p-4 md:p-5 ${className}`}
    >
      {(title !== undefined || actions) && (
        <div className="flex flex-wrap items-center justify-between gap-2">
          {title !== undefined && (
            <h2 id={id} ref={heading} tabIndex={-1} className="min-w-0 text-lg font-semibold break-words">
              {title}
            </h2>
          )}
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** Names with their values, such as the facts of an email. */
export function Facts({ facts }: { facts: Array<[name: string, value: ReactNode]> }) {
  return (
    <dl className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)] gap-x-4 gap-y-2">
      {facts.map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words [&_time]:whitespace-normal">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
