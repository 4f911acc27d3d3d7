import { defineConfig } from 'prisma/config';

/**
 * For `prisma generate` and Prisma's editor tools. Migrations are applied by src/db/migrate.ts, and written by
 * scripts/migrate-diff.mjs.
 */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
