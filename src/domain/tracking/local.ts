/** Installations that only their own machine reaches: `npm start` without a `PUBLIC_URL`. */

/**
 * Whether the links of mails lead to this machine itself. No gateway and no crawler gets there, so whoever follows one
 * is at this machine, trying the service out, perhaps by a script.
 */
export function isLocal(publicUrl: string): boolean {
  const { hostname } = new URL(publicUrl);
  return /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}
