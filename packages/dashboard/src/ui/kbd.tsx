/** A key of the keyboard. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-grid min-h-6 min-w-6 place-content-center rounded border border-line bg-raised px-1.5 font-mono text-sm text-text">
      {children}
    </kbd>
  );
}
