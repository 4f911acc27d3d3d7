/** Formats of `Intl`. Each is created once, because creating one takes as long as hundreds of uses. */

const once = <Options extends object, Format>(create: (language: string, options: Options) => Format) => {
  const created = new Map<string, Format>();
  return (language: string, options: Options): Format => {
    const key = JSON.stringify([language, options]);
    const format = created.get(key) ?? create(language, options);
    created.set(key, format);
    return format;
  };
};

export const numberFormat = once(
  (language, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options),
);
export const dateFormat = once(
  (language, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
);
export const relativeFormat = once(
  (language, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(language, options),
);

/** The zone of the browser. Finding it takes a moment, so it is not found before a page shows it. */
export const browserZone = (): string => dateFormat('en', {}).resolvedOptions().timeZone;

/** Returns a time as the value of a `datetime-local`, in the browser's zone. */
export const toLocal = (time: Date): string =>
  new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
