/** Numbers, dates, and times in the language of the application. Times are in the browser's zone unless one is given. */
import { useSpeech, type Language } from './words.js';

export const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const SECONDS_BY_UNIT = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const BYTES_PER_KB = 1024;

export interface Format {
  number: (value: number) => string;
  /** Writes a fraction: 0.123 is 12.3%, 0.00075 is 0.075%. */
  percent: (fraction: number) => string;
  /** Writes a change as a fraction with its sign: +50%. */
  change: (fraction: number) => string;
  bytes: (bytes: number) => string;
  date: (iso: string, zone?: string) => string;
  /** With the zone's name. */
  dateTime: (iso: string, zone?: string) => string;
  time: (iso: string, zone?: string) => string;
  /** "3 minutes ago". */
  relative: (iso: string, now?: number) => string;
  /** "2 hours", of the largest unit. */
  duration: (seconds: number) => string;
}

function createFormat(language: Language): Format {
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  // Rates of complaints are below a tenth of a percent.
  const smallPercent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 3 });
  const change = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const short = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const byZone = new Map<string | undefined, Intl.DateTimeFormat>();
    return (iso: string, zone: string | undefined): string => {
      const known = byZone.get(zone);
      const format =
        known ?? new Intl.DateTimeFormat(language, { ...options, ...(zone !== undefined && { timeZone: zone }) });
      if (!known) byZone.set(zone, format);
      return format.format(new Date(iso));
    };
  };
  const date = dates({ dateStyle: 'medium' });
  const time = dates({ hour: '2-digit', minute: '2-digit' });
  const dateTime = dates({
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return {
    number: (value) => number.format(value),
    percent: (fraction) => (fraction < 0.01 ? smallPercent : percent).format(fraction),
    change: (fraction) => change.format(fraction),
    bytes: (bytes) =>
      bytes < BYTES_PER_KB ** 2
        ? `${short.format(bytes / BYTES_PER_KB)} KB`
        : `${short.format(bytes / BYTES_PER_KB ** 2)} MB`,
    date: (iso, zone) => date(iso, zone),
    dateTime: (iso, zone) => dateTime(iso, zone),
    time: (iso, zone) => time(iso, zone),
    relative(iso, now = Date.now()) {
      const seconds = (new Date(iso).getTime() - now) / 1000;
      const [unit, size] = SECONDS_BY_UNIT.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
      return relative.format(Math.trunc(seconds / size), unit);
    },
    duration(seconds) {
      const [unit, size] = SECONDS_BY_UNIT.find(([, length]) => seconds >= length) ?? ['second', 1];
      return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
        Math.round(seconds / size),
      );
    },
  };
}

/** Creating the formats of a language takes about as long as rendering a row of a table. */
const formats = new Map<Language, Format>();

export function useFormat(): Format {
  const { language } = useSpeech();
  const known = formats.get(language);
  if (known) return known;
  const created = createFormat(language);
  formats.set(language, created);
  return created;
}
