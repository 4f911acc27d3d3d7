/** Header fields as text: those of the parts that reports are made of. Pure. */

/** All values of each field, unfolded, by its name in lower case. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** The groups of fields of a part (RFC 3464, 2.1.2): separated by blank lines. */
export function fieldGroups(content: Uint8Array): Fields[] {
  return Buffer.from(content)
    .toString()
    .split(/\r?\n[ \t]*\r?\n/)
    .map(fieldsOf)
    .filter(({ size }) => size > 0);
}

function fieldsOf(block: string): Fields {
  const fields = new Map<string, string[]>();
  for (const line of block.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (!/^[!-9;-~]+$/.test(name)) continue;
    const value = line.slice(colon + 1).trim();
    const known = fields.get(name);
    if (known) known.push(value);
    else fields.set(name, [value]);
  }
  return fields;
}
