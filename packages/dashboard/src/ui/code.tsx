/** Text as it is, such as JSON, headers, or a command. */
export function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label={label}
      className="max-h-96 overflow-auto rounded-lg border border-line bg-raised p-3 font-mono text-sm"
    >
      {children}
    </pre>
  );
}

export const Json = ({ label, value }: { label: string; value: unknown }) => (
  <CodeBlock label={label}>{JSON.stringify(value, null, 2)}</CodeBlock>
);
