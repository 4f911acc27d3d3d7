/**
 * Prisma over the shared pool: ordinary reads and writes. Hot paths and transactions with intents are SQL, in
 * `sql.ts` and `sql/` of each resource.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.js';
import type { Pool } from './pool.js';

export type Prisma = PrismaClient;

export const createPrisma = (pool: Pool): Prisma =>
  new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
