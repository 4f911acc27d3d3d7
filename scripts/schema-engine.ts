/**
 * Prisma's schema engine in its WebAssembly build, which compares a database with a schema. Only
 * scripts/migrate-diff.mjs needs it; src/db/migrate.ts applies migrations without it.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Pool, type QueryArrayConfig } from 'pg';

/** TypeScript declares Node's global only together with the browser's. */
declare const WebAssembly: {
  instantiate(
    program: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/**
 * Compares a live database with a Prisma schema.
 *
 * @param schema the content of the schema file
 * @returns the SQL that changes the database to match the schema; undefined if they match
 */
export async function difference(databaseUrl: string, schema: string): Promise<string | undefined> {
  await loadEngine();
  const pool = new Pool({ connectionString: databaseUrl, max: 3 });
  const engine = await engineModule.SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(new CharAdapterFactory(pool)),
  );
  const files = [{ path: 'schema.prisma', content: schema }];
  try {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      // The exit code is 2 if there is a difference.
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 2 && stdout ? stdout : undefined;
  } finally {
    engine.free();
    await pool.end();
  }
}

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

class CharAdapterFactory extends PrismaPg {
  override async connect(): Promise<Adapter> {
    const adapter = await super.connect();
    acceptChars(adapter);
    return adapter;
  }

  override connectToShadowDb(): Promise<Adapter> {
    throw new Error('A shadow database is not supported. Apply the migrations to a scratch database instead.');
  }
}

/** PostgreSQL's type ids of `"char"`, which its catalogs use, and of arrays of it. */
const CHAR = 18;
const CHAR_ARRAY = 1002;

/**
 * Lets the engine read the `"char"` columns of PostgreSQL's catalogs. Version 7.10 of Prisma's adapter rejects the type
 * but accepts arrays of it, which the engine never reads. So the columns pass through the adapter as arrays.
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
  // The engine calls this global when it panics. Without it, another error hides the reason.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: reportPanic } });
  const main = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  // The engine never clears the timeout of its lock, which would keep the process alive for ten seconds.
  const imports = Object.entries(engineModule).map(([name, value]) => [
    name,
    name.startsWith('__wbg_setTimeout') ? unrefTimeout : value,
  ]);
  const program = await readFile(path.join(path.dirname(main), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(program, { './schema_engine_bg.js': Object.fromEntries(imports) });
  engineModule.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start !== 'function')
    throw new Error('The schema engine has no start function. Is @prisma/schema-engine-wasm of another version?');
  start();
}

function reportPanic(message: string): never {
  throw new Error(`Prisma's schema engine failed: ${message}`);
}

function unrefTimeout(callback: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(callback, ms).unref();
}
