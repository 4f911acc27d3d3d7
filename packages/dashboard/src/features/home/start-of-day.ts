/** Returns the first moment of a local day, as an ISO time. @param date `2026-11-23` */
export function startOfDay(date: string, zone: string): string {
  const noon = new Date(`${date}T12:00:00Z`);
  // The hour at which the zone's clock shows midnight differs by its offset on that day.
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(noon);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'));
  return new Date(Date.parse(`${date}T00:00:00Z`) - (local - noon.getTime())).toISOString();
}
