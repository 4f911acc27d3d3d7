import type { ReactNode } from 'react';
import { LanguageSelect } from '../../app/preferences.js';
import { Heading } from '../../ui/heading.js';

/** The frame of the pages before the sign-in. */
export function AccountLayout({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mx-auto grid min-h-dvh max-w-md content-center gap-6 p-4">
      <main className="grid gap-5 rounded-xl border border-line bg-surface p-6">
        <div className="flex items-center gap-3">
          <img src="/app/icon.svg" alt="" width={32} height={32} />
          <Heading title={title} step={title} className="text-xl font-semibold" />
        </div>
        {children}
      </main>
      <footer className="justify-self-end">
        <LanguageSelect />
      </footer>
    </div>
  );
}

export function Notice({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="rounded-lg bg-success-soft p-3 text-success">
      {children}
    </p>
  );
}

export function Problem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="rounded-lg bg-danger-soft p-3 text-danger">
      {children}
    </p>
  );
}
