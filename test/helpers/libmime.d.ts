declare module 'libmime' {
  const libmime: {
    /** Decodes the RFC 2047 encoded words of a header value. */
    decodeWords(value: string): string;
  };
  export default libmime;
}
