/** Reading a resource with its ETag, so that a save can say which version was edited. */
export interface Versioned<Data> {
  data: Data;
  /** For `If-Match`. */
  etag: string;
}

/** Returns the data of a call with the ETag of its response. @throws the API's error, for `errorOf` */
export function versionOf<Data>({
  data,
  error,
  response,
}: {
  data?: Data;
  error?: unknown;
  response: Response;
}): Versioned<Data> {
  if (error !== undefined) throw error;
  return { data: data as Data, etag: response.headers.get('ETag') ?? '*' };
}
