/** Names the device of a session from the header User-Agent. */

/** In this order, because browsers also contain the names of those that they are compatible with. */
const BROWSERS: Array<[RegExp, string]> = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ .*Safari\//, 'Safari'],
];
const SYSTEMS: Array<[RegExp, string]> = [
  [/\bAndroid\b/, 'Android'],
  [/\biPad\b/, 'iPad'],
  [/\biPhone\b/, 'iPhone'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Returns a name such as `Firefox on Windows`, or null if neither the browser nor the system is known. */
export function nameDevice(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const nameOf = (patterns: Array<[RegExp, string]>): string | undefined =>
    patterns.find(([pattern]) => pattern.test(userAgent))?.[1];
  const names = [nameOf(BROWSERS), nameOf(SYSTEMS)].filter((name) => name !== undefined);
  return names.length === 0 ? null : names.join(' on ');
}
