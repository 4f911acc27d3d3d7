/** Numbers, dates, and times in the language of the application. Times are in the browser's zone unless one is given. */
import { dateFormat, numberFormat, relativeFormat } from './intl.js';
import { useSpeech, type Language } from './words.js';

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
  /** A time of day in no zone, as `datetime-local` writes it. */
  localDateTime: (local: string) => string;
  time: (iso: string, zone?: string) => string;
  /** "3 minutes ago". */
  relative: (iso: string, now?: number) => string;
  /** "2 hours", of the largest unit. */
  duration: (seconds: number) => string;
}

const PERCENT = { style: 'percent', maximumFractionDigits: 1 } as const;
// Rates of complaints are below a tenth of a percent.
const SMALL_PERCENT = { style: 'percent', maximumFractionDigits: 3 } as const;
const CHANGE = { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' } as const;
const DATE = { dateStyle: 'medium' } as const;
const TIME = { hour: '2-digit', minute: '2-digit' } as const;
const LOCAL_DATE_TIME = { year: 'numeric', month: 'short', day: 'numeric', ...TIME } as const;
const DATE_TIME = { ...LOCAL_DATE_TIME, timeZoneName: 'short' } as const;

function createFormat(language: Language): Format {
  const short = (value: number): string => numberFormat(language, { maximumFractionDigits: 1 }).format(value);
  const moment = (options: Intl.DateTimeFormatOptions, iso: string, timeZone: string | undefined): string =>
    dateFormat(language, timeZone === undefined ? options : { ...options, timeZone }).format(new Date(iso));
  return {
    number: (value) => numberFormat(language, {}).format(value),
    percent: (fraction) => numberFormat(language, fraction < 0.01 ? SMALL_PERCENT : PERCENT).format(fraction),
    change: (fraction) => numberFormat(language, CHANGE).format(fraction),
    bytes: (bytes) =>
      bytes < BYTES_PER_KB ** 2 ? `${short(bytes / BYTES_PER_KB)} KB` : `${short(bytes / BYTES_PER_KB ** 2)} MB`,
    date: (iso, zone) => moment(DATE, iso, zone),
    dateTime: (iso, zone) => moment(DATE_TIME, iso, zone),
    localDateTime: (local) => moment(LOCAL_DATE_TIME, `${local}Z`, 'UTC'),
    time: (iso, zone) => moment(TIME, iso, zone),
    relative(iso, now = Date.now()) {
      const seconds = (new Date(iso).getTime() - now) / 1000;
      const [unit, size] = SECONDS_BY_UNIT.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
      return relativeFormat(language, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
    },
    duration(seconds) {
      const [unit, size] = SECONDS_BY_UNIT.find(([, length]) => seconds >= length) ?? ['second', 1];
      return numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.round(seconds / size));
    },
  };
}

const FORMATS: Record<Language, Format> = { en: createFormat('en'), de: createFormat('de') };

export const useFormat = (): Format => FORMATS[useSpeech().language];
