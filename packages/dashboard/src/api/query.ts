/** The cache of server state, and the errors of the API. */
import { QueryClient } from '@tanstack/react-query';
import { translateMessage } from '../words/api-messages.js';

const STALE_MS = 30_000;
/** Reads that failed for a reason that passes are repeated this often. */
const MAX_RETRIES = 2;

const isPassing = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === undefined || status === 503;
};

/** Returns the HTTP status of an error of the API; undefined if no response arrived. */
export function statusOf(error: unknown): number | undefined {
  const status = errorOf(error)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

export interface ApiProblem {
  code: string;
  message: string;
  statusCode: number;
  requestId: string;
  errors?: Array<{ field: string; message: string }>;
}

/** Returns the `error` of the API's envelope, in the language of the application; undefined if it is not one. */
export function errorOf(error: unknown): ApiProblem | undefined {
  if (typeof error !== 'object' || error === null || !('error' in error)) return undefined;
  const { error: problem } = error;
  if (!isProblem(problem)) return undefined;
  return {
    ...problem,
    message: translateMessage(problem.message),
    ...(problem.errors && {
      errors: problem.errors.map((one) => ({ ...one, message: translateMessage(one.message) })),
    }),
  };
}

const isProblem = (value: unknown): value is ApiProblem =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value;

/** Returns the messages by field of an error, for the fields of a form. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  Object.fromEntries((errorOf(error)?.errors ?? []).map(({ field, message }) => [field, message]));

/** Returns the data of a call outside of a hook. @throws the API's error, for `errorOf` */
export function resultOf<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (error !== undefined) throw error;
  return data as Data;
}

export const createCache = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (failures, error) => failures < MAX_RETRIES && isPassing(error),
        // The stream reports changes; an idle page makes no requests.
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
      mutations: { retry: false },
    },
  });

/** The cache of what belongs to no project: accounts and projects. */
export const queryClient = createCache();
