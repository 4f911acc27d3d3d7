declare module 'email-providers' {
  /** Domains of providers, in lower case; some in Unicode. */
  const domains: string[];
  export default domains;
}
