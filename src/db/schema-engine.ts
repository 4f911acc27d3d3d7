/**
 * Prisma's schema engine in its WebAssembly build, on a database through `pg`.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Pool, type QueryArrayConfig } from 'pg';

/** Node's own global, which TypeScript declares only together with the browser's. */
declare const WebAssembly: {
  instantiate(
    program: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

export interface SchemaEngineSession {
  engine: engineModule.SchemaEngine;
  /** The database's own error of the script that failed last; the engine reports it without its text. */
  scriptError: () => Error | undefined;
  close: () => Promise<void>;
}

/**
 * Opens the engine on a database. Close it when done.
 *
 * @param schema content of a Prisma schema; an engine that only applies migrations needs no more than the provider
 */
export async function openSchemaEngine(databaseUrl: string, schema = PROVIDER_ONLY): Promise<SchemaEngineSession> {
  await loadEngine();
  const pool = new Pool({ connectionString: databaseUrl, max: 3 });
  const factory = new ScriptAdapterFactory(pool);
  const engine = await engineModule.SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(factory),
  );
  return {
    engine,
    scriptError: () => factory.scriptError,
    close: async () => {
      engine.free();
      await pool.end();
    },
  };
}

const PROVIDER_ONLY = 'datasource db {\n  provider = "postgresql"\n}\n';

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/**
 * Prisma's adapter cuts a script at each semicolon, which breaks function bodies; this one leaves the cutting to
 * PostgreSQL.
 */
class ScriptAdapterFactory extends PrismaPg {
  scriptError: Error | undefined;

  override async connect(): Promise<Adapter> {
    const adapter = await super.connect();
    acceptChars(adapter);
    const pool = adapter.underlyingDriver();
    adapter.executeScript = async (script) => {
      const client = await pool.connect();
      try {
        await client.query(script);
      } catch (error) {
        this.scriptError = error instanceof Error ? error : new Error(String(error));
        throw error;
      } finally {
        client.release();
      }
    };
    return adapter;
  }

  /** Prisma's own would connect to the database of the URL, not to the shadow. */
  override connectToShadowDb(): Promise<Adapter> {
    throw new Error('A shadow database is not supported: apply the migrations to a scratch database instead');
  }
}

/** Types of PostgreSQL by their number: `"char"`, which its catalogues use, and arrays of it. */
const CHAR = 18;
const CHAR_ARRAY = 1002;

/**
 * The engine reads `"char"` columns of the catalogues, which Prisma's adapter of this version refuses, though it knows
 * arrays of them, which the engine never reads. So they pass through the adapter as those.
 */
function acceptChars(adapter: Adapter): void {
  const pool = adapter.underlyingDriver();
  const query = pool.query.bind(pool);
  Object.assign(pool, {
    query: async (config: QueryArrayConfig) => {
      const result = await query(config);
      for (const field of result.fields) if (field.dataTypeID === CHAR) field.dataTypeID = CHAR_ARRAY;
      return result;
    },
  });
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (config) => {
    const result = await queryRaw(config);
    const columnTypes = result.columnTypes.map((type) =>
      type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
    );
    return { ...result, columnTypes };
  };
}

let loading: Promise<void> | undefined;

function loadEngine(): Promise<void> {
  loading ??= instantiate();
  return loading;
}

async function instantiate(): Promise<void> {
  // The engine looks for this global when it panics, and without it fails with an error that hides the reason.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: reportPanic } });
  const main = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  // The engine never clears the timeout of its lock, which would keep a process that is done alive for ten seconds.
  const imports = Object.entries(engineModule).map(([name, value]) => [
    name,
    name.startsWith('__wbg_setTimeout') ? idleTimeout : value,
  ]);
  const program = await readFile(path.join(path.dirname(main), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(program, { './schema_engine_bg.js': Object.fromEntries(imports) });
  engineModule.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start !== 'function')
    throw new Error('The schema engine has no start function: is @prisma/schema-engine-wasm of another version?');
  start();
}

function reportPanic(message: string): never {
  throw new Error(`Prisma's schema engine failed: ${message}`);
}

function idleTimeout(callback: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(callback, ms).unref();
}
