/** The installed package: its folder and its version. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Returns the folder of this package, whether this file runs from its source or from `dist`. */
export function packageFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error('The installation is incomplete: no folder above has a package.json.');
    folder = parent;
  }
  return folder;
}

export const packageVersion = (): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path.join(packageFolder(), 'package.json'), 'utf8')))
    .version;
