/** The extensions that a server offers in its reply to EHLO. */

export interface Extensions {
  pipelining: boolean;
  startTls: boolean;
  smtpUtf8: boolean;
  /** The maximum size of an email in bytes (RFC 1870), 0 if the server has no fixed limit, null without SIZE. */
  maxSize: number | null;
  /** The SASL mechanisms, in upper case. */
  auth: Set<string>;
}

export const noExtensions = (): Extensions => ({
  pipelining: false,
  startTls: false,
  smtpUtf8: false,
  maxSize: null,
  auth: new Set(),
});

/** Parses the text of a reply to EHLO. */
export function parseExtensions(reply: string): Extensions {
  const extensions = noExtensions();
  // The first line has the name of the server.
  for (const line of reply.split('\n').slice(1)) {
    const [keyword = '', ...parameters] = line
      .slice(4)
      .trim()
      .toUpperCase()
      .split(/[\s=]+/);
    if (keyword === 'PIPELINING') extensions.pipelining = true;
    else if (keyword === 'STARTTLS') extensions.startTls = true;
    else if (keyword === 'SMTPUTF8') extensions.smtpUtf8 = true;
    else if (keyword === 'SIZE') extensions.maxSize = Number(parameters[0] ?? 0) || 0;
    else if (keyword === 'AUTH') for (const mechanism of parameters) extensions.auth.add(mechanism);
  }
  return extensions;
}
