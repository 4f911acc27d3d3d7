/** The types of handlers, from the zod schemas of their routes. */
import type { FastifyInstance, FastifyTypeProvider } from 'fastify';
import type { z } from 'zod';

/** A value that serializes to the JSON of a schema: a Date may stand for a timestamp string. */
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

/** Returns the app with the types of its zod schemas. */
export const withTypes = (app: FastifyInstance) => app.withTypeProvider<ZodTypes>();
