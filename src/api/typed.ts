/** The types that the routes' zod schemas give to handlers. */
import type { FastifyInstance, FastifyTypeProvider } from 'fastify';
import type { z } from 'zod';

/** What may be returned where a schema documents JSON: a Date is serialised as the timestamp that the schema names. */
type Serializable<T> = unknown extends T
  ? unknown
  : T extends string
    ? T | Date
    : T extends number | boolean | null | undefined
      ? T
      : T extends ReadonlyArray<infer Item>
        ? ReadonlyArray<Serializable<Item>>
        : T extends Record<string, unknown>
          ? string extends keyof T
            ? unknown
            : { [Key in keyof T]: Serializable<T[Key]> }
          : T;

interface ZodTypes extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  serializer: this['schema'] extends z.ZodType ? Serializable<z.input<this['schema']>> : unknown;
}

/** The app with the types of its zod schemas. */
export const withTypes = (app: FastifyInstance) => app.withTypeProvider<ZodTypes>();
