/**
 * Prisma over the shared pool, for ordinary reads and writes of the API (`ApiContext`). Hot paths and transactions with intents are
 * SQL. So is all that the worker does: with its first query, Prisma loads a query compiler, which takes 50 MB.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.js';
import type { Pool } from './pool.js';

export type Prisma = PrismaClient;

export const createPrisma = (pool: Pool): Prisma =>
  new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
